import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Emulator } from "./emulator.ts";

/** Where to listen. */
export interface ListenOptions {
  /**
   * The port; 0 is any free one.
   * @default 0
   */
  readonly port?: number | undefined;
  /**
   * The address to listen on. Anything but the loopback lets other machines in.
   * @default "127.0.0.1"
   */
  readonly host?: string | undefined;
}

/** An emulator behind a port. */
export interface EmulatorServer {
  /** What clients take as base URL. */
  readonly baseUrl: string;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

/** Serves an emulator over HTTP. */
export async function listen(emulator: Emulator, { port = 0, host = "127.0.0.1" }: ListenOptions = {}): Promise<EmulatorServer> {
  const server = createServer((incoming, outgoing) => void answer(emulator, incoming, outgoing));
  // Time enough for a client to send on a connection that was idle: a reset there looks like a lost answer.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  const { port: bound, family, address } = server.address() as AddressInfo;
  return {
    baseUrl: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(emulator: Emulator, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  try {
    const response = await emulator.fetch(requestOf(incoming, gone.signal));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    // The cast: DOM's and Node's types of one and the same stream class differ.
    const body = response.body && Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    if (body) await pipeline(body, outgoing);
    else outgoing.end();
    // What is left of a body that was refused unread would be taken for the next request.
    if (!incoming.readableEnded) incoming.resume();
  } catch (error) {
    // A fault that resets, or a client that left; anything else is a bug and must be seen.
    if (!isReset(error) && !gone.signal.aborted) console.error(error);
    outgoing.destroy();
  }
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (let i = 0; i < incoming.rawHeaders.length; i += 2) headers.append(incoming.rawHeaders[i] ?? "", incoming.rawHeaders[i + 1] ?? "");
  const { method = "GET", url = "/" } = incoming;
  const address = new URL(url.startsWith("/") ? url : "/", `http://${headers.get("host") ?? "localhost"}`);
  if (method === "GET" || method === "HEAD") return new Request(address, { method, headers, signal });
  // Node asks for `duplex` with a stream, which the DOM's types do not know.
  const init = { method, headers, signal, body: Readable.toWeb(incoming), duplex: "half" };
  return new Request(address, init as RequestInit);
}

function isReset(error: unknown): boolean {
  return error instanceof Error && [error, error.cause].some((one) => one instanceof Error && "code" in one && one.code === "ECONNRESET");
}
