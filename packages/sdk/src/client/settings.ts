import { invalidRequest } from "../errors/errors.ts";
import { describeValue, type IssueCode } from "../errors/issue.ts";
import {
  type ApiKey,
  ignoredInClient,
  ignoredWithKey,
  readHeaders,
  userAgent,
} from "../call/headers.ts";
import type { RequestHeaders } from "../task/task.ts";
import { isLoopback } from "../call/transport.ts";
import type { ClientOptions } from "./options.ts";

/**
 * Returns the base URL and the key of the options, or else of the environment. `hasKey`: the caller
 * has passed a key, or undefined.
 */
export function readAccess(
  subject: string,
  options: ClientOptions,
  hasKey: boolean,
): { readonly baseUrl: string; readonly apiKey: ApiKey; readonly headers: RequestHeaders } {
  rejectBrowser(subject, options.allowBrowser ?? false);
  const apiKey = options.apiKey ?? environment("MEDIAGEN_API_KEY");
  // Where the key of a user is missing, the account of the environment must not pay.
  if (hasKey && options.apiKey === undefined && apiKey !== undefined)
    throw invalidRequest(
      subject,
      "apiKey",
      "missing",
      "is undefined",
      "Pass a key, or leave it out.",
    );
  const baseUrl = readBaseUrl(
    subject,
    options.baseUrl ?? environment("MEDIAGEN_BASE_URL"),
    options.allowHttp ?? false,
  );
  const ignored = apiKey === undefined ? ignoredInClient : ignoredWithKey;
  const headers = { ...userAgent(), ...readHeaders(subject, options.headers, ignored) };
  return { baseUrl, headers, apiKey: typeof apiKey === "function" ? async () => apiKey() : apiKey };
}

function readBaseUrl(subject: string, given: string | undefined, allowHttp: boolean): string {
  const reject = (code: IssueCode, problem: string, advice: string) =>
    invalidRequest(subject, "baseUrl", code, problem, advice);
  const unset =
    "Pass { baseUrl } or set MEDIAGEN_BASE_URL: npx @mediagen/cli emulator exec sets a free one.";
  if (!given) throw reject("missing", "is missing", unset);
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : undefined;
  const isHttp = url !== undefined && /^https?:$/.test(url.protocol);
  if (!isHttp || url.username || url.password || /[?#]/.test(url.href)) {
    // Not shown: it may be a key in the wrong place, or have a password.
    const advice = "Use https:// (http:// on this machine) without user, query and fragment.";
    throw reject("invalid", "is not valid (not shown)", advice);
  }
  if (url.protocol === "http:" && !allowHttp && !isLoopback(url)) {
    const advice = "Use https. With { allowHttp: true }, everyone on the way can read the API key.";
    throw reject("notAllowed", `${describeValue(given)} is not encrypted`, advice);
  }
  return url.href.replace(/\/$/, "");
}

function rejectBrowser(subject: string, allowed: boolean): void {
  // A worker has no page. The workers of other runtimes have other names.
  const isBrowser =
    "document" in globalThis || globalThis.navigator?.userAgent?.startsWith("Mozilla/");
  if (allowed || !isBrowser) return;
  const advice =
    "Use a server: a page shows its API key, and a browser may bill a generation twice.";
  throw invalidRequest(subject, "allowBrowser", "notAllowed", "is needed in a browser", advice);
}

/** Returns a variable of the environment; undefined if it is empty or there is no environment. */
export function environment(name: string): string | undefined {
  try {
    return globalThis.process?.env?.[name] || undefined; // There is no process in browsers.
  } catch {
    return undefined; // Deno asks for a permission; without it there is no environment.
  }
}
