import type { ResultHost } from "../result/result-host.ts";
import type { ProcessInfo } from "../store/entries.ts";
import { fetchTransport, toWebFetch, type WebFetch } from "../call/fetch.ts";
import type { Transport } from "../call/transport.ts";
import type { ClientOptions } from "./options.ts";

/** The parts of a client that depend on the runtime: sending, fetching results, and information about processes. */
export interface Runtime extends Pick<ResultHost, "fetch" | "get"> {
  readonly transport: Transport;
  /** Loads the information about processes. */
  readonly processes: () => Promise<ProcessInfo>;
}

/** Creates the runtime of a client that only has fetch. */
export function webRuntime({ fetch: given, fetchSendsOnce = !given }: ClientOptions): Runtime {
  // Looked up at each call, because tests and tracers replace it.
  const fetch: WebFetch = given ? toWebFetch(given) : (url, init) => globalThis.fetch(url, init);
  const transport = fetchTransport(fetch, fetchSendsOnce);
  return { transport, fetch: given, processes: async () => ({ hasEnded: () => false }) };
}
