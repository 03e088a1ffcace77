import type { Send } from "../transport/transport.ts";
import type { ResultGet } from "./copy.ts";

/** The getter that stands on a fetch function. */
export function webGet(send: Send): ResultGet {
  // Browsers show nothing of a redirect that they do not follow; there the engine guards private hosts by itself.
  const redirect = typeof document === "undefined" ? "manual" : "follow";
  return (url, { headers, signal }) => send(url.href, { headers, signal, redirect });
}
