import { formParts, toFormData, type WireFields } from "../form/form.ts";
import { orAbort } from "../time/clock.ts";
import { NeverSentError } from "./evidence.ts";

/** A fetch function; it is always called with a Request. */
export type Fetch = (request: Request) => Promise<Response>;

/** The body of a form before it is encoded. */
export class FormBody {
  readonly fields: WireFields;

  constructor(fields: WireFields) {
    this.fields = fields;
  }
}

/**
 * What openapi-fetch builds instead of a Request: a web Request would load the engine's fetch and copy the form, and a
 * transport may need neither.
 */
export class OutgoingRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly signal: AbortSignal | undefined;

  constructor(
    url: string,
    init: {
      method?: string;
      headers?: ConstructorParameters<typeof Headers>[0];
      body?: unknown;
      signal?: AbortSignal | null;
    } = {},
  ) {
    this.url = url;
    this.method = init.method ?? "POST";
    // openapi-fetch makes them for this request alone.
    this.headers = init.headers instanceof Headers ? init.headers : new Headers(init.headers);
    this.body = init.body;
    this.signal = init.signal ?? undefined;
    // openapi-fetch takes every body that is no FormData for JSON; a form's type comes with its boundary.
    if (this.body instanceof FormBody) this.headers.delete("content-type");
  }
}

/** What a transport is told of the exchange beside the request. */
export interface Exchange {
  /** Whether the request is paid: it then goes out on a connection of its own, and never twice. */
  readonly paid: boolean;
  readonly signal: AbortSignal;
  /** Is told of each piece that leaves, and at last that all has left; by engines that do not know, never. */
  readonly onLeaving?: ((whole: boolean) => void) | undefined;
}

/** An answer whose head has come. */
export interface Arriving {
  readonly status: number;
  header(name: string): string | null;
  /** Gives the body to `onPiece`, piece by piece; what that throws ends the reading and is thrown. */
  read(onPiece: (bytes: Uint8Array) => void): Promise<void>;
  /** The answer as fetch gives it, instead of reading it; a web Response costs more than a whole query. */
  response(): Response;
}

/**
 * Sends one request and gives its answer as soon as its head has come. It follows no redirect, repeats nothing, and
 * sending and reading reject at once when the signal aborts.
 */
export type Transport = (request: OutgoingRequest, exchange: Exchange) => Promise<Arriving>;

/** How a fetch is called: a function of the caller's gets a Request, the engine's own what saves it one. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** The transport that stands on a fetch function. */
export function webTransport(send: Send): Transport {
  return async (request, { signal, onLeaving }) => {
    if (signal.aborted) throw new NeverSentError("aborted before anything was sent", signal.reason);
    const sending = send(request.url, requestInit(request, signal));
    // No engine tells when an upload has left; all else leaves at once.
    if (!hasFiles(request.body)) onLeaving?.(true);
    // A fetch that ignores the signal holds nobody up.
    return arriving(await orAbort(sending, signal), signal);
  };
}

function arriving(response: Response, signal: AbortSignal): Arriving {
  const { status, headers, body } = response;
  return {
    status,
    header: (name) => headers.get(name),
    async read(onPiece) {
      const reader = body?.getReader();
      try {
        for (
          let read = reader && (await orAbort(reader.read(), signal));
          reader && read && !read.done;
          read = await orAbort(reader.read(), signal)
        )
          onPiece(read.value);
      } catch (error) {
        // What comes of the cancelling tells nothing more.
        reader?.cancel().catch(() => undefined);
        throw error;
      }
    },
    response: () => response,
  };
}

/** An error without the bytes that Node's parsers could not read and put there: an echo of the request holds the key. */
export function withoutBytes(error: unknown): unknown {
  // Whoever made the error may have made its causes a circle.
  const seen = new Set<Error>();
  for (let one = error; one instanceof Error && !seen.has(one); one = one.cause) {
    seen.add(one);
    if ("rawPacket" in one) delete one.rawPacket;
    // undici's name for it: another error's data is not ours to touch.
    if (one.name === "HTTPParserError" && "data" in one) delete one.data;
  }
  return error;
}

function hasFiles(body: unknown): boolean {
  if (body instanceof FormData) return true;
  return body instanceof FormBody && [...formParts(body.fields)].some(([, value]) => value instanceof Blob);
}

function requestInit({ method, headers, body }: OutgoingRequest, signal: AbortSignal): RequestInit {
  const init = {
    method,
    headers,
    signal,
    body: body instanceof FormBody ? toFormData(body.fields) : (body as BodyInit | null),
  };
  // A followed redirect would carry the key elsewhere and hide whether the first host took the request. workerd knows no
  // "error", only "manual", whose 3xx is refused like any other.
  const redirect = globalThis.navigator?.userAgent === "Cloudflare-Workers" ? "manual" : "error";
  return { ...init, redirect };
}
