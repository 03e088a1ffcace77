import { readOptions } from "../errors/read-options.ts";
import { invalidRequest } from "../errors/errors.ts";
import { describeValue, type IssueCode, type MoreOfIssue } from "../errors/issue.ts";
import { type Logger, type LogLevel, logLevels } from "../errors/logger.ts";
import type { ApiKey } from "../call/api-key.ts";
import { ignoredInClient, ignoredWithKey, readHeaders, userAgent } from "../call/headers.ts";
import type { Timeouts } from "../call/exchange.ts";
import type { RequestHeaders } from "../task/task.ts";
import { isLoopback } from "../transport/loopback.ts";
import { type StateOptions, stateNames } from "../wait/state.ts";
import type { ClientOptions, MediaGenOptions } from "./options.ts";

/** Returns the base URL and the key of the options, or else of the environment. */
export function readAccess(
  subject: string,
  options: ClientOptions,
): { readonly baseUrl: string; readonly apiKey: ApiKey; readonly headers: RequestHeaders } {
  rejectBrowser(subject, options.allowBrowser ?? false);
  if (options.apiKey !== undefined && typeof options.apiKey !== "string" && typeof options.apiKey !== "function")
    throw invalidRequest(subject, "apiKey", "wrongType", "a value (not shown)", "text, or a function that returns it");
  const apiKey = options.apiKey ?? environment("MEDIAGEN_API_KEY");
  const baseUrl = readBaseUrl(subject, options.baseUrl ?? environment("MEDIAGEN_BASE_URL"), options.allowHttp ?? false);
  const headers = {
    ...userAgent(),
    ...readHeaders(subject, options.headers, apiKey === undefined ? ignoredInClient : ignoredWithKey),
  };
  return { baseUrl, headers, apiKey: typeof apiKey === "function" ? async () => apiKey() : apiKey };
}

/** Returns the timeouts of the options, each with its default. */
export function readTimeouts(options: ClientOptions): Timeouts {
  return {
    queryMs: options.queryTimeoutMs ?? 60_000,
    generateMs: options.generateTimeoutMs ?? 600_000,
    headersMs: options.headersTimeoutMs ?? 300_000,
    stallMs: options.stallTimeoutMs ?? 30_000,
  };
}

/** Returns the meanings of statuses, from the options. Failed statuses may come from the environment. */
export function readStates(subject: string, { statuses, classify }: StateOptions): StateOptions {
  if (statuses !== undefined) readOptions(subject, statuses, stateNames, undefined, "statuses");
  for (const [state, list] of Object.entries(statuses ?? {})) {
    const isList = list === undefined || (Array.isArray(list) && list.every(Number.isInteger));
    if (!isList)
      throw invalidRequest(subject, `statuses.${state}`, "wrongType", describeValue(list), "a list of whole numbers");
  }
  return { classify, statuses: { ...statuses, failed: statuses?.failed ?? readFailedStatuses(subject) } };
}

function readFailedStatuses(subject: string): readonly number[] | undefined {
  const name = "MEDIAGEN_FAILED_STATUSES";
  const text = environment(name);
  if (text === undefined) return undefined;
  const numbers = text.split(",").map((part) => part.trim());
  if (numbers.every((part) => /^-?\d+$/.test(part))) return numbers.map(Number);
  throw invalidRequest(
    subject,
    name,
    "wrongFormat",
    describeValue(text),
    'whole numbers with commas between, such as "3,4"',
  );
}

/** Returns the log level, from the options or else from the environment. */
export function readLogLevel(subject: string, { logLevel }: MediaGenOptions): LogLevel {
  const name = logLevel === undefined ? "MEDIAGEN_LOG" : "logLevel";
  // The cast: a caller without types, or the environment, may say anything.
  const level = (logLevel ?? environment(name) ?? "warn") as LogLevel;
  if (logLevels.includes(level)) return level;
  throw invalidRequest(subject, name, "notOneOf", describeValue(level), `one of ${logLevels.join(", ")}`);
}

/** Rejects options that would fail only once a generation is on its way. */
export function checkObjects(subject: string, options: MediaGenOptions): void {
  const { budget, store, logger, resendGenerationAfter: statuses } = options;
  const resendable = [421, 425, 503];
  if (statuses !== undefined && !(Array.isArray(statuses) && statuses.every((one) => resendable.includes(one)))) {
    const received = describeValue(statuses);
    throw invalidRequest(subject, "resendGenerationAfter", "wrongType", received, "a list of 421, 425 and 503");
  }
  if (budget !== undefined) readOptions(subject, budget, ["generations", "results"], undefined, "budget");
  if (typeof store === "string") {
    const path = describeValue(store);
    throw invalidRequest(subject, "store", "wrongType", path, `a store, such as fileStore(${path})`);
  }
  const checkMethod = (name: string, value: unknown) => {
    if (typeof value !== "function")
      throw invalidRequest(subject, name, "wrongType", describeValue(value), "a function");
  };
  if (store !== undefined) checkMethod("store.write", store?.write);
  // The cast: all levels but the first are methods.
  const methods = logger === undefined ? [] : (logLevels.slice(1) as (keyof Logger)[]);
  for (const name of methods) checkMethod(`logger.${name}`, logger?.[name]);
}

/** Returns a base URL without a slash at its end, if it is safe to send a key to. */
function readBaseUrl(subject: string, given: string | undefined, allowHttp: boolean): string {
  const reject = (code: IssueCode, received: string, expected: string, more?: MoreOfIssue) =>
    invalidRequest(subject, "baseUrl", code, received, expected, "", more);
  if (!given) throw reject("missing", "nothing", "{ baseUrl } or set MEDIAGEN_BASE_URL");
  const url = typeof given === "string" && URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) {
    // A value that is not a URL may be a key in the wrong place.
    const received = String(given).includes("://") ? describeValue(given) : "an invalid value (not shown)";
    throw reject("wrongFormat", received, "an absolute http or https URL, such as https://media.example");
  }
  const { href, protocol, username, password } = url;
  if (username || password || /[?#]/.test(href)) {
    throw reject("wrongFormat", "a user, password, query or fragment (not shown)", "a URL without them");
  }
  if (protocol === "http:" && !allowHttp && !isLoopback(url)) {
    const expected = "an https URL: http shows the API key to everyone on the way";
    const problem = `${describeValue(given)} is not encrypted`;
    throw reject("notAllowed", describeValue(given), expected, { problem, suggestion: "allowHttp" });
  }
  return href.replace(/\/$/, "");
}

/** Rejects browsers, unless the caller has said that this is meant. */
function rejectBrowser(subject: string, allowed: boolean): void {
  if (allowed || !isBrowser()) return;
  const expected =
    "a server. In a page the API key is public, and a browser resends a generation whose response was lost, which bills it twice";
  const more = { problem: "is needed in a browser", suggestion: "allowBrowser" };
  throw invalidRequest(subject, "allowBrowser", "notAllowed", "a browser", expected, "", more);
}

/** Returns whether this is a page, or a browser's worker, which has no page. The workers of other runtimes have other names. */
function isBrowser(): boolean {
  const { window, navigator } = globalThis as {
    readonly window?: { readonly document?: unknown };
    readonly navigator?: { readonly userAgent?: string };
  };
  return window?.document !== undefined || navigator?.userAgent?.startsWith("Mozilla/") === true;
}

function environment(name: string): string | undefined {
  try {
    return globalThis.process?.env?.[name] || undefined; // There is no process in browsers.
  } catch {
    return undefined; // Deno asks for a permission; without it there is no environment.
  }
}
