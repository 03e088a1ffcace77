import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { Emulator } from "../service/emulator-types.ts";
import type { EmulatorRequest, EmulatorResponse } from "../service/exchange.ts";
import { emulatorPath } from "../service/paths.ts";
import { isReset } from "./error-code.ts";
import { readUrls, type RequestUrls } from "./request-urls.ts";

/** The largest request that takes the short path, in bytes. */
const largest = 64 * 1024;
/** Maximum number of cached URLs. */
const urlsKept = 1_000;

/**
 * Headers that do not change how a request is parsed. If a request has another header, a repeated one, or an unusual
 * spelling, node:http parses it.
 */
const plainHeaders = new Set(
  (
    "host authorization content-type content-length accept accept-encoding accept-language user-agent sec-fetch-mode origin referer " +
    "idempotency-key x-request-id traceparent tracestate cache-control pragma priority"
  ).split(" "),
);

/** Dependencies of `Connection`. */
interface Service {
  readonly emulator: Pick<Emulator, "serve">;
  readonly urls: Map<string, RequestUrls | undefined>;
  /** The reason phrases of HTTP statuses. */
  readonly names: Readonly<Record<number, string | undefined>>;
  /** Hands a connection over to node:http for good. */
  handOver(socket: Socket, read: Buffer): void;
}

/**
 * Serves plain requests to operations without the parser and streams of node:http, which take longer than the emulator
 * itself. node:http serves all other requests.
 *
 * @returns A function that closes the connections that node:http has not received.
 */
export function takeShortPath(server: Server, emulator: Pick<Emulator, "serve">): () => void {
  const own = new Set<Socket>();
  // The cast: node:http handles connections with this listener.
  const [listener] = server.listeners("connection") as [(this: Server, socket: Socket) => void];
  const service: Service = {
    emulator,
    urls: new Map(),
    // An import statement would also run the getters of node:http, which load all of fetch.
    names: process.getBuiltinModule("node:http").STATUS_CODES,
    handOver(socket, read) {
      own.delete(socket);
      socket.unshift(read);
      listener.call(server, socket);
    },
  };
  server.removeListener("connection", listener).on("connection", (socket: Socket) => {
    own.add(socket);
    socket.once("close", () => own.delete(socket));
    new Connection(socket, service, server.keepAliveTimeout).start();
  });
  return () => {
    for (const socket of own) socket.destroy();
  };
}

/** A parsed request. */
interface PlainRequest {
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A connection whose requests have all been plain so far. */
class Connection {
  readonly #socket: Socket;
  readonly #service: Service;
  readonly #seconds: number;
  /** Whether a request is being served. */
  #isBusy = false;
  /** The bytes that have arrived during it. */
  #waiting: Buffer | undefined;

  constructor(socket: Socket, service: Service, idleMs: number) {
    this.#socket = socket;
    this.#service = service;
    this.#seconds = Math.floor(idleMs / 1_000);
  }

  start(): void {
    this.#socket.setNoDelay(true).setTimeout((this.#seconds + 1) * 1_000);
    this.#socket.on("timeout", this.#idle).on("error", this.#end).on("data", this.#read);
  }

  readonly #idle = (): unknown => this.#isBusy || this.#socket.destroy();
  readonly #end = (): unknown => this.#socket.destroy();

  #leave(): void {
    this.#socket.setTimeout(0).off("timeout", this.#idle).off("error", this.#end).off("data", this.#read);
  }

