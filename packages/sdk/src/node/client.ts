import { createClient, webRuntime } from "../client/client.ts";
import type { Runtime } from "../client/host.ts";
import type { MediaGen } from "../client/media-gen.ts";
import type { MediaGenOptions } from "../client/options.ts";
import { once } from "../spec/values.ts";
import { checkConnectOptions, type ConnectOptions, usesNodeHttp } from "./connect-options.ts";

/** Options of `createMediaGen` on Node. With your own `fetch`, that function connects and sends. */
export interface NodeMediaGenOptions extends MediaGenOptions, ConnectOptions {}

/**
 * Creates a client that sends with node:http. It knows whether a request was sent, and streams
 * uploads from disk. It sends nothing yet.
 *
 * @returns The client. One is enough for a program: its calls share connections, limits and polls.
 * @throws An {@link InvalidRequestError} if an option is not valid
 * @example
 * // Reads MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY.
 * const media = createMediaGen({ store: fileStore(".mediagen") });
 */
export function createMediaGen(options: NodeMediaGenOptions = {}): MediaGen {
  return createClient(options, nodeRuntime);
}

function nodeRuntime(options: NodeMediaGenOptions, origin: string): Runtime {
  const isNodeHttp = usesNodeHttp(options);
  checkConnectOptions(options, origin, isNodeHttp);
  const processes = async () => (await import("./process-info.ts")).processInfo();
  if (!isNodeHttp) return { ...webRuntime(options), processes };
  // Loaded at first use: node:http takes longer than all else together.
  const loadTransport = once(async () =>
    (await import("./transport.ts")).nodeTransport(new URL(origin), options),
  );
  const get = once(async () => (await import("./get.ts")).nodeGet(options));
  return { loadTransport, get: async (url, request) => (await get())(url, request), processes };
}
