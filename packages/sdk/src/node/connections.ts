import type { Agent, ClientRequest } from "node:http";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { longestDelayMs } from "../time/clock.ts";
import { type HttpModules, moduleFor } from "./http-modules.ts";

/** How `@mediagen/sdk/node` connects. */
export interface ConnectOptions {
  /**
   * How long it may take until a connection is established, TLS included, in milliseconds. Nothing has been sent by then.
   * @default 10_000
   */
  readonly connectTimeoutMs?: number | undefined;
}

/** What the connections of a client are for. */
export interface PoolOptions extends ConnectOptions {
  /** How many polls may be in flight. They get sockets of their own, so that polls that hang hold up no other call. */
  readonly polls?: number | undefined;
}

/** Sockets of queries and deletions that may be open at once, besides those of polls. */
const poolSize = 64;
/** How long one of them may idle: shorter than servers keep theirs open, so that few are found closed when used again. */
const idleMs = 4_000;
/** How long an address of several may take before the next is tried; Node's own 250 ms are too short for far away places. */
const addressTimeoutMs = 1_000;

/** The connections of one transport: a pool for each origin, and single ones. */
export class Connections {
  readonly #modules: HttpModules;
  readonly #timeoutMs: number;
  readonly #maxSockets: number;
  /** Own sockets whose connection is not established yet: no byte may leave. */
  readonly #connecting = new WeakSet<Socket>();
  readonly #pools = new Map<string, Agent>();

  constructor(modules: HttpModules, { connectTimeoutMs = 10_000, polls = 0 }: PoolOptions) {
    this.#modules = modules;
    this.#timeoutMs = Math.min(connectTimeoutMs, longestDelayMs);
    this.#maxSockets = poolSize + polls;
  }

  /** Whether there is a pool for the URL's origin. */
  has(url: URL): boolean {
    return this.#pools.has(url.origin);
  }

  /** Returns the pool for the URL's origin. It does not keep the process alive: an Agent unrefs its idle sockets. */
  pool(url: URL): Agent {
    let pool = this.#pools.get(url.origin);
    if (!pool) {
      const { Agent } = moduleFor(url, this.#modules);
      pool = new Agent({ keepAlive: true, maxSockets: this.#maxSockets, timeout: idleMs, scheduling: "lifo" });
      pool.createConnection = () => this.connect(url);
      this.#pools.set(url.origin, pool);
    }
    return pool;
  }

  /**
   * Calls back once bytes may leave through the socket: its connection is established, and the certificate is known to be good.
   * Nothing is known of a socket that another library opened, so it is used at once.
   */
  whenConnected(socket: Socket, next: () => void): void {
    if (this.#connecting.has(socket)) socket.once("established", next);
    else next();
  }

  /**
   * Calls back if a request does not get a connection in time from an agent that another library has forced on it. Own
   * connections have timeouts of their own, and a request may wait for one of the pool for longer.
   *
   * @returns what stops that
   */
  limit(request: ClientRequest, url: URL, onTimeout: (error: Error) => void): () => void {
    const agent = "agent" in request ? request.agent : undefined;
    if (agent === undefined || agent === this.#pools.get(url.origin)) return () => undefined;
    const stop = this.#startTimeout(onTimeout);
    request.once("socket", (socket) => (socket.connecting ? socket.once("connect", stop) : stop())).once("close", stop);
    return stop;
  }

  /** Opens a connection. */
  connect({ protocol, hostname, port }: URL): Socket {
    const secure = protocol === "https:";
    const host = hostname.replace(/^\[|\]$/g, "");
    const to = {
      host,
      port: Number(port || (secure ? 443 : 80)),
      noDelay: true,
      autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    };
    const socket = secure
      ? connectTls({ ...to, servername: isIP(host) ? "" : host, ALPNProtocols: ["http/1.1"] })
      : connectPlain(to);
    this.#connecting.add(socket);
    const stop = this.#startTimeout((error) => socket.destroy(error));
    socket.once("close", stop);
    socket.once(secure ? "secureConnect" : "connect", () => {
      stop();
      this.#connecting.delete(socket);
      socket.emit("established");
    });
    return socket;
  }

  #startTimeout(onTimeout: (error: Error) => void): () => void {
    const timer = setTimeout(() => onTimeout(new Error(`no connection within ${this.#timeoutMs} ms`)), this.#timeoutMs);
    return () => clearTimeout(timer);
  }
}
