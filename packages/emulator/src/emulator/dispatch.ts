import { createControl } from "../page/control.ts";
import type { Context } from "../service/context.ts";
import { createDownloads } from "../service/downloads.ts";
import type { Emulator } from "../service/emulator-types.ts";
import type { EmulatorResponse } from "../service/exchange.ts";
import { createOperations } from "../service/operations.ts";
import type { Exchange, Session } from "../service/session.ts";
import { createReplay, recordExchange } from "./recording.ts";

/** Lets pages of any origin read a response of the service, but not one of the emulator's control API. */
const readableByAll = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" };

/** The response to a preflight. It allows the key (which `*` does not cover), both body types, and range requests. */
const preflight: EmulatorResponse = {
  status: 204,
  headers: {
    "access-control-allow-headers": "authorization, content-type, range, if-range, if-none-match, *",
    "access-control-allow-methods": "*",
  },
  body: null,
};

/** The running recordings. Each exchange is added to all of them. */
export type Recordings = Set<Exchange[]>;

/**
 * Returns the function that routes each request to the results, the page and its control API, or the operations. A replayed
 * session replaces operations and results.
 */
export function createDispatch(
  emulator: Emulator,
  context: Context,
  recordings: Recordings,
  session: Session | undefined,
): Emulator["serve"] {
  const replay = session && createReplay(session, context);
  const operations = createOperations(context);
  const downloads = createDownloads(context);
  const control = createControl(emulator, context, downloads);
  let requests = 0;
  return (request) =>
    context.activity.during(async () => {
      const id = `emulator-${++requests}`;
      /** Marks a response as the emulator's, so that a test can distinguish it from the service's. */
      const marked = (response: EmulatorResponse, more: Readonly<Record<string, string>>): EmulatorResponse => ({
        ...response,
        headers: { ...response.headers, ...more, "x-emulator": "1", "x-request-id": id },
      });
      const { pathname } = request.url;
      // The paths of results also begin with the control API's prefix, so they go first.
      const isDownload = downloads.serves(pathname);
      if (!isDownload && control.serves(pathname)) return marked(await control.serve(request), {});
      if (request.method === "OPTIONS") return marked(preflight, readableByAll);
      const serve = replay ?? (isDownload ? downloads.serve : operations);
      const response = recordings.size > 0 ? recordExchange(request, serve, context, recordings) : serve(request);
      return marked(await response, readableByAll);
    });
}
