import { once } from "node:events";
import { createServer as createHttp, type RequestListener, type Server as HttpServer } from "node:http";
import { createServer as createHttps, type ServerOptions } from "node:https";
import { type AddressInfo, connect, createServer as createPlain, type Server, type Socket } from "node:net";
import { createServer as createTls, TLSSocket } from "node:tls";
import { createMediaGen, type MediaGen, type NodeMediaGenOptions } from "@mediagen/sdk/node";
import type { Certificate } from "../faults/certificate.ts";

/** How a proxy behaves. */
export interface ProxyBehavior {
  /** With a certificate it is an https proxy. */
  readonly certificate?: Certificate;
  /** What it does instead of opening a tunnel. */
  readonly onConnect?: (socket: Socket, reset: () => void) => void;
  /** What happens to an open tunnel as soon as the client sends something through it. */
  readonly onData?: (socket: Socket) => void;
}

/** A proxy that opens tunnels. It resolves every name to this machine. */
export interface Proxy extends AsyncDisposable {
  /** Its URL, with the name `localhost`. */
  readonly url: string;
  /** The heads of the requests that it received, in order. */
  readonly heads: readonly string[];
  /** The names that these wanted to connect to. */
  readonly targets: readonly (string | undefined)[];
  /** Connections that are still open. */
  readonly open: number;
}

/** Starts a proxy on a port of its own. */
export async function startProxy({ certificate, onConnect, onData }: ProxyBehavior = {}): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const heads: string[] = [];
  const converse = (socket: Socket) => {
    let head = "";
    const read = (bytes: Buffer) => {
      head += bytes.toString("latin1");
      if (!/^[CGP]/.test(head)) return socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
      if (!head.includes("\r\n\r\n")) return;
      heads.push(head);
      socket.off("data", read);
      const port = /^CONNECT \S+:(\d+) HTTP\/1\.1\r\n/.exec(head)?.[1];
      // Below TLS, if the proxy speaks it.
      const reset = () => [...sockets].find(({ remotePort }) => remotePort === socket.remotePort)?.resetAndDestroy();
      if (onConnect) return onConnect(socket, reset);
      if (port === undefined) return socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
      const target = connect({ host: "localhost", port: Number(port) }, () =>
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n"),
      );
      for (const [one, other] of [
        [socket, target],
        [target, socket],
      ] as const)
        one.on("error", () => other.destroy()).once("close", () => other.destroy());
      if (onData) socket.once("data", () => onData(socket));
      else socket.pipe(target).pipe(socket);
    };
    socket.on("data", read);
  };
  const server: Server = certificate ? createTls(certificate, converse) : createPlain(converse);
  server.on("tlsClientError", () => undefined);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("error", () => undefined).once("close", () => sockets.delete(socket)));
  });
  const port = await listen(server);
  return {
    url: `${certificate ? "https" : "http"}://localhost:${port}`,
    heads,
    get targets() {
      return heads.map((head) => /^CONNECT (\S+):\d+ HTTP/.exec(head)?.[1]);
    },
    get open() {
      return sockets.size;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A service with one result for each task. */
export interface Service extends AsyncDisposable {
  readonly port: number;
  /** The requests that it received, in order: the method, the path and the size of the body. */
  readonly requests: readonly string[];
  /** The name in the client certificate of each request, or `none`. */
  readonly clients: readonly string[];
}

/** Starts a service whose results are at this URL, with its own port instead of `PORT`. */
export async function startService(resultUrl: string, result: Buffer, options?: ServerOptions): Promise<Service> {
  const requests: string[] = [];
  const clients: string[] = [];
  const respond: RequestListener = (request, response) => {
    let bytes = 0;
    request.on("data", (piece: Buffer) => (bytes += piece.length));
    request.once("end", () => {
      requests.push(`${request.method} ${request.url} ${bytes}`);
      const { socket } = request;
      clients.push(String((socket instanceof TLSSocket && socket.getPeerCertificate().subject?.CN) || "none"));
      const url = [resultUrl.replace("PORT", String(port))];
      const record = JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url } });
      response.end(request.method === "GET" ? result : record);
    });
  };
  const server: HttpServer = options ? createHttps(options, respond) : createHttp(respond);
  const port = await listen(server);
  return {
    port,
    requests,
    clients,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client of a service at `media.example.com`. */
export function clientAt({ port }: Pick<Service, "port">, options: NodeMediaGenOptions = {}): MediaGen {
  const baseUrl = `https://media.example.com:${port}`;
  return createMediaGen({ baseUrl, apiKey: "key", retries: 2, clock: { random: () => 0 }, ...options });
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "localhost");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
