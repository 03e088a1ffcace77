import type { Send } from "../transport/transport.ts";
import type { ResultGet } from "./context.ts";

/** Returns a getter that uses a fetch function. */
export function webGet(send: Send): ResultGet {
  // Browsers hide a redirect that they do not follow. They also protect private hosts themselves.
  const redirect = typeof document === "undefined" ? "manual" : "follow";
  return (url, { headers, signal }) => send(url.href, { headers, signal, redirect });
}
