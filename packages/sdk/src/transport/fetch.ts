/** What a fetch function is called with besides the URL: only what every implementation takes. */
export interface FetchInit {
  /** `POST` for the service; without it, the request is the GET of a result. */
  readonly method?: string;
  /** The headers, with the API key. */
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON text, or a form as one Blob. */
  readonly body?: string | Blob;
  /** Aborts when the call ends early. */
  readonly signal: AbortSignal;
  /** `error` for the service, `manual` for results: the SDK never wants a redirect followed unseen. */
  readonly redirect: "error" | "manual" | "follow";
}

/** The headers of a fetch function's response. */
export interface FetchHeaders {
  /** Returns the value of a header, or null. */
  get(name: string): string | null;
  /** Iterates over names and values. */
  [Symbol.iterator](): Iterator<[string, string]>;
}

/** What is read of a fetch function's response. */
export interface FetchResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Whether a redirect was followed to it. */
  readonly redirected: boolean;
  /** The headers. */
  readonly headers: FetchHeaders;
  /** A web stream, or one of Node's, as node-fetch has it. */
  readonly body: ReadableStream<Uint8Array> | AsyncIterable<unknown> | null;
}

/** A fetch function of the caller's: the runtime's own, undici's, node-fetch's, or one around them. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

/** A fetch function whose responses are those of the runtime. */
export type WebFetch = (url: string, init: FetchInit) => Promise<Response>;

/** Returns the fetch function with responses whose body is a web stream. */
export function toWebFetch(fetch: Fetch): WebFetch {
  return async (url, init) => toWebResponse(await fetch(url, init));
}

/** Returns a response whose body is a web stream. */
export function toWebResponse(given: FetchResponse): Response {
  const { status, redirected, headers, body } = given;
  // The cast: all that is read of it is there.
  if (!body || "getReader" in body) return given as Response;
  const isEmpty = [204, 205, 304].includes(status);
  // The cast: only Node has such bodies, and its streams have `from`.
  const { from } = ReadableStream as unknown as { from(body: AsyncIterable<unknown>): ReadableStream };
  const response = new Response(isEmpty ? null : from(body), { status, headers: [...headers] });
  return Object.defineProperty(response, "redirected", { value: redirected });
}
