import type { Activity } from "../service/activity.ts";
import type { Emulator } from "../service/emulator-types.ts";
import { emulatorRequestOf } from "../service/exchange.ts";

/** Returns a function like `fetch` whose requests `serve` handles instead of the network. */
export function createFetch(serve: Emulator["serve"], activity: Activity): Emulator["fetch"] {
  // A Request that nothing refers to is garbage-collected, and its signal never aborts then: a hang would have no end.
  const held = new Set<Request>();
  return async (input, init) => {
    const request = input instanceof Request && !init ? input : new Request(input, init);
    request.signal.throwIfAborted();
    held.add(request);
    try {
      const { status, headers, body } = await activity.whilePending(() => serve(emulatorRequestOf(request)));
      // A server sends no body in response to HEAD.
      return new Response(request.method === "HEAD" ? null : body, { status, headers });
    } finally {
      held.delete(request);
    }
  };
}
