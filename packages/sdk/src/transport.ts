import { orAbort } from "./clock.ts";
import { formParts, toFormData, type WireFields } from "./fields.ts";
import { NeverSentError } from "./never-sent.ts";

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

  constructor(url: string, init: { method?: string; headers?: ConstructorParameters<typeof Headers>[0]; body?: unknown; signal?: AbortSignal | null } = {}) {
    this.url = url;
    this.method = init.method ?? "POST";
    this.headers = new Headers(init.headers);
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

/**
 * Sends one request and gives its answer as soon as its head has come. It follows no redirect, repeats nothing, and rejects
 * at once when the signal aborts.
 */
export type Transport = (request: OutgoingRequest, exchange: Exchange) => Promise<Response>;

/** The transport that stands on a fetch function. */
export function webTransport(fetch: Fetch): Transport {
  return async (request, { signal, onLeaving }) => {
    if (signal.aborted) throw new NeverSentError("aborted before anything was sent", signal.reason);
    const sent = webRequest(request, signal);
    // No engine tells when an upload has left; all else leaves at once.
    if (!hasFiles(request.body)) onLeaving?.(true);
    // A fetch that ignores the signal holds nobody up.
    return orAbort(fetch(sent), signal);
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

function webRequest({ url, method, headers, body }: OutgoingRequest, signal: AbortSignal): Request {
  const init = { method, headers, signal, body: body instanceof FormBody ? toFormData(body.fields) : (body as BodyInit | null) };
  // A followed redirect would carry the key elsewhere and hide whether the first host took the request. workerd knows no
  // "error", only "manual", whose 3xx is refused like any other.
  const redirect = globalThis.navigator?.userAgent === "Cloudflare-Workers" ? "manual" : "error";
  return new Request(url, { ...init, redirect });
}
