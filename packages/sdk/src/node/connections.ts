import type { Agent, ClientRequest, RequestOptions } from "node:http";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type ConnectionOptions, type SecureContext } from "node:tls";
import { longestDelayMs } from "../time/clock.ts";
import type { ConnectOptions, Lookup, LookupAddress } from "./connect-options.ts";
import { type HttpModules, moduleFor } from "./http-modules.ts";
import { proxyFor } from "./http-proxy.ts";
import { secureContextOf } from "./secure-context.ts";
import type { Tunnel } from "./tunnel.ts";

/** Options for the connections of a client. */
export interface PoolOptions extends ConnectOptions {
  /** The maximum number of polls in flight. They get sockets of their own, so that polls that hang hold up no other call. */
  readonly polls?: number | undefined;
}

/** Sockets of queries and deletions that may be open at once, besides those of polls. */
const poolSize = 64;
/** The idle timeout of a socket: shorter than that of servers, so that few sockets are found closed when reused. */
const idleMs = 4_000;
/** The timeout of one address of several, before the next is tried. Node's own 250 ms are too short for distant servers. */
const addressTimeoutMs = 1_000;

/** The connections of one transport: a pool for each origin, and single ones. */
export class Connections {
  readonly #modules: HttpModules;
  readonly #options: PoolOptions;
  readonly #timeoutMs: number;
  /** The TLS contexts of connections to the service and to other hosts, which receive no client certificate. */
  readonly #contexts: { readonly service: SecureContext | undefined; readonly others: SecureContext | undefined };
  /** Own sockets whose connection is not established yet: no byte may leave. */
  readonly #connecting = new WeakSet<Duplex>();
  readonly #pools = new Map<string, Agent>();

  /** @throws An {@link InvalidRequestError} if the certificates of the options cannot be used */
  constructor(modules: HttpModules, options: PoolOptions) {
    const { connectTimeoutMs = 10_000, tls } = options;
    this.#modules = modules;
    this.#options = options;
    this.#timeoutMs = Math.min(connectTimeoutMs, longestDelayMs);
    this.#contexts = { service: secureContextOf(tls), others: secureContextOf({ ca: tls?.ca }) };
  }

  /** Returns the pool for a request that is not paid, once there is one for its origin. */
  pooled({ origin }: URL): { readonly agent: Agent } | undefined {
    const agent = this.#pools.get(origin);
    return agent && { agent };
  }

  /**
   * Returns the connection options of a request to the service. A paid request gets a new connection: if the server closes a pooled
   * one at that moment, this looks the same as a lost response.
   */
  async forRequest(url: URL, paid: boolean): Promise<Pick<RequestOptions, "agent" | "createConnection">> {
    const { origin } = url;
    const createConnection = await this.#opener(url, this.#contexts.service, this.#options.lookup);
    if (paid) return { createConnection };
    // Another request may have created it by now.
    const pool = this.#pools.get(origin) ?? this.#createPool(url, createConnection);
    this.#pools.set(origin, pool);
    return { agent: pool };
  }

