import { createServer as createHttp, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createHttps, type ServerOptions } from "node:https";
import { connect, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { createMediaGen, type MediaGen, type NodeMediaGenOptions } from "@mediagen/sdk/node";
import type { Certificate } from "../faults/certificate.ts";
import { portOf } from "../serve.ts";

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
  /** The names that its clients wanted to connect to, in order. */
  readonly targets: readonly (string | undefined)[];
  /** What these requests had for it. */
  readonly credentials: readonly (string | undefined)[];
  /** Connections that are still open. */
  readonly open: number;
}

/** Starts a proxy on a port of its own. */
export async function startProxy({
  certificate,
  onConnect,
  onData,
}: ProxyBehavior = {}): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const requests: IncomingMessage[] = [];
  const server = certificate ? createHttps(certificate) : createHttp();
  server.on("tlsClientError", () => undefined);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket.on("error", () => undefined).once("close", () => sockets.delete(socket)));
  });
  const serve = (request: IncomingMessage, socket: Socket) => {
    requests.push(request);
    // Below TLS, if the proxy speaks it.
    const reset = () =>
      [...sockets].find(({ remotePort }) => remotePort === socket.remotePort)?.resetAndDestroy();
    if (onConnect) return onConnect(socket, reset);
    const target = connect({ host: "localhost", port: Number(request.url?.split(":")[1]) }, () =>
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n"),
    );
    const end = () => [socket, target].forEach((one) => one.destroy());
    for (const one of [socket, target]) one.on("error", end).once("close", end);
    if (onData) socket.once("data", () => onData(socket)).once("end", end);
    else socket.pipe(target).pipe(socket);
  };
  server.on("connect", serve);
  // A request for an http URL.
  server.on("request", (request) => serve(request, request.socket));
  const port = await portOf(server, "localhost");
  return {
    url: `${certificate ? "https" : "http"}://localhost:${port}`,
    get targets() {
      return requests.map(({ url }) => url?.split(":")[0]);
    },
    get credentials() {
      return requests.map(({ headers }) => headers["proxy-authorization"]);
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
  /** Whether the TLS session of each connection was resumed. */
  readonly resumed: readonly boolean[];
}

/** Starts a service whose results are at this URL, with its own port instead of `PORT`. */
export async function startService(
  resultUrl: string,
  result: Buffer,
  options?: ServerOptions,
): Promise<Service> {
  const requests: string[] = [];
  const clients: string[] = [];
  const resumed: boolean[] = [];
  const respond: RequestListener = (request, response) => {
    let bytes = 0;
    request.on("data", (piece: Buffer) => (bytes += piece.length));
    request.once("end", () => {
      requests.push(`${request.method} ${request.url} ${bytes}`);
      const { socket } = request;
      clients.push(
        String((socket instanceof TLSSocket && socket.getPeerCertificate().subject?.CN) || "none"),
      );
      const url = [resultUrl.replace("PORT", String(port))];
      const record = JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url } });
      response.end(request.method === "GET" ? result : record);
    });
  };
  const server = options ? createHttps(options, respond) : createHttp(respond);
  server.on("secureConnection", (socket: TLSSocket) => void resumed.push(socket.isSessionReused()));
  const port = await portOf(server, "localhost");
  return {
    port,
    requests,
    clients,
    resumed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client of a service at `media.example.com`. */
export function clientAt(
  { port }: Pick<Service, "port">,
  options: NodeMediaGenOptions = {},
): MediaGen {
  const baseUrl = `https://media.example.com:${port}`;
  return createMediaGen({
    baseUrl,
    apiKey: "key",
    retries: 2,
    clock: { random: () => 0 },
    ...options,
  });
}
