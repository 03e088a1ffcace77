import { invalidRequest } from "../errors/errors.ts";
import { nothingWasSent } from "../errors/issue.ts";
import { unsendable } from "./headers.ts";
import { isLoopback } from "./transport.ts";

/** The API key, or a function that returns it for each call; undefined if the server at the base URL holds it. */
export type ApiKey = string | undefined | (() => Promise<string | undefined>);

/**
 * The key that an emulator accepts by default. Sent over https to another host, it shows a mix-up of settings. Over http, the
 * caller has said with `allowHttp` that the other host is meant.
 */
const emulatorKey = "emulator-key";

/** The advice on a key that is missing. */
export const passKey = "Pass a key, or leave it out for MEDIAGEN_API_KEY.";

/**
 * Returns the headers that carry a key to a URL.
 *
 * @throws An {@link InvalidRequestError} if no header can carry the key, or it must not be sent there
 */
export function keyHeaders(
  key: string | undefined,
  url: string,
  subject = "createMediaGen",
): Readonly<Record<string, string>> {
  if (key === undefined) return {};
  if (typeof key !== "string" || !/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) {
    // The engine would reject a header with such a value in an error that shows the value.
    if (key === "") throw invalidRequest(subject, "apiKey", "missing", "is empty", passKey, nothingWasSent);
    const advice = "Use printable ASCII without line breaks.";
    throw invalidRequest(subject, "apiKey", "invalid", unsendable, advice, nothingWasSent);
  }
  const target = key === emulatorKey ? new URL(url) : undefined;
  if (target?.protocol === "https:" && !isLoopback(target)) {
    const advice = "Use the service's key. For an emulator at this host, start it with --key KEY and use that key.";
    throw invalidRequest(subject, "apiKey", "notAllowed", "is that of the emulator", advice, nothingWasSent);
  }
  return { authorization: key };
}
