import { invalidRequest } from "../errors/errors.ts";
import { describeValue, type IssueCode } from "../errors/issue.ts";
import { type ApiKey, ignoredInClient, ignoredWithKey, readHeaders, userAgent } from "../call/headers.ts";
import type { RequestHeaders } from "../task/task.ts";
import { isLoopback } from "../call/transport.ts";
import type { ClientOptions } from "./options.ts";

/** Returns the base URL and the key of the options, or else of the environment. `hasKey`: the caller has passed a key, or undefined. */
export function readAccess(
  subject: string,
  options: ClientOptions,
  hasKey: boolean,
): { readonly baseUrl: string; readonly apiKey: ApiKey; readonly headers: RequestHeaders } {
  rejectBrowser(subject, options.allowBrowser ?? false);
  const apiKey = options.apiKey ?? environment("MEDIAGEN_API_KEY");
  // Where the key of a user is missing, the account of the environment must not pay.
  if (hasKey && options.apiKey === undefined && apiKey !== undefined)
    throw invalidRequest(subject, "apiKey", "missing", "is undefined", "Pass a key, or leave it out.");
  const baseUrl = readBaseUrl(subject, options.baseUrl ?? environment("MEDIAGEN_BASE_URL"), options.allowHttp ?? false);
  const headers = {
    ...userAgent(),
    ...readHeaders(subject, options.headers, apiKey === undefined ? ignoredInClient : ignoredWithKey),
  };
  return { baseUrl, headers, apiKey: typeof apiKey === "function" ? async () => apiKey() : apiKey };
}

/** Returns a base URL without a slash at its end, if it is safe to send a key to. */
function readBaseUrl(subject: string, given: string | undefined, allowHttp: boolean): string {
  const reject = (code: IssueCode, problem: string, advice: string) =>
    invalidRequest(subject, "baseUrl", code, problem, advice);
  if (!given) throw reject("missing", "is missing", "Pass { baseUrl } or set MEDIAGEN_BASE_URL.");
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    // A value that is not a URL may be a key in the wrong place.
    const shown = String(given).includes("://")
      ? `${describeValue(given)} is not valid`
      : "has an invalid value (not shown)";
    throw reject("invalid", shown, "Use an absolute http or https URL, such as https://media.example.");
  }
  const { href, protocol, username, password } = url;
  if (username || password || /[?#]/.test(href)) {
    throw reject("invalid", "has a user, password, query or fragment (not shown)", "Use a URL without them.");
  }
  if (protocol === "http:" && !allowHttp && !isLoopback(url)) {
    const advice =
      "Use an https URL: http shows the API key to everyone on the way. Pass { allowHttp: true } to allow it.";
    throw reject("notAllowed", `${describeValue(given)} is not encrypted`, advice);
  }
  return href.replace(/\/$/, "");
}

/** Rejects pages and the workers of browsers, unless the caller has said that this is meant. */
function rejectBrowser(subject: string, allowed: boolean): void {
  const { window, navigator } = globalThis as {
    readonly window?: { readonly document?: unknown };
    readonly navigator?: { readonly userAgent?: string };
  };
  // A worker has no page. The workers of other runtimes have other names.
  const isBrowser = window?.document !== undefined || navigator?.userAgent?.startsWith("Mozilla/");
  if (allowed || !isBrowser) return;
  const advice =
    "Use a server. In a page the API key is public, and a browser resends a generation whose response was lost, " +
    "which bills it twice. Pass { allowBrowser: true } to allow it.";
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
