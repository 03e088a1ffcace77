import type { WebFetch } from "../transport/fetch.ts";
import type { ResultGet } from "./context.ts";

/** Returns a getter that uses a fetch function. */
export function webGet(fetch: WebFetch): ResultGet {
  // Browsers hide a redirect that they do not follow. They also protect private hosts themselves.
  const redirect = typeof document === "undefined" ? "manual" : "follow";
  return (url, { headers, signal }) => fetch(url.href, { headers, signal, redirect });
}
