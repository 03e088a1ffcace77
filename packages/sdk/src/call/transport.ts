import { joinBytes } from "../form/bytes.ts";
import type { Deadline } from "../time/deadline.ts";

/**
 * A POST request. A plain object, because a web Request loads the engine's fetch and copies the
 * form.
 */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or a form as one Blob, whose type is the media type. */
  readonly body: string | Blob;
}

export interface SendOptions {
  readonly deadline: Deadline;
  /**
   * Whether the request is paid: it gets a connection of its own, because a pooled one that closes
   * is a lost response.
   */
  readonly isPaid: boolean;
  /**
   * Called and awaited immediately before the first byte leaves. If it rejects, nothing must leave.
   */
  readonly beforeSend: () => Promise<void>;
}

/** A response, read to its end or until it broke off. */
export interface Reply {
  readonly status: number;
  /** Whether a custom fetch function followed a redirect. The transports of the SDK follow none. */
  readonly redirected: boolean;
  readonly text: string;
  /** The error that ended the body early; `text` is what came before it. */
  readonly broken?: unknown;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/**
 * Sends one request, once, and reads its response. Whatever it rejects with before it has called
 * `beforeSend` was never sent. After that, only a `NeverSentError` says so.
 */
export type Transport = (request: OutgoingRequest, options: SendOptions) => Promise<Reply>;

/** The maximum length of a body. No response of the service is longer. */
const longestBody = 1024 * 1024;
const decoder = /* @__PURE__ */ new TextDecoder();

export class BodyText {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  add(piece: Uint8Array): Error | undefined {
    this.#pieces.push(piece);
    this.#length += piece.length;
    return this.#length > longestBody
      ? new Error(`the response is longer than ${longestBody}`)
      : undefined;
  }

  /** Decodes all at once, because Node takes several times as long to decode in pieces. */
  toString(): string {
    return decoder.decode(joinBytes(this.#pieces));
  }
}

/**
 * Returns whether a URL's host is this machine, by name or address. Names that end in localhost
 * never leave it (RFC 6761).
 */
export function isLoopback({ hostname }: URL): boolean {
  return /^(.+\.)?localhost\.?$|^127\.\d+\.\d+\.\d+$|^\[::1\]$/.test(hostname);
}
