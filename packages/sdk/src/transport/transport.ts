import type { WireFields } from "../form/form.ts";
import { formParts, toFormData } from "../form/parts.ts";
import { orAbort } from "../time/deadline.ts";
import { NeverSentError } from "./evidence.ts";

/** A fetch function of the caller's; it is always called with a Request. */
export type Fetch = (request: Request) => Promise<Response>;

/** The body of a form before it is encoded. */
export class FormBody {
  readonly fields: WireFields;

  constructor(fields: WireFields) {
    this.fields = fields;
  }
}

/** A POST request before it is sent. A plain object, because a web Request loads the engine's fetch and copies the form. */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: FormBody | Blob | string;
}

/** How a request is sent. */
export interface SendOptions {
  /** Whether the request is paid: it then leaves on a connection of its own, and never twice. */
  readonly paid: boolean;
  readonly signal: AbortSignal;
  /** Called immediately before the first byte leaves, and awaited: if it rejects, nothing leaves. */
  readonly beforeSend?: (() => Promise<void>) | undefined;
  /** Called for each piece that leaves, and with true once all has left; engines that do not know never call it. */
  readonly onLeaving?: ((complete: boolean) => void) | undefined;
}

/** A response whose head has arrived. */
export interface IncomingResponse {
  readonly status: number;
  /** Whether a fetch function followed a redirect to it; a transport of the SDK follows none. */
  readonly redirected?: boolean;
  header(name: string): string | null;
  /** Passes the body to `onPiece`, piece by piece; what that throws ends the reading and is thrown. */
  read(onPiece: (bytes: Uint8Array) => void): Promise<void>;
  /** Returns the response as fetch does, instead of reading it. It costs more than a complete query. */
  response(): Response;
}

/**
 * Sends one request and resolves as soon as the head of its response has arrived. It follows no redirect, repeats nothing, and
 * rejects at once when the signal aborts.
 */
export type Transport = (request: OutgoingRequest, options: SendOptions) => Promise<IncomingResponse>;

/** How a fetch is called: the caller's function gets a Request, the engine's own what saves it one. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Creates the transport that stands on a fetch function. */
export function webTransport(send: Send): Transport {
  return async (request, { signal, beforeSend, onLeaving }) => {
    if (signal.aborted) throw new NeverSentError("aborted before anything was sent", signal.reason);
    await beforeSend?.();
    if (signal.aborted) throw new NeverSentError("aborted before anything was sent", signal.reason);
    const sending = send(request.url, requestInit(request, signal));
    // No engine tells when an upload has left; all else leaves at once.
    if (!hasFiles(request.body)) onLeaving?.(true);
    // Even if a fetch ignores the signal, the call ends.
    return incoming(await orAbort(sending, signal), signal);
  };
}

function incoming(response: Response, signal: AbortSignal): IncomingResponse {
  const { status, headers, body, redirected } = response;
  return {
    status,
    redirected,
    header: (name) => headers.get(name),
    async read(onPiece) {
      const reader = body?.getReader();
      if (!reader) return;
      try {
        for (;;) {
          const piece = await orAbort(reader.read(), signal);
          if (piece.done) return;
          onPiece(piece.value);
        }
      } catch (error) {
        // What comes of the cancelling tells nothing more.
        reader.cancel().catch(() => undefined);
        throw error;
      }
    },
    response: () => response,
  };
}

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

function hasFiles(body: OutgoingRequest["body"]): boolean {
  if (body instanceof FormBody) return [...formParts(body.fields)].some(([, value]) => value instanceof Blob);
  return typeof body !== "string";
}

function requestInit({ headers, body }: OutgoingRequest, signal: AbortSignal): RequestInit {
  // A followed redirect would carry the key elsewhere and hide whether the first host took the request. workerd knows no
  // "error", only "manual", whose 3xx is rejected like any other.
  const redirect = globalThis.navigator?.userAgent === "Cloudflare-Workers" ? "manual" : "error";
  return { method: "POST", headers, signal, redirect, body: body instanceof FormBody ? toFormData(body.fields) : body };
}
