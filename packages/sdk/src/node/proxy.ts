import { InvalidRequestError } from "../errors/errors.ts";
import { invalid, nothingWasSent } from "../errors/issue.ts";
import { isLoopback } from "../transport/address.ts";

/**
 * Rejects a URL for which the environment names a proxy: bypassing one often fails, and may be forbidden. This machine is never
 * reached through a proxy.
 *
 * @throws {@link InvalidRequestError} there is a proxy, and NO_PROXY does not exclude the URL's host
 */
export function rejectProxy(url: URL, environment: Readonly<Record<string, string | undefined>>): void {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const name = [url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", "ALL_PROXY"].find(read);
  if (name === undefined || isLoopback(url) || isExcluded(url, read("NO_PROXY") ?? "")) return;
  // Its value is not shown: it may hold a password.
  const expected = `NO_PROXY with ${url.hostname} in it to connect directly, or pass createMediaGen a fetch that goes through the proxy`;
  const issue = invalid(name, "notAllowed", "a proxy in the environment", expected);
  throw new InvalidRequestError("connect", [issue], nothingWasSent);
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
