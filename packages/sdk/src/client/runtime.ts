import type { ResultGet } from "../result/context.ts";
import type { ProcessInfo } from "../store/entries.ts";
import { fetchTransport, toWebFetch, type WebFetch } from "../call/fetch.ts";
import type { Transport } from "../call/transport.ts";
import type { ClientOptions } from "./options.ts";

/** The parts of a client that depend on the runtime: sending, fetching results, and information about processes. */
export interface Runtime {
  readonly transport: Transport;
  readonly get: ResultGet;
  /** Loads the information about processes. */
  readonly processes: () => Promise<ProcessInfo>;
}

/** Creates the runtime of a client that only has fetch. */
export function webRuntime({ fetch: given, fetchSendsOnce = !given }: ClientOptions): Runtime {
  // Looked up at each call, because tests and tracers replace it.
  const fetch: WebFetch = given ? toWebFetch(given) : (url, init) => globalThis.fetch(url, init);
  const transport = fetchTransport(fetch, fetchSendsOnce);
  const get: ResultGet = async (url, request) => {
    // Loaded at first use, because most programs do not need it.
    const { webGet } = await import("../result/web-get.ts");
    return webGet(fetch)(url, request);
  };
  return { transport, get, processes: async () => ({ hasEnded: () => false }) };
}
