import { createServer as createPlain, type Server, type Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import { portOf } from "../serve.ts";
import type { Certificate } from "./certificate.ts";

/** What a server does wrong, and when. */
export interface Fault {
  /** Whether nobody listens at its port. */
  readonly isClosed?: boolean;
  /** With a certificate the server speaks TLS. */
  readonly certificate?: Certificate;
  /** As soon as there is a connection, before TLS and before a byte is read. */
  readonly onConnection?: (socket: Socket, server: RawServer) => void;
  /** As soon as a request's head and half of its body have come. */
  readonly onHalf?: (socket: Socket, server: RawServer) => void;
  /** When a complete request has come, the first or a later one of its connection. */
  readonly onRequest?: (socket: Socket, server: RawServer, nth: number, head: string) => void;
}

/** A server that speaks HTTP by hand and counts by itself what it has seen. */
export interface RawServer {
  readonly baseUrl: string;
  /** The base URL of a server of another origin. */
  readonly elsewhere: string;
  readonly connections: number;
  /** Heads of requests that came in completely. */
  readonly heads: number;
  /** What they held, one after the other. */
  readonly headText: string;
  /** Bodies that came in completely. */
  readonly bodies: number;
  /** Connections that are still open. */
  readonly open: number;
  /**
   * Says that the server will do nothing more on a connection, so that the limits of the client
   * pass that run now, or else the next.
   */
  hang(): void;
  /** Resolves when a limit passes that ends with this signal. */
  hung(signal: AbortSignal): Promise<void>;
  /** Reads no more requests, but sees connections end. */
  release(): void;
  close(): Promise<void>;
}

/** Starts a server with a fault, on a port of its own; it may point to another. */
export async function startRawServer(fault: Fault, elsewhere = ""): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const waiting = new Set<() => void>();
  let unseenHangs = 0;
  let connections = 0;
  let heads = 0;
  let headText = "";
  let bodies = 0;
  const converse = (socket: Socket) =>
    readRequests(socket, fault, server, {
      head(head) {
        heads++;
        headText += head;
      },
      body: () => bodies++,
    });
  const listener: Server = fault.certificate
    ? createTls(fault.certificate, converse)
    : createPlain(converse);
  listener.on("tlsClientError", () => undefined); // The client's rejection of a certificate.
  const lowLevel = fault.certificate && fault.onConnection ? createPlain() : listener;
  lowLevel.on("connection", (socket: Socket) => {
    connections++;
    sockets.add(socket.on("error", () => undefined).once("close", () => sockets.delete(socket)));
    fault.onConnection?.(socket, server);
  });
  const port = await portOf(lowLevel, "localhost");
  if (fault.isClosed) await new Promise((resolve) => lowLevel.close(resolve));
  const server: RawServer = {
    baseUrl: `${fault.certificate ? "https" : "http"}://localhost:${port}`,
    elsewhere,
    get connections() {
      return connections;
    },
    get heads() {
      return heads;
    },
    get headText() {
      return headText;
    },
    get bodies() {
      return bodies;
    },
    get open() {
      return sockets.size;
    },
    hang() {
      if (waiting.size === 0) unseenHangs++;
      for (const pass of waiting) pass();
      waiting.clear();
    },
    hung: (signal) =>
      new Promise((resolve) => {
        if (unseenHangs > 0) return resolve(void unseenHangs--);
        waiting.add(resolve);
        signal.addEventListener("abort", () => waiting.delete(resolve));
      }),
    release() {
      for (const socket of sockets) socket.removeAllListeners("data").resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      if (lowLevel.listening) await new Promise((resolve) => lowLevel.close(resolve));
    },
  };
  return server;
}

function readRequests(
  socket: Socket,
  { onHalf, onRequest }: Fault,
  server: RawServer,
  count: { head(head: string): void; body(): void },
): void {
  let nth = 0;
  let text = "";
  /** The request whose body is being read: its head, and how many bytes are still to come. */
  let current:
    | { readonly head: string; readonly length: number; left: number; halfSeen: boolean }
    | undefined;
  socket.on("error", () => undefined);
  socket.on("data", (bytes: Buffer) => {
    // Only heads are kept as text: a body is counted.
    let rest = bytes;
    while (rest.length > 0) {
      if (!current) {
        const before = text.length;
        text += rest.toString("latin1");
        const end = text.indexOf("\r\n\r\n") + 4;
        if (end < 4) return;
        const head = text.slice(0, end);
        count.head(head);
        const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
        current = { head, length, left: length, halfSeen: false };
        rest = rest.subarray(end - before);
        text = "";
      }
      const taken = Math.min(rest.length, current.left);
      current.left -= taken;
      rest = rest.subarray(taken);
      const { head, length, left } = current;
      if (!current.halfSeen && left <= length / 2) {
        current.halfSeen = true;
        onHalf?.(socket, server);
      }
      if (left > 0) return;
      if (length > 0) count.body();
      current = undefined;
      onRequest?.(socket, server, ++nth, head);
    }
  });
}
