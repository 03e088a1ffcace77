import { type InvalidRequestError, invalidRequest } from "../errors/errors.ts";
import { nothingWasSent } from "../errors/issue.ts";
import { isLoopback } from "../transport/loopback.ts";
import type { ConnectOptions } from "./connect-options.ts";

/** A proxy that connections go through. */
export interface Proxy {
  /** Its URL, without user and password. */
  readonly url: URL;
  /** The value of `Proxy-Authorization`, if it has a user. */
  readonly authorization: string | undefined;
  /** The option or the variable that names it. */
  readonly namedBy: string;
}

/**
 * Returns the proxy for a URL: that of the option, or else of the environment. NO_PROXY holds for both. Only the option leads to this
 * machine through a proxy: somebody who sets a variable seldom means that.
 *
 * @throws An {@link InvalidRequestError} if the proxy is not one that can be used
 */
export function proxyFor(
  url: URL,
  given: ConnectOptions["proxy"],
  environment: Readonly<Record<string, string | undefined>>,
): Proxy | undefined {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const variables = [url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", "ALL_PROXY"];
  const namedBy = given === undefined ? variables.find(read) : "proxy";
  if (given === false || namedBy === undefined || isExcluded(url, read("NO_PROXY") ?? "")) return undefined;
  if (given === undefined && isLoopback(url)) return undefined;
  const proxy = readUrl(namedBy, String(given ?? read(namedBy)));
  const [user, password] = [proxy.username, proxy.password].map(decodeURIComponent);
  const authorization = user || password ? `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` : undefined;
  return { url: new URL(proxy.origin), authorization, namedBy };
}

/** Returns the URL of a proxy. What was received is not shown: it may contain a password. */
function readUrl(namedBy: string, text: string): URL {
  const reject = (received: string, expected: string): InvalidRequestError =>
    invalidRequest("connect", namedBy, "wrongFormat", received, expected, nothingWasSent);
  // As curl reads it: without a scheme it is an http proxy.
  const href = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(href))
    throw reject("a value that is not a URL (not shown)", "a URL such as http://proxy.example:3128");
  const url = new URL(href);
  const scheme = url.protocol.slice(0, -1);
  const otherwise = "To connect without it, pass { proxy: false } or add the host to NO_PROXY";
  if (!/^https?$/.test(scheme))
    throw reject(`a ${scheme} proxy`, `an http or https proxy, such as in HTTPS_PROXY. ${otherwise}`);
  if (url.pathname.length > 1 || /[?#]/.test(href)) {
    const expected =
      "scheme, user, password, host and port alone. In a password, write # as %23, ? as %3F and / as %2F";
    throw reject("a URL with a path, query or fragment (not shown)", expected);
  }
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    throw reject("a user or password with a lone % (not shown)", "%25 for each % in it");
  }
  return url;
}

/** Returns whether a NO_PROXY list contains the URL's host, a domain above it, or `*`. An entry may end in a port. */
function isExcluded({ protocol, hostname, port }: URL, list: string): boolean {
  const ownPort = port || (protocol === "https:" ? "443" : "80");
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, host = "", onlyPort = ownPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const domain = host.replace(/^\*?\./, "");
      return onlyPort === ownPort && (entry === "*" || hostname === domain || hostname.endsWith(`.${domain}`));
    });
}
