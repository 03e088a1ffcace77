import { createClient, type MediaGen } from "./client.ts";
import type { MediaGenOptions } from "./options.ts";
import { nodeTransport, type ConnectOptions } from "./node-transport.ts";
import { webGet } from "./result.ts";
import { webTransport } from "./transport.ts";

export * from "./index.ts";
export { download, type Download, type DownloadOptions } from "./download.ts";
export { fileFrom, type FileFromOptions } from "./file-from.ts";
export { fileJournal, type FileJournal } from "./file-journal.ts";
export type { ConnectOptions } from "./node-transport.ts";

/** How to create a client in Node; with a `fetch` of your own, that one connects and sends. */
export interface NodeMediaGenOptions extends MediaGenOptions, ConnectOptions {}

/**
 * Creates a client that sends by node:http: it knows whether a request left, and streams uploads from disk.
 *
 * @throws {@link InvalidRequestError} there is no usable base URL
 */
export function createMediaGen(options: NodeMediaGenOptions = {}): MediaGen {
  const fetch = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  // Bun and Deno imitate node:http; their own fetch is what they stand for.
  const imitated = "Deno" in globalThis || "bun" in process.versions;
  return createClient(options, options.fetch || imitated ? webTransport(fetch) : nodeTransport(options), webGet(fetch));
}
