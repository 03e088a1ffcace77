import { once } from "node:events";
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Socket } from "node:net";
import { pipeline, type Readable } from "node:stream";
import { compressionsIn } from "../call/headers.ts";
import { UnusableError } from "../result/get.ts";
import { type Ending, onAbort } from "../time/deadline.ts";
import { type ConnectOptions, environmentProxy } from "./connect-options.ts";

// MSW, nock and OpenTelemetry replace functions of these objects. An import statement would run
// their getters, which load fetch.
const httpFor = (to: RequestOptions) =>
  process.getBuiltinModule(to.protocol === "https:" ? "node:https" : "node:http");

/** Sockets of queries and deletions that may be open at once, besides those of polls. */
const poolSize = 64;
/**
 * The idle timeout of a socket: shorter than that of servers, so that few sockets are found closed
 * when reused.
 */
const idleMs = 4_000;
/** The timeout for establishing a connection, with its tunnel and its TLS session. */
const connectMs = 10_000;
/**
 * The timeout of one address of several, before the next is tried. Node's own 250 ms are too short
 * for distant servers.
 */
const addressTimeoutMs = 1_000;

/**
 * Node's function has no name, that of MSW and nock has. They see no request in a tunnel: a test
 * would reach the paid service.
 */
export const isIntercepted = (): boolean => Socket.prototype.connect.name === "connect";

/**
 * Own agents, by what they depend on. All clients share them: a program may create a client for
 * each of its users, at few origins.
 */
const own = new Map<string, Agent>();

/**
 * Returns the agent of queries and deletions at a URL's origin, which keeps connections but not the
 * process alive. Without `polls`, it is that of a generation or a result, which opens a connection
 * for each: if the server closes a pooled one at that moment, this looks the same as a lost
 * response, and a pooled one of a result may lead into a private network.
 *
 * @param polls the maximum number of polls in flight. They get sockets of their own, so that polls
 * that hang hold up no other call
 */
export function agentFor(url: URL, { agent }: ConnectOptions, polls?: number): Agent {
  const proxy = agent || isIntercepted() ? undefined : environmentProxy(url);
  const name = [polls === undefined ? url.protocol : url.origin, proxy, polls].join(" ");
  const known = agent ?? own.get(name);
  if (known) return known;
  const maxSockets = poolSize + (polls ?? 0);
  const pool = polls !== undefined && {
    keepAlive: true,
    timeout: idleMs,
    scheduling: "lifo" as const,
    maxSockets,
  };
  // Node's timeout for opening a tunnel is that of an idle socket.
  const tunnel = proxy !== undefined && {
    timeout: connectMs,
    proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy },
  };
  const created = new (httpFor(url).Agent)({
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    ...pool,
    ...tunnel,
  });
  // A pool has one origin, so all its sockets and TLS sessions share one name. Node computes it
  // three times for a request.
  if (pool) created.getName = () => "pool";
  own.set(name, created);
  return created;
}

/** Returns a URL as options of node:http. */
export function targetOf({
  protocol,
  hostname,
  port,
  pathname,
  search,
}: URL): RequestOptions & { host: string } {
  const host = hostname.replace(/^\[|\]$/g, "");
  const target = { protocol, host, port: Number(port) || undefined, path: pathname + search };
  // A server that only speaks HTTP/2 then rejects the TLS session.
  return Object.assign(target, { ALPNProtocols: ["http/1.1"] });
}

/**
 * Resolves to what `receive` makes of the response. Until `send` is called, nothing is written, not
 * even into a buffer.
 */
export function exchange<T>(
  options: RequestOptions,
  ending: Ending,
  send: (request: ClientRequest) => Promise<void>,
  receive: (message: IncomingMessage, request: ClientRequest) => Promise<T>,
): Promise<T> {
  const request = httpFor(options).request(options);
  return new Promise((resolve, reject) => {
    let isAnswered = false;
    const end = (error: unknown) => {
      clearInterval(timer);
      reject(error);
      request.destroy();
    };
    // Once there is a response, only that counts: bytes behind a complete body are no error of it.
    const fail = (error: unknown) => void (isAnswered || end(error));
    const giveUp = () => fail(new Error(`no connection within ${connectMs / 1_000} seconds`));
    // In the queue of a full pool, only the timeout of the call counts. That also keeps the process
    // alive.
    const { requests = {} } = Object(options.agent) as Partial<Agent>;
    const isQueued = () =>
      Object.values(requests).some((queue) => queue?.includes(request as never));
    const timer =
      request.reusedSocket || isQueued() ? undefined : setInterval(giveUp, connectMs).unref();
    // Node's own option for a signal takes as long as all else here. A response that has begun may
    // be complete already: its body breaks off, and its receiver decides.
    const release = onAbort(ending, () => {
      if (isAnswered) request.destroy();
      else end(ending.reason);
    });
    const begin = () => {
      clearInterval(timer);
      return send(request);
    };
    request.on("socket", (socket) => {
      (request.reusedSocket ? begin() : connected(socket, options).then(begin)).catch(fail);
    });
    request.on("response", (message) => {
      isAnswered = true;
      receive(message, request).then(resolve, end);
    });
    request.on("error", fail);
    // As when the server switches protocols.
    request.on("close", () => {
      release();
      if (!isAnswered) end(new Error("the connection closed without a response"));
    });
  });
}

/**
 * Resolves once bytes may leave: connected, with a good certificate. Another library's socket says
 * nothing, and is used at once.
 */
async function connected(socket: Socket, { protocol }: RequestOptions): Promise<void> {
  // The cast: only TLS sockets have these. In a tunnel they are the only sign that a session is not
  // established yet.
  const { encrypted, secureConnecting } = socket as Partial<
    Record<"encrypted" | "secureConnecting", boolean>
  >;
  // If a proxy rejects a tunnel, an agent may pass on a plain socket. The key must not leave
  // through it.
  if (protocol === "https:" && !encrypted) throw new Error("the agent opened no TLS session");
  if (
    !Object.is(
      socket.constructor,
      encrypted ? process.getBuiltinModule("node:tls").TLSSocket : Socket,
    )
  )
    return;
  if (secureConnecting) await once(socket, "secureConnect");
  else if (socket.connecting) await once(socket, "connect");
}

/**
 * Returns a decoded body: some gateways compress it although the request says not to. A body that
 * is cut is an error.
 */
export function decode(message: IncomingMessage): Readable {
  const encoding = compressionsIn(message.headers["content-encoding"]).join();
  const isEmpty = message.headers["content-length"] === "0";
  if (encoding === "" || isEmpty) {
    delete message.headers["content-encoding"];
    return message;
  }
  if (!["gzip", "x-gzip", "deflate", "br"].includes(encoding))
    throw new UnusableError("is in an encoding that is not supported");
  // Loaded only here: few responses are encoded.
  const zlib = process.getBuiltinModule("node:zlib");
  const decoder = encoding === "br" ? zlib.createBrotliDecompress() : zlib.createUnzip();
  // They are not those of the decoded body.
  delete message.headers["content-encoding"];
  delete message.headers["content-length"];
  // Bytes that follow the end of the encoding are read by nobody, and so the message would not end.
  return pipeline(message, decoder, () => undefined).once("end", () => message.destroy());
}
