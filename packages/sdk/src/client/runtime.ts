import type { ResultHost } from "../result/result-host.ts";
import type { ProcessInfo } from "../store/entries.ts";
import { fetchTransport } from "../call/fetch.ts";
import type { Transport } from "../call/transport.ts";
import type { ClientOptions } from "./options.ts";

/** The parts of a client that depend on the runtime: sending, fetching results, and information about processes. */
export interface Runtime extends Pick<ResultHost, "fetch" | "get"> {
  /** Loads the transport. */
  readonly loadTransport: () => Promise<Transport>;
  /** Loads the information about processes. */
  readonly processes: () => Promise<ProcessInfo>;
}

/** Creates the runtime of a client that only has fetch. */
export function webRuntime({ fetch: given, fetchSendsOnce = !given }: ClientOptions): Runtime {
  const transport = fetchTransport(given, fetchSendsOnce);
  return { loadTransport: async () => transport, fetch: given, processes: async () => ({ hasEnded: () => false }) };
}
