import type { Multipart } from "../form/multipart.ts";

/** A POST request before it is sent. A plain object, because a web Request loads the engine's fetch and copies the form. */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Multipart | Blob | string;
}

/** Called while a request leaves, with how much of its body has left. It must not throw. */
export type OnUpload = (bytes: number, totalBytes: number) => void;

/** How a request is sent. */
export interface SendOptions {
  /** Whether the request is paid: it then leaves on a connection of its own, and never twice. */
  readonly paid: boolean;
  readonly signal: AbortSignal;
  /** Called immediately before the first byte leaves, and awaited: if it rejects, nothing leaves. */
  readonly beforeSend?: (() => Promise<void>) | undefined;
  /** Called for each piece that leaves, and with true once all has left; engines that do not know never call it. */
  readonly onLeaving?: ((complete: boolean) => void) | undefined;
  /** Called for each piece that has left, or, by engines that do not know, once when the response begins. */
  readonly onUpload?: OnUpload | undefined;
}

/** A response whose head has arrived. */
export interface IncomingResponse {
  readonly status: number;
  /** Whether a fetch function followed a redirect to it; a transport of the SDK follows none. */
  readonly redirected?: boolean;
  header(name: string): string | null;
  /** Returns all headers, their names in lower case. */
  headers(): Iterable<readonly [name: string, value: string]>;
  /** Passes the body to `onPiece`, piece by piece; what that throws ends the reading and is thrown. */
  read(onPiece: (bytes: Uint8Array) => void): Promise<void>;
  /** Returns the response as fetch does, instead of reading it. It costs more than a complete query. */
  response(): Response;
}

/**
 * Sends one request and resolves as soon as the head of its response has arrived. It follows no redirect, repeats nothing, and
 * rejects at once when the signal aborts: with a `NeverSentError` if it knows that no byte of the request has left.
 */
export type Transport = (request: OutgoingRequest, options: SendOptions) => Promise<IncomingResponse>;

/** Returns an error without the bytes that Node's parsers could not read and attached: an echo of the request holds the key. */
export function withoutBytes(error: unknown): unknown {
  // Causes may form a cycle.
  const seen = new Set<Error>();
  for (let one = error; one instanceof Error && !seen.has(one); one = one.cause) {
    seen.add(one);
    if ("rawPacket" in one) delete one.rawPacket;
    // undici's name for it: another error's data is not ours to touch.
    if (one.name === "HTTPParserError" && "data" in one) delete one.data;
  }
  return error;
}
