import { type Fetch, toWebResponse } from "../call/fetch.ts";
import { isPrivate } from "./address.ts";

/** Sends a GET request for a result or a source image, without following redirects and without the API key. */
export type ResultGet = (url: URL, request: ResultRequest) => Promise<ResultResponse>;

/** A request without its URL. */
export interface ResultRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether the host may be this machine or in a private network. */
  readonly allowPrivate: boolean;
  /** The maximum number of bytes. The reader of the body rejects a longer one. */
  readonly maxBytes: number;
}

/** The used part of a response. Names of headers are given in lower case. */
export interface ResultResponse extends Pick<Response, "status" | "body"> {
  readonly headers: Pick<Headers, "get">;
}

/** A result or an image that must not be fetched: another try would end in the same way. */
export class UnusableError extends Error {
  /** The URL that must not be requested, if it is not about the bytes. It may hold a secret, which has to be hidden first. */
  readonly url: string | undefined;
  readonly advice: string | undefined;

  constructor(why: string, url?: string, advice?: string) {
    super(why);
    this.url = url;
    this.advice = advice;
  }
}

/** Creates the error of a URL that does not lead to a public host. */
export function privateHost(url: string): UnusableError {
  const why = "leads to this machine or into a private network";
  return new UnusableError(why, url, "Use a public https URL. Pass { allowPrivateHosts: true } to allow it.");
}

const maxRedirects = 3;

/** Requests a URL that the service or a user named, and follows its redirects. Each URL is checked before it is requested. */
export async function getPublic(first: string, get: ResultGet, request: ResultRequest): Promise<ResultResponse> {
  let from: URL | undefined;
  let text = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const url = checkUrl(text, from, request.allowPrivate);
    const response = await get(url, request);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    void response.body?.cancel().catch(() => undefined);
    [from, text] = [url, location];
  }
  throw new UnusableError(`redirects more than ${maxRedirects} times`, first);
}

function checkUrl(text: string, from: URL | undefined, allowPrivate: boolean): URL {
  if (!URL.canParse(text, from?.href)) throw new UnusableError("is not an absolute URL", text);
  const url = new URL(text, from?.href);
  const { href, protocol, username, password } = url;
  const isHttp = protocol === "http:";
  if (!isHttp && protocol !== "https:") throw new UnusableError("is neither http nor https", href);
  if (isHttp && from?.protocol === "https:") throw new UnusableError("leads from https to http", href);
  if (username || password) throw new UnusableError("contains a user or password", href);
  if (!allowPrivate && isPrivate(url)) throw privateHost(href);
  return url;
}

/** Returns a getter that uses a fetch function: the caller's, or else the runtime's. */
export function webGet(given: Fetch | undefined): ResultGet {
  // Browsers hide a redirect that they do not follow. They also protect private hosts themselves.
  const redirect = typeof document === "undefined" ? "manual" : "follow";
  return async ({ href }, { headers, signal, maxBytes }) => {
    // Looked up at each call, because tests and tracers replace it.
    const fetch: Fetch = given ?? globalThis.fetch;
    const response = toWebResponse(await fetch(href, { headers, signal, redirect }));
    // The reader of a 206 requests the result again if the rest is compressed.
    if (response.status !== 200 || !isCompressed(response)) return readAhead(response, maxBytes);
    void response.body?.cancel().catch(() => undefined);
    throw new UnusableError(compressed, href, "Use @mediagen/sdk/node, without the option fetch.");
  };
}

/** Returns whether a body is compressed, so that fetch decompresses it. */
export function isCompressed({ headers }: Pick<ResultResponse, "headers">): boolean {
  return /gzip|br|deflate|zstd|compress/i.test(headers.get("content-encoding") ?? "");
}

/** The reason why compressed bytes that come from fetch are not used. */
export const compressed = "sends compressed bytes, and fetch does not notice when their end is missing";

/** Node 20 has no navigator. */
const isNode = (globalThis.navigator?.userAgent ?? "Node.js").startsWith("Node.js");

/**
 * Returns a response whose body is read as fast as it arrives, if its connection may close behind it. The fetch of Node 22 and 24
 * ends the process if a connection closes while a slow reader makes it wait: with an assertion, which nobody can catch. With a
 * length and `keep-alive` the close is an error like any other, so that only requested pieces are held in memory. Other runtimes
 * show no `connection`, and have no such fault.
 */
function readAhead(response: Response, maxBytes: number): ResultResponse {
  const { status, headers, body } = response;
  const hasEnd = headers.get("content-length") ?? headers.get("transfer-encoding");
  const staysOpen = hasEnd !== null && headers.get("connection")?.toLowerCase() === "keep-alive";
  if (!isNode || !body || staysOpen) return response;
  let bytes = 0;
  const transform = (piece: Uint8Array<ArrayBuffer>, controller: TransformStreamDefaultController) => {
    bytes += piece.byteLength;
    controller.enqueue(piece);
    // Nobody wants the rest, which would all be held in memory.
    if (bytes > maxBytes) controller.terminate();
  };
  const arrivals = new TransformStream({ transform }, undefined, { highWaterMark: Infinity });
  return { status, headers, body: body.pipeThrough(arrivals) };
}
