import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Emulator } from "../service/emulator-types.ts";
import type { EmulatorResponse } from "../service/exchange.ts";
import { isEmulatorPath, resultsPath } from "../service/paths.ts";
import { isReset } from "./error-code.ts";
import { readPublicUrl, readUrls } from "./request-urls.ts";

/** The options of `listen`. */
export interface ListenOptions {
  /**
   * The port to listen on; 0 is any free one.
   * @default 0
   */
  readonly port?: number | undefined;
  /**
   * The address to listen on. Other machines can connect unless it is a loopback address.
   * @default "127.0.0.1"
   */
  readonly host?: string | undefined;
  /**
   * The base URL under which clients reach the server, such as that of a proxy; its path may be
   * removed or passed on. The URLs of results begin with it, and its host may use the page and the
   * control API, which other names may not.
   * @default what the headers X-Forwarded-Proto, -Host and -Prefix say, or else the Host header
   */
  readonly publicUrl?: string | undefined;
}

/** An emulator that listens on a port. */
export interface EmulatorServer {
  /** The base URL for clients on this machine. */
  readonly baseUrl: string;
  /**
   * Closes every connection and resolves when the port is free.
   *
   * @example
   * const server = await listen(emulator);
   * await server.close();
   */
  close(): Promise<void>;
}

/**
 * Serves an emulator over HTTP.
 *
 * @returns The server, which runs until you close it.
 * @throws An `Error` if the port is in use, or `publicUrl` is not valid
 * @example const { baseUrl, close } = await listen(createEmulator(), { port: 4020 });
 */
export async function listen(
  emulator: Emulator,
  options: ListenOptions = {},
): Promise<EmulatorServer> {
  const { port = 0, host = "127.0.0.1", publicUrl } = options;
  const url = publicUrl === undefined ? undefined : readPublicUrl(publicUrl);
  // An import statement would also run the getters of node:http, which load all of fetch.
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer(
    (incoming, outgoing) => void respond(emulator, url, incoming, outgoing),
  );
  // If an idle connection were closed early, a client could send on it. The reset would look like a
  // lost response.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) =>
    server.once("error", reject).listen(port, host, resolve),
  );
  const { port: bound, family, address } = server.address() as AddressInfo;
  return {
    baseUrl: `http://${hostOf(address, family)}:${bound}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Returns the host for URLs of an address that the server listens on. A wildcard address is not a
 * valid host.
 */
function hostOf(address: string, family: string): string {
  if (address === "0.0.0.0" || address === "::") return "127.0.0.1";
  return family === "IPv6" ? `[${address}]` : address;
}

async function respond(
  emulator: Emulator,
  publicUrl: URL | undefined,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  let gone: AbortController | undefined;
  outgoing.once("close", () => gone?.abort());
  try {
    const urls = readUrls(incoming, publicUrl);
    if (!urls)
      return reject(outgoing, "the URL, the Host header or an X-Forwarded header is not valid");
    const { url, baseUrl, isOwnHost } = urls;
    // A page whose host name resolves to this machine would have the origin of the emulator's own
    // page. Everything else may be read by pages of any origin anyway.
    if (!isOwnHost && isEmulatorPath(url.pathname) && !url.pathname.startsWith(resultsPath)) {
      return reject(
        outgoing,
        "this host name may not use the emulator's page and control API. Use localhost or an IP address, or start the emulator with --public-url and a URL with this name",
      );
    }
    const { status, headers, body } = await emulator.serve({
      method: incoming.method ?? "GET",
      url,
      baseUrl,
      // Created on first use, because that takes longer than most requests.
      get signal() {
        gone ??= new AbortController();
        if (outgoing.destroyed) gone.abort();
        return gone.signal;
      },
      header: (name) => incoming.headers[name]?.toString() ?? null,
      bytes: (limit) => readAll(incoming, limit),
    });
    const length = lengthOf(body, status, incoming.method);
    outgoing.writeHead(
      status,
      length === undefined ? headers : { ...headers, "content-length": length },
    );
    // The cast: the types of DOM and Node for the same stream class differ.
    if (body instanceof ReadableStream)
      await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), outgoing);
    else outgoing.end(body);
    // Otherwise the unread rest of the body would be parsed as the next request.
    if (!incoming.complete) drain(incoming);
  } catch (error) {
    // Ignored: faults that reset the connection, and clients that disconnect. Anything else is a
    // bug.
    if (!isReset(error) && !outgoing.destroyed) console.error(error);
    outgoing.destroy();
  }
}

/** Returns the length of a response's body, if it has one that is known before it is sent. */
function lengthOf(
  body: EmulatorResponse["body"],
  status: number,
  method: string | undefined,
): number | undefined {
  if (body instanceof ReadableStream) return undefined;
  if (body !== null) return Buffer.byteLength(body);
  const hasNone = method === "HEAD" || status === 204 || status === 304;
  return hasNone ? undefined : 0;
}

/** Maximum size of an unread body that is received, so that its connection can be reused. */
const drainedAtMost = 1024 * 1024;

function drain(incoming: IncomingMessage): void {
  let left = drainedAtMost;
  incoming.on("data", (chunk: Buffer) => void ((left -= chunk.length) < 0 && incoming.destroy()));
}

function reject(outgoing: ServerResponse, why: string): void {
  outgoing
    .writeHead(400, { "x-emulator": "1", "content-type": "text/plain", connection: "close" })
    .end(`${why}\n`);
}

function readAll(
  incoming: IncomingMessage,
  limit: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    incoming.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else resolve(undefined);
    });
    incoming.once("end", () => resolve(Buffer.concat(chunks)));
    incoming.once("close", () =>
      reject(Object.assign(new Error("the client disconnected"), { code: "ECONNRESET" })),
    );
    incoming.once("error", reject);
  });
}
