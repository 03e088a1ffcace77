import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue } from "../errors/issue.ts";
import { isLoopback } from "../transport/address.ts";

/** The address of a base URL, without a name, a password, a query or a fragment, and safe to send a key to. */
export function readBaseUrl(given: string | undefined, allowHttp: boolean): string {
  const fail = (got: string, allowed: string) =>
    new InvalidRequestError("createMediaGen: there is no client", [{ field: "baseUrl", got, allowed }]);
  if (!given) throw fail("nothing", "the service's address: pass baseUrl, or set MEDIAGEN_BASE_URL in the environment");
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw fail(describeValue(given), "an absolute http or https address");
  const { href, protocol, username, password } = url;
  if (username || password || /[?#]/.test(href))
    throw fail("more than an address", "an address without user, password, query or fragment");
  if (protocol === "http:" && !allowHttp && !isLoopback(url)) {
    throw fail(
      describeValue(given),
      "an https address: http shows the key to whoever is on the way (allowHttp: true takes the risk)",
    );
  }
  return href;
}
