import { invalidRequest } from "../errors/errors.ts";
import { nothingWasSent } from "../errors/issue.ts";
import { orAbort } from "../time/deadline.ts";
import { isLoopback } from "../transport/address.ts";

/** The API key, what returns it for each call, or undefined if the server at the base URL holds it. */
export type ApiKey = string | undefined | (() => Promise<string | undefined>);

/**
 * The key that an emulator accepts by default. Sent over https to another host, it shows a mix-up of settings. Over http, the
 * caller has said with `allowHttp` that the other host is meant.
 */
const emulatorKey = "emulator-key";

/** Returns the key of one call; rejects at once when the signal aborts. */
export function readKey(apiKey: ApiKey, signal: AbortSignal): Promise<string | undefined> | string | undefined {
  return typeof apiKey === "function" ? orAbort(apiKey(), signal) : apiKey;
}

/**
 * Returns the headers that carry a key to a URL.
 *
 * @throws An {@link InvalidRequestError} if no header can carry the key, or it must not go there
 */
export function keyHeaders(key: string | undefined, url: string): Readonly<Record<string, string>> {
  if (key === undefined) return {};
  if (typeof key !== "string" || !/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key)) {
    // The engine would reject a header with such a value in an error that shows the value.
    const received = key === "" ? "an empty text" : "a value that no header can carry (not shown)";
    const expected = "printable ASCII without line breaks";
    const problem = key === "" ? "is empty" : "has a value that no header can carry (not shown)";
    throw invalidRequest("request", "apiKey", "wrongFormat", received, expected, nothingWasSent, { problem });
  }
  const target = new URL(url);
  if (key === emulatorKey && target.protocol === "https:" && !isLoopback(target)) {
    const expected = "the service's key. For an emulator at this host, start it with --key KEY and use that key";
    throw invalidRequest("request", "apiKey", "notAllowed", "the emulator's key", expected, nothingWasSent, {
      problem: "is that of the emulator",
    });
  }
  return { authorization: key };
}
