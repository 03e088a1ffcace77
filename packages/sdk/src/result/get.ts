import { type Fetch, toWebResponse } from "../call/fetch.ts";
import { isLoopback } from "../call/transport.ts";
import { shorten } from "../errors/issue.ts";

/**
 * Sends a GET request for a result or a source image, without following redirects and without the
 * API key.
 */
export type ResultGet = (url: URL, request: ResultRequest) => Promise<ResultResponse>;

export interface ResultRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly allowPrivate: boolean;
  readonly maxBytes: number;
}

/** The used part of a response. Names of headers are given in lower case. */
export interface ResultResponse extends Pick<Response, "status" | "body"> {
  readonly headers: Pick<Headers, "get">;
}

/**
 * The reason, in words that follow its URL, why a result or an image must not be used. Another try
 * would end in the same way.
 */
export class UnusableError extends Error {}

export const isNotPublic =
  "leads to this machine or into a private network. Use a public URL, or pass { allowPrivateHosts: true }";

const maxRedirects = 3;

/**
 * Requests a URL that the service or a user named, and follows its redirects. Each URL is checked
 * before it is requested.
 */
export async function getPublic(
  first: string,
  get: ResultGet,
  request: ResultRequest,
): Promise<ResultResponse> {
  let from: URL | undefined;
  let text = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const url = checkUrl(text, from, request.allowPrivate);
    const response = await get(url, request);
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) return response;
    void response.body?.cancel().catch(() => undefined);
    from = url;
    text = location;
  }
  throw new UnusableError(`redirects more than ${maxRedirects} times`);
}

function checkUrl(text: string, from: URL | undefined, allowPrivate: boolean): URL {
  if (!URL.canParse(text, from?.href))
    throw new UnusableError("is not an absolute URL, or redirects to none");
  const url = new URL(text, from?.href);
  const { protocol, username, password } = url;
  if (!/^https?:$/.test(protocol))
    throw new UnusableError("leads to a URL that is neither http nor https");
  if (protocol === "http:" && from?.protocol === "https:")
    throw new UnusableError("leads from https to http");
  if (username || password) throw new UnusableError("leads to a URL with a user or password");
  if (!allowPrivate && isPrivate(url)) throw new UnusableError(isNotPublic);
  return url;
}

export function webGet(given: Fetch | undefined): ResultGet {
  // Browsers hide a redirect that they do not follow. They also protect private hosts themselves.
  const redirect = typeof document === "undefined" ? "manual" : "follow";
  return async ({ href }, { headers, signal, maxBytes }) => {
    // Looked up at each call, because tests and tracers replace it.
    const fetch: Fetch = given ?? globalThis.fetch;
    return readAhead(toWebResponse(await fetch(href, { headers, signal, redirect })), maxBytes);
  };
}

type Bytes = Uint8Array<ArrayBuffer>;
/** Node 20 has no navigator. */
const isNode = (globalThis.navigator?.userAgent ?? "Node.js").startsWith("Node.js");

/**
 * Reads a body as fast as it arrives if its connection may close behind it: with a slow reader,
 * Node's fetch would end the process.
 */
function readAhead(response: Response, highWaterMark: number): ResultResponse {
  const { status, headers, body } = response;
  const hasEnd = headers.has("content-length") || headers.has("transfer-encoding");
  if (!isNode || !body || (hasEnd && headers.get("connection")?.toLowerCase() === "keep-alive"))
    return response;
  const size = (piece: Uint8Array) => piece.byteLength;
  const arrivals = new TransformStream<Bytes, Bytes>({}, undefined, { highWaterMark, size });
  return { status, headers, body: body.pipeThrough(arrivals) };
}

/**
 * Returns a URL without what may be a secret: the user and password, the query and the fragment.
 */
export function showUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text).href : text;
  return JSON.stringify(shorten(url.replace(/\/\/[^/?#]*@/, "//").replace(/[?#].*/s, "")));
}

/**
 * IPv4 networks that are not on the public internet (IANA's registry of special-purpose addresses),
 * by how an address begins.
 */
const private4 = [
  /^(0|10|127|169\.254|203\.0\.113)\./,
  /^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./, // 100.64.0.0/10
  /^172\.(1[6-9]|2\d|3[01])\./, // 172.16.0.0/12
  /^192\.(0\.0|0\.2|168)\./,
  /^198\.(18|19|51\.100)\./,
  /^2(2[4-9]|[345]\d)\./, // 224.0.0.0/3
];
const public6 = /^\[[23][\da-f]{3}:/;
/**
 * What is not public in it: protocols such as Teredo (2001::/23), documentation (2001:db8::/32,
 * 3fff::/20), and IPv4 in 6to4.
 */
const private6 = /^\[(2001:(1?[\da-f]{0,2}|db8)|2002|3fff:[\da-f]{0,3}):/;
/**
 * IPv6 networks whose last 32 bits are an IPv4 address: IPv4-mapped (::ffff:0:0/96) and NAT64
 * (64:ff9b::/96).
 */
const embedding = /^\[(?:::ffff:|64:ff9b::)([\da-f]+):([\da-f]+)\]$/;

/** Returns whether a URL's host is this machine or in a private network. Names are not resolved. */
export function isPrivate(url: URL): boolean {
  const [, high = "", low = ""] = embedding.exec(url.hostname) ?? [];
  const embedded = [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((bits) => [bits >> 8, bits & 255]);
  const host = high === "" ? url.hostname : embedded.join(".");
  if (host.startsWith("[")) return !public6.test(host) || private6.test(host);
  return (
    isLoopback(url) || (/^[\d.]+$/.test(host) && private4.some((network) => network.test(host)))
  );
}

export function isPrivateAddress(address: string): boolean {
  // A zone, such as %eth0, is not part of the address. A URL has the only spelling that is read
  // here.
  const [host] = address.split("%");
  return isPrivate(new URL(`http://${address.includes(":") ? `[${host}]` : host}`));
}
