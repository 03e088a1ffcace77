import { invalidRequest } from "../errors/errors.ts";
import { nothingWasSent } from "../errors/issue.ts";
import { orAbort } from "../time/deadline.ts";
import type { RequestHeaders } from "../task/task.ts";
import { isLoopback } from "./loopback.ts";
import { mergeHeaders, unsendable } from "./headers.ts";
import { createHide, type Hide } from "./hide-key.ts";

/** The API key, or a function that returns it for each call; undefined if the server at the base URL holds it. */
export type ApiKey = string | undefined | (() => Promise<string | undefined>);

/**
 * The key that an emulator accepts by default. Sent over https to another host, it shows a mix-up of settings. Over http, the
 * caller has said with `allowHttp` that the other host is meant.
 */
const emulatorKey = "emulator-key";

/** The advice on a key that is missing. */
export const passKey = "Pass a key, or leave it out for MEDIAGEN_API_KEY.";

/** Returns the key of one call; rejects at once when the signal aborts. */
export function readKey(apiKey: ApiKey, signal: AbortSignal): Promise<string | undefined> | string | undefined {
  return typeof apiKey === "function" ? orAbort(apiKey(), signal) : apiKey;
}

/** The parts of a request that depend on the API key. */
export interface Keyed {
  readonly key: string | undefined;
  readonly hide: Hide;
  /** Returns the headers of a request: the caller's replace those of the client, and the key replaces both. */
  readonly headers: (isJson: boolean, own: RequestHeaders | undefined) => Readonly<Record<string, string>>;
}

/** The API keys that one client has used. */
export interface Keys {
  /**
   * Returns the parts of requests that depend on the key.
   *
   * @throws An {@link InvalidRequestError} if no header can carry the key, or it must not be sent there
   */
  readonly keyed: (key: string | undefined) => Keyed;
  /** Hides the last keys in texts about results. The URL of a result may contain a key, although no key is sent to it. */
  readonly hide: Hide;
}

/** The maximum number of keys that are kept. Most clients have one. */
const keptKeys = 16;

/** Creates the keys of a client. */
export function createKeys(baseUrl: string, headers: RequestHeaders): Keys {
  const kept = new Map<string | undefined, Keyed>();
  return {
    keyed(key) {
      const known = kept.get(key);
      if (known) return known;
      const keyed = createKeyed(key, baseUrl, headers);
      const [oldest] = kept.keys();
      if (kept.size === keptKeys) kept.delete(oldest);
      kept.set(key, keyed);
      return keyed;
    },
    hide: (text) => [...kept.values()].reduce((shown, { hide }) => hide(shown), text),
  };
}

function createKeyed(key: string | undefined, baseUrl: string, headers: RequestHeaders): Keyed {
  const keyed = keyHeaders(key, baseUrl);
  // A transport knows the type of a form.
  const typed = { "content-type": "application/json" };
  const jsonHeaders = mergeHeaders(headers, keyed, typed);
  return {
    key,
    hide: createHide(key),
    headers: (isJson, own) =>
      isJson && !own ? jsonHeaders : mergeHeaders(headers, own, keyed, isJson ? typed : undefined),
  };
}

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
