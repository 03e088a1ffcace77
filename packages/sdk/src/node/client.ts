import { createClient } from "../client/create-client.ts";
import { type Runtime, webRuntime } from "../client/runtime.ts";
import type { MediaGen } from "../client/media-gen.ts";
import type { MediaGenOptions } from "../client/options.ts";
import type { ResultGet } from "../result/context.ts";
import { mostInFlight } from "../wait/scheduler.ts";
import { checkConnectOptions, type ConnectOptions } from "./connect-options.ts";
import { lazyTransport, usesNodeHttp } from "./lazy-transport.ts";

/** How to create a client on Node. With your own `fetch`, that one connects and sends. */
export interface NodeMediaGenOptions extends MediaGenOptions, ConnectOptions {}

/** A client of the Media Generation Service on Node. */
export interface NodeMediaGen extends MediaGen {
  /**
   * Returns a client with these options over those of this one, as {@link MediaGen.withOptions} does.
   *
   * @throws {@link InvalidRequestError} an option is not valid, or `apiKey` is given and undefined
   */
  withOptions(options: NodeMediaGenOptions): NodeMediaGen;
}

/**
 * Creates a client that sends with node:http: it knows whether a request left, and streams uploads from disk.
 *
 * @throws {@link InvalidRequestError} an option is not valid
 *
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
  let get: Promise<ResultGet> | undefined;
  return async (url, request) => {
    get ??= import("./get.ts").then(({ nodeGet }) => nodeGet(options, home));
    return (await get)(url, request);
  };
}
