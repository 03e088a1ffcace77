import { createClient, createMediaGen as createWebClient, type MediaGen } from "../client/client.ts";
import type { MediaGenOptions } from "../client/options.ts";
import type { ResultGet } from "../result/copy.ts";
import type { Transport } from "../transport/transport.ts";
import type { ConnectOptions } from "./transport.ts";

/** How to create a client in Node; with a `fetch` of your own, that one connects and sends. */
export interface NodeMediaGenOptions extends MediaGenOptions, ConnectOptions {}

/**
 * Creates a client that sends by node:http: it knows whether a request left, and streams uploads from disk.
 *
 * @throws {@link InvalidRequestError} there is no usable base URL
 */
export function createMediaGen(options: NodeMediaGenOptions = {}): MediaGen {
  // Bun and Deno imitate node:http; their own fetch is what they stand for.
  const imitated = "Deno" in globalThis || "bun" in process.versions;
  if (options.fetch || imitated) return createWebClient(options);
  return createClient(options, transportOf(options), get);
}

/** Loads node:http at the first request: it takes longer than all else together. */
function transportOf(options: NodeMediaGenOptions): Transport {
  let transport: Promise<Transport> | undefined;
  return async (request, exchange) => {
    transport ??= import("./transport.ts").then(({ nodeTransport }) => nodeTransport(options));
    return (await transport)(request, exchange);
  };
}

const get: ResultGet = async (url, init) => {
  const { nodeGet } = await import("./get.ts");
  return nodeGet(url, init);
};
