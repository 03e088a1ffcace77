import { createControl } from "../page/control.ts";
import type { Context } from "../service/context.ts";
import { createDownloads } from "../service/downloads.ts";
import type { Emulator } from "../service/emulator-types.ts";
import type { EmulatorResponse } from "../service/exchange.ts";
import { createOperations } from "../service/operations.ts";

/**
 * Lets pages of any origin read a response of the service, but not one of the emulator's control
 * API.
 */
const readableByAll = { "access-control-allow-origin": "*", "access-control-expose-headers": "*" };

/**
 * The response to a preflight. It allows the key (which `*` does not cover), both body types, and
 * range requests.
 */
const preflight: EmulatorResponse = {
  status: 204,
  headers: {
    "access-control-allow-headers":
      "authorization, content-type, range, if-range, if-none-match, *",
    "access-control-allow-methods": "*",
  },
  body: null,
};

/**
 * Returns the function that routes each request to the results, the page and its control API, or
 * the operations.
 */
export function createDispatch(emulator: Emulator, context: Context): Emulator["serve"] {
  const operations = createOperations(context);
  const downloads = createDownloads(context);
  const control = createControl(emulator, context, downloads);
  let requests = 0;
  return (request) =>
    context.activity.during(async () => {
      const id = `emulator-${++requests}`;
      /**
       * Marks a response as the emulator's, so that a test can distinguish it from the service's.
       */
      const marked = (
        response: EmulatorResponse,
        more: Readonly<Record<string, string>>,
      ): EmulatorResponse => ({
        ...response,
        headers: { ...response.headers, ...more, "x-emulator": "1", "x-request-id": id },
      });
      const { pathname } = request.url;
      // The paths of results also begin with the control API's prefix, so they go first.
      const isDownload = downloads.serves(pathname);
      // The base URL leads a browser to the page.
      const isControl = control.serves(pathname) || (pathname === "/" && request.method === "GET");
      if (!isDownload && isControl) return marked(await control.serve(request), {});
      if (request.method === "OPTIONS") return marked(preflight, readableByAll);
      return marked(await (isDownload ? downloads.serve : operations)(request), readableByAll);
    });
}
