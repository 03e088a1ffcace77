import type { Multipart } from "../form/multipart.ts";

/** A POST request before it is sent. A plain object, because a web Request loads the engine's fetch and copies the form. */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Multipart | string;
}

/** Options of a `Transport`. */
export interface SendOptions {
  /** Whether the request is paid. Then it is sent on its own connection, and never twice. */
  readonly paid: boolean;
  readonly signal: AbortSignal;
  /** Called immediately before the first byte leaves, and awaited: if it rejects, nothing leaves. */
  readonly beforeSend?: (() => Promise<void>) | undefined;
}

/** A response whose head has arrived. */
export interface IncomingResponse {
  readonly status: number;
  /** Whether a custom fetch function followed a redirect. The transports of the SDK follow none. */
  readonly redirected?: boolean;
  header(name: string): string | null;
  /** Returns all headers, their names in lower case. */
  headers(): Iterable<readonly [name: string, value: string]>;
  /** Passes the body to `onPiece`, piece by piece. If that throws, the reading ends with its error. */
  read(onPiece: (bytes: Uint8Array) => void): Promise<void>;
}

/**
 * Sends one request and resolves when the head of its response has arrived. Never retries or follows a redirect. Rejects when
 * the signal aborts, with a `NeverSentError` if it knows that no byte of the request has left.
 */
export type Transport = (request: OutgoingRequest, options: SendOptions) => Promise<IncomingResponse>;

/** Removes the unparsed bytes that Node attaches to errors, because an echo of the request contains the key. */
export function withoutBytes(error: unknown): unknown {
  // Causes may form a cycle.
  const seen = new Set<Error>();
  for (let one = error; one instanceof Error && !seen.has(one); one = one.cause) {
    seen.add(one);
    if ("rawPacket" in one) delete one.rawPacket;
    // Only errors of undici's parser: the data of others is left alone.
    if (one.name === "HTTPParserError" && "data" in one) delete one.data;
  }
  return error;
}
