import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { withOneSlash } from "../service/paths.ts";

/** The URLs of a request as its client knows them. */
export interface RequestUrls {
  /** The URL of the request, without the path of the public URL. */
  readonly url: URL;
  /** The base URL of results. */
  readonly baseUrl: string;
  /**
   * Whether all hosts in the request are this emulator's. Then no page of another site can have
   * sent it.
   */
  readonly isOwnHost: boolean;
}

/**
 * Reads the URLs of a request. X-Forwarded headers determine the base URL unless there is a public
 * URL. They never affect `isOwnHost`, because any page can send them. Returns undefined if a URL or
 * a header is invalid.
 */
export function readUrls(
  incoming: IncomingMessage,
  publicUrl: URL | undefined,
): RequestUrls | undefined {
  const url = readTarget(incoming);
  const forwarded = url && readForwarded(incoming, url);
  if (!forwarded) return undefined;
  const base = publicUrl ?? forwarded;
  const prefix = withoutSlash(base.pathname);
  // A proxy may keep the path of the public URL, or remove it.
  if (publicUrl && `${url.pathname}/`.startsWith(`${prefix}/`))
    url.pathname = url.pathname.slice(prefix.length);
  url.pathname = withOneSlash(url.pathname);
  const isOwn = ({ hostname }: URL) => hostname === publicUrl?.hostname || isLocal(hostname);
  return { url, baseUrl: base.origin + prefix, isOwnHost: isOwn(url) && isOwn(forwarded) };
}

/** Parses the public URL that a user has passed. */
export function readPublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url &&
    /^https?:$/.test(url.protocol) &&
    !/[?#]/.test(url.href) &&
    !url.username &&
    !url.password
  )
    return url;
  throw new Error(
    `publicUrl: "${text}" is not valid. Use an http or https URL without user, query or fragment.`,
  );
}

/** Returns a base URL without its trailing slash. */
function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

function readTarget({ url: target = "/", headers }: IncomingMessage): URL | undefined {
  // If the request target is a URL, it replaces the Host header (RFC 9112, 3.2.2).
  const [, protocol = "http", authority = headers.host || "localhost", path = target] =
    /^(https?):\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  // Concatenated, because `new URL` would resolve a path with two leading slashes to another host.
  return readUrl(protocol, authority, /^[/?]/.test(path) ? path : "/");
}

function readForwarded({ headers }: IncomingMessage, { protocol, host }: URL): URL | undefined {
  const first = (name: string) => headers[`x-forwarded-${name}`]?.toString().split(",")[0]?.trim();
  return readUrl(
    first("proto") ?? protocol.slice(0, -1),
    first("host") ?? host,
    first("prefix") ?? "/",
  );
}

function readUrl(protocol: string, authority: string, path: string): URL | undefined {
  if (!/^https?$/i.test(protocol) || !/^[^\s/?#@\\]+$/.test(authority) || !/^[/?]/.test(path))
    return undefined;
  const text = `${protocol}://${authority}${path}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * Whether a host is an address or a name of this machine. Only other names can lead a page of
 * another site here (DNS rebinding): a page at an address came from that address, and no DNS
 * resolves localhost (RFC 6761).
 */
function isLocal(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, "")) !== 0 || /^(.+\.)?localhost\.?$/.test(hostname);
}