  readonly #read = (chunk: Buffer): void => {
    if (this.#isBusy) {
      this.#waiting = this.#waiting ? Buffer.concat([this.#waiting, chunk]) : chunk;
      this.#socket.pause();
      return;
    }
    const request = readPlain(chunk);
    const urls = request && this.#urlsOf(request);
    if (!urls) {
      this.#leave();
      return this.#service.handOver(this.#socket, chunk);
    }
    this.#isBusy = true;
    void this.#serve(request, urls);
  };

  #urlsOf({ path, headers }: PlainRequest): RequestUrls | undefined {
    const host = headers.get("host");
    if (host === undefined) return undefined;
    const { urls } = this.#service;
    const key = `${host} ${path}`;
    if (!urls.has(key)) {
      if (urls.size >= urlsKept) urls.clear();
      // The cast: without X-Forwarded headers, only these properties are read.
      urls.set(key, readUrls({ url: path, headers: { host } } as IncomingMessage, undefined));
    }
    return urls.get(key);
  }

  async #serve({ headers, body }: PlainRequest, { url, baseUrl }: RequestUrls): Promise<void> {
    const socket = this.#socket;
    const request: EmulatorRequest = {
      method: "POST",
      url,
      baseUrl,
      get signal() {
        const gone = new AbortController();
        if (socket.destroyed) gone.abort();
        else socket.once("close", () => gone.abort());
        return gone.signal;
      },
      header: (name) => headers.get(name) ?? null,
      bytes: async (limit) => (body.length > limit ? undefined : body),
    };
    try {
      await this.#write(await this.#service.emulator.serve(request));
    } catch (error) {
      // Ignored: faults that reset the connection, and clients that disconnect. Anything else is a bug.
      if (!isReset(error) && !socket.destroyed) console.error(error);
      socket.destroy();
    }
    this.#isBusy = false;
    const waiting = this.#waiting;
    if (!waiting || socket.destroyed) return;
    this.#waiting = undefined;
    this.#read(waiting);
    socket.resume();
  }

  async #write({ status, headers, body }: EmulatorResponse): Promise<void> {
    const socket = this.#socket;
    let head = `HTTP/1.1 ${status} ${this.#service.names[status] ?? "unknown"}\r\n`;
    for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
    if (headers["content-length"] === undefined) head += `content-length: ${lengthOf(body) ?? 0}\r\n`;
    head += `Date: ${dateNow()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${this.#seconds}\r\n\r\n`;
    if (!(body instanceof ReadableStream)) {
      if (typeof body === "string") socket.write(head + body);
      else socket.write(body ? Buffer.concat([Buffer.from(head, "latin1"), body]) : head);
      return;
    }
    socket.write(head);
    // The cast: the types of DOM and Node for the same stream class differ.
    for await (const piece of body as unknown as AsyncIterable<Uint8Array>) {
      if (socket.destroyed) return;
      socket.write(piece);
    }
  }
}

/** Returns the length of a body in bytes; undefined if there is no body or it is a stream. */
export function lengthOf(body: EmulatorResponse["body"]): number | undefined {
  return typeof body === "string" ? Buffer.byteLength(body) : body instanceof Uint8Array ? body.length : undefined;
}

let [second, date] = [0, ""];

function dateNow(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) [second, date] = [now, new Date(now * 1_000).toUTCString()];
  return date;
}

const headEnd = Buffer.from("\r\n\r\n");

/** Parses a chunk that is exactly one complete plain request. Returns undefined for any other chunk. */
function readPlain(chunk: Buffer): PlainRequest | undefined {
  // "POST /"
  if (chunk[0] !== 80 || chunk.length > largest) return undefined;
  const end = chunk.indexOf(headEnd);
  if (end < 0) return undefined;
  const [first = "", ...lines] = chunk.toString("latin1", 0, end).split("\r\n");
  const [, path] = /^POST (\/[A-Za-z0-9][A-Za-z0-9/_-]*) HTTP\/1\.1$/.exec(first) ?? [];
  if (path === undefined || `${path}/`.startsWith(emulatorPath)) return undefined;
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(": ");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 2);
    const isKeepAlive = name === "connection" && /^keep-alive$/i.test(value);
    if (colon < 0 || !(plainHeaders.has(name) || isKeepAlive) || headers.has(name)) return undefined;
    if (!/^[!-~](?:[ -~]*[!-~])?$/.test(value)) return undefined;
    headers.set(name, value);
  }
  const length = headers.get("content-length") ?? "";
  const start = end + headEnd.length;
  if (!/^\d{1,5}$/.test(length) || chunk.length !== start + Number(length)) return undefined;
  return { path, headers, body: new Uint8Array(chunk.buffer as ArrayBuffer, chunk.byteOffset + start, Number(length)) };
}
