import { InvalidRequestError } from "../errors/errors.ts";
import { isLoopback } from "../transport/address.ts";

/**
 * Refuses to pass by a proxy that the environment names for a URL: where there is one, it is often the only way, and
 * sometimes the law of the house. This machine is never reached through one.
 *
 * @throws {@link InvalidRequestError} there is one, and NO_PROXY does not except the URL's host
 */
export function refuseProxy(url: URL, environment: Readonly<Record<string, string | undefined>>): void {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined;
  const name = [url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", "ALL_PROXY"].find(read);
  if (name === undefined || isLoopback(url) || isExcepted(url, read("NO_PROXY") ?? "")) return;
  // Its value is not shown: it may hold a password.
  const allowed = `no proxy for ${url.hostname}: add it to NO_PROXY to connect directly, or pass a fetch that goes through the proxy to createMediaGen`;
  throw new InvalidRequestError("nothing was sent", [{ field: name, got: "a proxy in the environment", allowed }]);
}

/** Whether a NO_PROXY list has the URL's host, a domain above it, or `*`; an entry may end in a port. */
function isExcepted({ protocol, hostname, port }: URL, list: string): boolean {
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
