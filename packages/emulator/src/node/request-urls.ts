import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { withOneSlash } from "../service/paths.ts";

/** The URLs of a request as its client knows them. */
export interface RequestUrls {
  /** The URL of the request, without the path of the public URL. */
  readonly url: URL;
  /** What the URLs of results begin with. */
  readonly baseUrl: string;
  /** Whether every host that the request names is this emulator's, so that no page of another site can have sent it. */
  readonly isOwnHost: boolean;
}

/**
 * Reads the URLs of a request. X-Forwarded headers determine the base URL unless there is a public URL. They never
 * make a host the emulator's own, because any page can send them. Returns undefined if a URL or a header is invalid.
 */
export function readUrls(incoming: IncomingMessage, publicUrl: URL | undefined): RequestUrls | undefined {
  const url = readTarget(incoming);
  const forwarded = url && readForwarded(incoming, url);
  if (!forwarded) return undefined;
  const base = publicUrl ?? forwarded;
  const prefix = withoutSlash(base.pathname);
  // A proxy may pass the path on with the public URL's or without.
  if (publicUrl && `${url.pathname}/`.startsWith(`${prefix}/`)) url.pathname = url.pathname.slice(prefix.length);
  url.pathname = withOneSlash(url.pathname);
  const isOwn = ({ hostname }: URL) => hostname === publicUrl?.hostname || isLocal(hostname);
  return { url, baseUrl: base.origin + prefix, isOwnHost: isOwn(url) && isOwn(forwarded) };
}

/** Reads a public URL as a user gives it. */
export function readPublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !/[?#]/.test(url.href) && !url.username && !url.password) return url;
  throw new Error(`publicUrl: "${text}" is not valid. Use an http or https URL without user, query or fragment.`);
}

/** Returns a base URL as clients write it: without a slash at its end. */
function withoutSlash(url: string): string {
  return url.replace(/\/+$/, "");
}

function readTarget({ url: target = "/", headers }: IncomingMessage): URL | undefined {
  // A URL as the target replaces the Host header (RFC 9112, 3.2.2).
  const [, protocol = "http", authority = headers.host || "localhost", path = target] =
    /^(https?):\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  // Concatenated, not resolved: a path that begins with two slashes would become a host.
  return readUrl(protocol, authority, /^[/?]/.test(path) ? path : "/");
}

function readForwarded({ headers }: IncomingMessage, { protocol, host }: URL): URL | undefined {
  const first = (name: string) => headers[`x-forwarded-${name}`]?.toString().split(",")[0]?.trim();
  return readUrl(first("proto") ?? protocol.slice(0, -1), first("host") ?? host, first("prefix") ?? "/");
}

function readUrl(protocol: string, authority: string, path: string): URL | undefined {
  if (!/^https?$/i.test(protocol) || !/^[^\s/?#@\\]+$/.test(authority) || !/^[/?]/.test(path)) return undefined;
  const text = `${protocol}://${authority}${path}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * Whether a host is an address or a name of this machine. Only other names can lead a page of another site here (DNS
 * rebinding): a page at an address came from that address, and no DNS resolves localhost (RFC 6761).
 */
function isLocal(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, "")) !== 0 || /^(.+\.)?localhost\.?$/.test(hostname);
}
