import { createClient } from "../client/client.ts";
import { type Runtime, webRuntime } from "../client/runtime.ts";
import type { MediaGen } from "../client/media-gen.ts";
import type { MediaGenOptions } from "../client/options.ts";
import type { ResultGet } from "../result/context.ts";
import { once } from "../spec/once.ts";
import { mostInFlight } from "../wait/scheduler.ts";
import { checkConnectOptions, type ConnectOptions } from "./connect-options.ts";
import { lazyTransport, usesNodeHttp } from "./lazy-transport.ts";

/** Options of `createMediaGen` on Node. With your own `fetch`, that function connects and sends. */
export interface NodeMediaGenOptions extends MediaGenOptions, ConnectOptions {}

/**
 * Creates a client that sends with node:http. It knows whether a request was sent, and streams uploads from disk.
 * Nothing is sent yet.
 *
 * @returns The client. One is enough for a program: its calls share connections, limits and polls.
 * @throws An {@link InvalidRequestError} if an option is not valid
 * @example
 * const media = createMediaGen({ store: fileStore(".mediagen") }); // MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY
 */
export function createMediaGen(options: NodeMediaGenOptions = {}): MediaGen {
  return createClient(options, nodeRuntime);
}

function nodeRuntime(options: NodeMediaGenOptions, origin: string): Runtime {
  const isNodeHttp = usesNodeHttp(options);
  checkConnectOptions("createMediaGen", options, origin, isNodeHttp);
  if (!isNodeHttp) return { ...webRuntime(options), processes };
  const transport = lazyTransport({ ...options, polls: mostInFlight(options) });
  return { transport, get: lazyGet(options), processes };
}

const processes = async () => {
  const { processInfo } = await import("./process-info.ts");
  return processInfo();
};

function lazyGet(options: ConnectOptions): ResultGet {
  const load = once(async () => (await import("./get.ts")).nodeGet(options));
  return async (url, request) => (await load())(url, request);
}
