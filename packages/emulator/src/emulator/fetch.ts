import type { Activity } from "../service/activity.ts";
import type { Emulator } from "../service/emulator-types.ts";
import { emulatorRequestOf } from "../service/exchange.ts";

/** Returns a function like `fetch` that passes requests to `serve` instead of the network. */
export function createFetch(serve: Emulator["serve"], activity: Activity): Emulator["fetch"] {
  // The signal of a garbage-collected Request never aborts, so a hang would not end.
  const held = new Set<Request>();
  return async (input, init) => {
    const request = input instanceof Request && !init ? input : new Request(input, init);
    request.signal.throwIfAborted();
    held.add(request);
    try {
      const { status, headers, body } = await activity.whilePending(() =>
        serve(emulatorRequestOf(request)),
      );
      // A server sends no body in response to HEAD.
      return new Response(request.method === "HEAD" ? null : body, { status, headers });
    } finally {
      held.delete(request);
    }
  };
}
