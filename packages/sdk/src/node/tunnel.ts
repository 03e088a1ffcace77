import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { messageOf } from "../errors/errors.ts";
import { NeverSentError } from "../transport/evidence.ts";
import type { Proxy } from "./http-proxy.ts";

/** The maximum length of the reply to CONNECT. */
const longestHead = 16 * 1024;

/**
 * A connection through a proxy, which sees no request in it and can repeat none. It emits `connect` when the proxy has opened it.
 * Earlier writes wait until then, and an earlier failure is a {@link NeverSentError}.
 */
export class Tunnel extends Duplex {
  readonly #socket: Socket;
  readonly #proxy: Proxy;
  /** The host and the port that it leads to. */
  readonly #target: string;
  #head = "";
  #state: "opening" | "open" | "ended" = "opening";

  /** @param socket a connection to the proxy, which may not be established yet */
  constructor(socket: Socket, { hostname, port, protocol }: URL, proxy: Proxy) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    this.#proxy = proxy;
    this.#target = `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
    socket
      .once(proxy.url.protocol === "https:" ? "secureConnect" : "connect", () => socket.write(this.#request()))
      .on("data", (bytes: Buffer) => this.#read(bytes))
      .on("end", () => this.#end())
      .on("error", (error) => this.#fail(error))
      .on("close", () => this.#end())
      .on("timeout", () => this.emit("timeout"));
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#whenOpen(() => this.#socket.write(bytes, done));
  }

  override _final(done: () => void): void {
    this.#whenOpen(() => this.#socket.end(done));
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  // Methods that an Agent calls on its sockets.

  setKeepAlive(enable: boolean, ms: number): void {
    this.#socket.setKeepAlive(enable, ms);
  }

  setNoDelay(): void {
    this.#socket.setNoDelay();
  }

  setTimeout(ms: number, onTimeout?: () => void): this {
    this.#socket.setTimeout(ms);
    if (!onTimeout) return this;
    return ms === 0 ? this.off("timeout", onTimeout) : this.once("timeout", onTimeout);
  }

  ref(): void {
    this.#socket.ref();
  }

  unref(): void {
    this.#socket.unref();
  }

  #whenOpen(act: () => void): void {
    if (this.#state === "opening") this.once("connect", act);
    else act();
  }

  #request(): string {
    const { authorization } = this.#proxy;
    const credentials = authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`;
    return `CONNECT ${this.#target} HTTP/1.1\r\nHost: ${this.#target}\r\n${credentials}\r\n`;
  }

  #read(bytes: Buffer): void {
    if (this.#state !== "opening") {
      if (!this.push(bytes)) this.#socket.pause();
      return;
    }
    this.#head += bytes.toString("latin1");
    const end = this.#head.indexOf("\r\n\r\n");
    if (!"HTTP/1.".startsWith(this.#head.slice(0, 7))) return this.#reject("does not respond as an HTTP proxy");
    if (end < 0 && this.#head.length <= longestHead) return;
    if (end < 0) return this.#reject(`responded with headers of more than ${longestHead} bytes`);
    const status = Number(/^HTTP\/1\.\d (\d{3})\b/.exec(this.#head)?.[1] ?? 0);
    if (status < 200 || status > 299) return this.#refuse(status);
    // HTTP servers do not speak first: this would be read as the response to a request that has not left.
    if (this.#head.length > end + 4) return this.#reject("sent more than its reply to CONNECT");
    this.#state = "open";
    this.emit("connect");
  }

  #end(): void {
    if (this.#state === "opening") this.#reject("closed the connection before the tunnel was open");
    if (this.#state === "open") this.push(null);
    this.#state = "ended";
  }

  #fail(error: Error): void {
    if (this.#state !== "opening") return void this.destroy(error);
    if ("code" in error && error.code === "ERR_SSL_WRONG_VERSION_NUMBER")
      return this.#reject("does not speak TLS. If it is an http proxy, begin its URL with http://");
    // The socket has the reason why a certificate was rejected.
    const isCertificate = "authorizationError" in this.#socket && Boolean(this.#socket.authorizationError);
    this.#reject(`cannot be reached: ${messageOf(error)}`, error, isCertificate);
  }

  #refuse(status: number): void {
    const { authorization, namedBy } = this.#proxy;
    const verdict = authorization === undefined ? "requires a" : "does not accept the";
    // Some say 401 of a password that is wrong.
    if (status === 407 || status === 401)
      return this.#reject(
        `${verdict} user and password (HTTP ${status}). Set ${namedBy} to http://user:password@host:port. Only Basic authentication is supported`,
        undefined,
        true,
      );
    // These may pass: a gateway that fails, a timeout, a rate limit.
    const mayPass = status >= 500 || status === 408 || status === 429;
    const advice = `Ask who runs it to allow CONNECT to ${this.#target}, or name the host in NO_PROXY to connect directly`;
    if (mayPass) this.#reject(`could not connect to ${this.#target} (HTTP ${status})`);
    else this.#reject(`does not allow a connection to ${this.#target} (HTTP ${status}). ${advice}`, undefined, true);
  }

  /** Fails without showing what the proxy sent: it may repeat the password. */
  #reject(what: string, cause?: Error, isFinal = false): void {
    const { origin } = this.#proxy.url;
    this.destroy(new NeverSentError(`nothing was sent, because the proxy ${origin} ${what}`, cause, isFinal));
  }
}
