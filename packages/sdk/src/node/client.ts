import { createClient } from "../client/create-client.ts";
import { webRuntime } from "../client/runtime.ts";
import type { MediaGen } from "../client/media-gen.ts";
import type { MediaGenOptions } from "../client/options.ts";
import type { ResultGet } from "../result/context.ts";
import { mostInFlight } from "../wait/scheduler.ts";
import type { ConnectOptions } from "./connections.ts";
import { lazyTransport, usesNodeHttp } from "./lazy-transport.ts";

/** How to create a client on Node. With your own `fetch`, that one connects and sends. */
export interface NodeMediaGenOptions extends MediaGenOptions, ConnectOptions {}

/**
 * Creates a client that sends with node:http: it knows whether a request left, and streams uploads from disk.
 *
 * @throws {@link InvalidRequestError} an option is not valid
 *
 * @example
 * const media = createMediaGen({ store: fileStore(".mediagen") }); // MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY
 */
export function createMediaGen(options: NodeMediaGenOptions = {}): MediaGen {
  const web = webRuntime(options);
  const connect = () => lazyTransport({ ...options, polls: mostInFlight(options) });
  const { transport, get } = usesNodeHttp(options) ? { transport: connect(), get: lazyGet } : web;
  return createClient(options, { transport, get, processes });
}

const processes = async () => {
  const { processInfo } = await import("./process-info.ts");
  return processInfo();
};

const lazyGet: ResultGet = async (url, init) => {
  const { nodeGet } = await import("./get.ts");
  return nodeGet(url, init);
};
