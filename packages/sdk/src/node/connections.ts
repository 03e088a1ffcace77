import { Agent } from "node:http";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { longestDelayMs } from "../time/clock.ts";

/** How `@mediagen/sdk/node` connects. */
export interface ConnectOptions {
  /**
   * How long it may take until a connection is established, TLS included, in milliseconds. Nothing has been sent by then.
   * @default 10_000
   */
  readonly connectTimeoutMs?: number | undefined;
}

/** Sockets of queries and deletions that may be open at once. */
const poolSize = 64;
/** How long one of them may idle: shorter than servers keep theirs open, so that few are found closed when used again. */
const idleMs = 4_000;
/** How long an address of several may take before the next is tried; Node's own 250 ms are too short for far away places. */
const addressTimeoutMs = 1_000;

/** The connections of one transport: a pool for each origin, and single ones. */
export class Connections {
  readonly #timeoutMs: number;
  /** Sockets whose connection is established: those from which on bytes may leave. */
  readonly #connected = new WeakSet<Duplex>();
  readonly #pools = new Map<string, Agent>();

  constructor({ connectTimeoutMs = 10_000 }: ConnectOptions) {
    this.#timeoutMs = connectTimeoutMs;
  }

  /** Whether there is a pool for the URL's origin. */
  has(url: URL): boolean {
    return this.#pools.has(url.origin);
  }

  /** Returns the pool for the URL's origin. It does not keep the process alive: an Agent unrefs its idle sockets. */
  pool(url: URL): Agent {
    let pool = this.#pools.get(url.origin);
    if (!pool) {
      pool = new Agent({ keepAlive: true, maxSockets: poolSize, timeout: idleMs, scheduling: "lifo" });
      pool.createConnection = () => this.connect(url);
      this.#pools.set(url.origin, pool);
    }
    return pool;
  }

  /** Calls back once the socket's connection is established and its certificate is known to be good. */
  whenConnected(socket: Socket, next: () => void): void {
    if (this.#connected.has(socket)) next();
    else socket.once("established", next);
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
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection within ${this.#timeoutMs} ms`)),
      Math.min(this.#timeoutMs, longestDelayMs),
    );
    socket.once("close", () => clearTimeout(timer));
    socket.once(secure ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      this.#connected.add(socket);
      socket.emit("established");
    });
    return socket;
  }
}
