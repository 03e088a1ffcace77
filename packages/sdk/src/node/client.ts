import { createClient } from "../client/create-client.ts";
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

/** A client of the Media Generation Service on Node. */
export interface NodeMediaGen extends MediaGen {
  /**
   * Creates a client with some options changed, as {@link MediaGen.withOptions} does.
   *
   * @param options The options to change. A field that is undefined keeps the option of this client.
   * @returns The new client.
   * @throws An {@link InvalidRequestError} if an option is not valid, or `apiKey` is given and undefined
   * @example
   * const ofUser = createMediaGen().withOptions({ apiKey: "...", proxy: false });
   */
  withOptions(options: NodeMediaGenOptions): NodeMediaGen;
}

/**
 * Creates a client that sends with node:http. It knows whether a request was sent, and streams uploads from disk.
 * Nothing is sent yet.
 *
 * @returns The client. One is enough for a program: its calls share connections, limits and polls.
 * @throws An {@link InvalidRequestError} if an option is not valid
 * @example
 * const media = createMediaGen({ store: fileStore(".mediagen") }); // MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY
 */
export function createMediaGen(options: NodeMediaGenOptions = {}): NodeMediaGen {
  return createClient(options, nodeRuntime);
}

function nodeRuntime(options: NodeMediaGenOptions, origin: string): Runtime {
  const isNodeHttp = usesNodeHttp(options);
  checkConnectOptions("createMediaGen", options, isNodeHttp);
  if (!isNodeHttp) return { ...webRuntime(options), processes };
  const transport = lazyTransport({ ...options, polls: mostInFlight(options) });
  return { transport, get: lazyGet(options, origin), processes };
}

const processes = async () => {
  const { processInfo } = await import("./process-info.ts");
  return processInfo();
};

function lazyGet(options: ConnectOptions, home: string): ResultGet {
  const load = once(async () => (await import("./get.ts")).nodeGet(options, home));
  return async (url, request) => (await load())(url, request);
}
