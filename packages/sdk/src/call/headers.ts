import { invalidRequest, rejectIssues } from "../errors/errors.ts";
import { type Issue, issueOf, nothingWasSent } from "../errors/issue.ts";
import { isObject } from "../spec/values.ts";
import type { RequestHeaders } from "../task/task.ts";

declare const MEDIAGEN_VERSION: string | undefined;

/**
 * Headers that the SDK or the runtime sets. The caller's own would break the request or its
 * guarantees.
 */
const reserved =
  /^(accept-encoding|connection|content-length|content-type|expect|host|te|trailer|transfer-encoding|upgrade)$/;

/**
 * Headers that would be ignored, each with what to use instead. They say who pays and how often, so
 * that they are rejected.
 */
type Ignored = ReadonlyMap<string, string>;

export const ignoredInClient: Ignored = new Map([
  ["idempotency-key", "the option idempotencyKey of generate"],
]);
export const ignoredWithKey: Ignored = new Map([
  ["authorization", "the option apiKey, which is sent in its place"],
  ...ignoredInClient,
]);

const validName = /^[\w!#$%&'*+.^`|~-]+$/;
const validValue = /^([\x21-\x7e\x80-\xff]([\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/;
/** A value that the runtime would reject in an error that shows it. */
const unsendable = "cannot be sent in a header (not shown)";

/** Returns the `user-agent` header of every request; none in browsers, which send their own. */
export function userAgent(): Readonly<Record<string, string>> {
  const runtime =
    globalThis.navigator?.userAgent ?? `Node.js/${globalThis.process?.versions?.node}`;
  if (runtime.startsWith("Mozilla/")) return {};
  const version = typeof MEDIAGEN_VERSION === "undefined" ? "0.0.0" : MEDIAGEN_VERSION;
  return { "user-agent": `mediagen/${version} ${runtime}` };
}

/**
 * Returns headers with their names in lower case. Rejects those that cannot be sent; no value is
 * shown, as it may be a secret.
 */
export function readHeaders(
  subject: string,
  headers: RequestHeaders = {},
  ignored: Ignored = new Map(),
  outcome?: string,
): RequestHeaders {
  // The entries of a Headers or a Map are not properties of it, so they would be dropped.
  if (!isObject(headers) || Symbol.iterator in headers)
    throw invalidRequest(subject, "headers", "invalid", "must be a plain object", "", outcome);
  const issues = Object.entries(headers).flatMap(
    ([name, value]) => issueOfHeader(name, value, ignored) ?? [],
  );
  rejectIssues(subject, issues, outcome);
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function issueOfHeader(given: string, value: unknown, ignored: Ignored): Issue | undefined {
  const field = `headers.${given}`;
  const name = given.toLowerCase();
  const instead = ignored.get(name);
  if (instead !== undefined)
    return issueOf(field, "notAllowed", "would be ignored", `Use ${instead}.`);
  if (reserved.test(name))
    return issueOf(field, "notAllowed", "is set by the SDK", "Use other headers.");
  if (!validName.test(name))
    return issueOf(field, "invalid", "is not a valid name", "Use letters and hyphens.");
  if (value === undefined || (typeof value === "string" && validValue.test(value)))
    return undefined;
  return issueOf(field, "invalid", unsendable, "Use text without line breaks.");
}

const compressions = /^(x-)?(gzip|deflate|br|zstd|compress)$/;

/**
 * Returns the compressions of a body, by its header Content-Encoding. Servers also write there what
 * is none, such as `utf-8`, `aws-chunked` or `identity`.
 */
export function compressionsIn(contentEncoding: string | null | undefined): readonly string[] {
  const codings = contentEncoding?.toLowerCase().split(/[\s,]+/) ?? [];
  return codings.filter((coding) => compressions.test(coding));
}

/**
 * The API key, or a function that returns it for each call; undefined if the server at the base URL
 * holds it.
 */
export type ApiKey = string | undefined | (() => Promise<string | undefined>);

/**
 * Returns the headers that carry a key. Rejects one that no header can carry: the engine would show
 * it in its error.
 */
export function keyHeaders(
  key: string | undefined,
  subject = "createMediaGen",
): Readonly<Record<string, string>> {
  if (key === undefined) return {};
  if (typeof key === "string" && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(key))
    return { authorization: key };
  const problem = key ? unsendable : "is empty";
  throw invalidRequest(
    subject,
    "apiKey",
    "invalid",
    problem,
    "Use printable ASCII.",
    nothingWasSent,
  );
}