  /**
   * Calls back once bytes may leave through the socket: its connection is established, and the certificate is known to be good.
   * Nothing is known of a socket that another library opened, so it is used at once.
   */
  whenConnected(socket: Duplex, next: () => void): void {
    if (this.#connecting.has(socket)) socket.once("established", next);
    else next();
  }

  /**
   * Calls back if a request does not get a connection in time from an agent that another library has forced on it. Own
   * connections have timeouts of their own, and a request may wait for one of the pool for longer.
   *
   * @returns a function that stops the timeout
   */
  limit(request: ClientRequest, url: URL, onTimeout: (error: Error) => void): () => void {
    const agent = "agent" in request ? request.agent : undefined;
    if (agent === undefined || agent === this.#pools.get(url.origin)) return () => undefined;
    const stop = this.#startTimeout(onTimeout);
    request.once("socket", (socket) => (socket.connecting ? socket.once("connect", stop) : stop())).once("close", stop);
    return stop;
  }

  /**
   * Returns the connection options of a request for a result: a new connection, because a pooled one may have been resolved by a
   * request that allows private hosts.
   *
   * @param home the origin of the service, which alone receives the client certificate
   */
  async forResult(
    url: URL,
    home: string | undefined,
    lookup: Lookup | undefined,
  ): Promise<Pick<RequestOptions, "createConnection">> {
    const context = url.origin === home ? this.#contexts.service : this.#contexts.others;
    return { createConnection: await this.#opener(url, context, lookup) };
  }

  /**
   * Returns a function that opens connections to a URL's origin, directly or through the proxy for it.
   *
   * @throws An {@link InvalidRequestError} if the environment names a proxy that cannot be used
   */
  async #opener(url: URL, context: SecureContext | undefined, lookup: Lookup | undefined): Promise<() => Duplex> {
    const direct = () => this.#establish(url, openSocket(url, context, lookup));
    const proxy = proxyFor(url, this.#options.proxy, process.env);
    if (!proxy) return direct;
    const { Tunnel } = await import("./tunnel.ts");
    return () => {
      const socket = openSocket(proxy.url, this.#contexts.others, this.#options.lookup);
      if (isIntercepted(socket)) {
        socket.destroy();
        return direct();
      }
      const tunnel = new Tunnel(socket, url, proxy);
      const through = ` through ${proxy.url.origin}`;
      return this.#establish(url, isSecure(url) ? secure(tunnel, url, context) : tunnel, through);
    };
  }

  /** Returns a pool. It does not keep the process alive: an Agent unrefs its idle sockets. */
  #createPool(url: URL, createConnection: () => Duplex): Agent {
    const { Agent } = moduleFor(url, this.#modules);
    const maxSockets = poolSize + (this.#options.polls ?? 0);
    const pool = new Agent({ keepAlive: true, maxSockets, timeout: idleMs, scheduling: "lifo" });
    // A pool has one origin, so all its sockets share one name. Node's own takes long to compute.
    return Object.assign(pool, { createConnection, getName: () => "" });
  }

  /** Watches over a socket until its connection is established. */
  #establish<S extends Duplex>(url: URL, socket: S, through = ""): S {
    this.#connecting.add(socket);
    const stop = this.#startTimeout((error) => socket.destroy(error), through);
    socket.once("close", stop);
    socket.once(isSecure(url) ? "secureConnect" : "connect", () => {
      stop();
      this.#connecting.delete(socket);
      socket.emit("established");
    });
    return socket;
  }

  #startTimeout(onTimeout: (error: Error) => void, through = ""): () => void {
    const timeout = () => onTimeout(new Error(`no connection${through} within ${this.#timeoutMs} ms`));
    const timer = setTimeout(timeout, this.#timeoutMs);
    return () => clearTimeout(timer);
  }
}

function isSecure({ protocol }: URL): boolean {
  return protocol === "https:";
}

/** Returns a lookup that calls back with a list if one is requested: the caller's lookup may return a single address. */
export function listing(lookup: Lookup): Lookup {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, found: string | LookupAddress[] = [], family) =>
      options.all && typeof found === "string" && !error
        ? callback(error, [{ address: found, family: isIP(found) }])
        : callback(error, found, family),
    );
}

/** Opens a connection to a URL's host itself. */
function openSocket(url: URL, context: SecureContext | undefined, lookup: Lookup | undefined): Socket {
  const to = {
    host: hostOf(url),
    port: Number(url.port || (isSecure(url) ? 443 : 80)),
    noDelay: true,
    autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    ...(lookup && { lookup: listing(lookup) }),
  };
  return isSecure(url) ? connectTls({ ...to, ...tlsOptions(url, context) }) : connectPlain(to);
}

/**
 * Returns whether a library such as MSW or nock intercepts a socket: it has then replaced the socket's own functions. It would not see
 * requests through a tunnel, so that a test would reach the paid service.
 */
function isIntercepted(socket: Socket): boolean {
  return Object.hasOwn(socket, "connect");
}

/** Secures a tunnel for the host that it leads to. */
function secure(tunnel: Tunnel, url: URL, context: SecureContext | undefined): Socket {
  const socket = connectTls({ socket: tunnel, ...tlsOptions(url, context) });
  // Node does not pass on that an idle connection must not keep the process alive.
  const [ref, unref] = [() => (tunnel.ref(), socket), () => (tunnel.unref(), socket)];
  return Object.assign(socket, { ref, unref });
}

function tlsOptions(url: URL, context: SecureContext | undefined): ConnectionOptions {
  return {
    host: hostOf(url),
    servername: serverNameOf(url),
    ALPNProtocols: ["http/1.1"],
    ...(context && { secureContext: context }),
  };
}

/** Returns a URL's host, an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** Returns the name that a URL's certificate is for; none for an IP address. */
export function serverNameOf(url: URL): string {
  const host = hostOf(url);
  return isIP(host) ? "" : host;
}
