import { shorten } from "../errors/issue.ts";
import { isObject } from "../spec/values.ts";
import { type Answer, isSuccess, taskidIn, verdictOn } from "../money/response.ts";
import { type Hide, hidingIn } from "./hide-key.ts";
import type { Reply } from "./transport.ts";

const idHeaders = [
  "x-request-id",
  "request-id",
  "x-correlation-id",
  "x-trace-id",
  "x-amzn-requestid",
  "cf-ray",
];

export function readAnswer(
  { status, redirected, text: raw, headers }: Reply,
  now: number,
  hide: Hide,
): Answer {
  const text = hide(raw);
  const json = parse(raw, text === raw ? undefined : hidingIn(hide));
  // The cast: each field is checked.
  const { code: given, msg, data } = Object(json) as Readonly<Record<string, unknown>>;
  const code = codeOf(given);
  const said = typeof msg === "string" ? shorten(hide(msg)) : "no message";
  const id = headers[idHeaders.find((name) => headers[name]) ?? ""];
  const isCut = json === undefined && /^\W{0,10}[{[]/.test(raw);
  const answer = {
    status,
    redirected,
    text,
    body: shorten(text),
    ...(code !== undefined && { code, msg: said, data: isObject(data) ? data : undefined }),
    namedTask: (isObject(data) ? taskidIn(data) : undefined) ?? taskNamedIn(text),
    mayHoldTask: code !== undefined || isCut || raw.includes("taskid"),
    retryAfterMs: readRetryAfter(headers["retry-after"], now),
    requestId: id && hide(String(id)),
  };
  return { ...answer, verdict: verdictOn(answer) };
}

/** Returns the code of an envelope: an integer, also one that is written as text. */
function codeOf(code: unknown): number | undefined {
  if (Number.isSafeInteger(code)) return Number(code);
  return typeof code === "string" && /^\d{1,9}$/.test(code) ? Number(code) : undefined;
}

/**
 * Returns the task that a text names, although it cannot be read or is no envelope; "" if its id
 * cannot be read either.
 */
function taskNamedIn(text: string): string | undefined {
  const found = /"taskid"\s*:(?!\s*(?:null|""))\s*(?:"([^"\\]+)"|(\d+)|)/.exec(text);
  return found ? (found[1] ?? found[2] ?? "") : undefined;
}

function parse(text: string, reviver: Parameters<typeof JSON.parse>[1]): unknown {
  try {
    return JSON.parse(text, reviver);
  } catch {
    return undefined;
  }
}

/** Returns a Retry-After header, in seconds or as a date, in milliseconds from now. */
export function readRetryAfter(header: unknown, now: number): number | undefined {
  const text = String(header);
  // Date.parse reads "-1" as a year; an HTTP date begins with a weekday.
  const date = /^[A-Z][a-z]+, /.test(text) ? Date.parse(text) : Number.NaN;
  const ms = /^\s*\d+\s*$/.test(text) ? Number(text) * 1000 : date - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

export function describe({ status, code, msg, data, text, body, verdict }: Answer): string {
  const isPage = /^\s*</.test(text);
  const excerpt = excerptOf({ code, msg, data, body: isPage ? "" : body });
  if (verdict === "noCredits") return `insufficient credits${excerpt}`;
  if (verdict === "rejected" && isSuccess(status))
    return `the service rejected the request${excerpt}`;
  if (verdict === "rejected")
    return `the service rejected the request${excerpt} with HTTP ${status}`;
  if (status < 400 && !isSuccess(status))
    return `the response was HTTP ${status}${excerpt} (a redirect, not followed)`;
  if (!isSuccess(status)) return `the response was HTTP ${status}${excerpt}`;
  if (excerpt !== "") return `the response is not documented${excerpt}`;
  if (isPage) return "the response is not documented: an HTML page, not JSON: check baseUrl";
  return text.trim() === ""
    ? "the response is not documented: an empty body"
    : "the response is not documented";
}

/** Returns what a response says, in parentheses: its envelope, or else the start of its body. */
function excerptOf({
  code,
  msg,
  data,
  body,
}: Pick<Answer, "code" | "msg" | "data" | "body">): string {
  if (code === undefined) return body && ` (${body})`;
  const taskid = taskidIn(data);
  return taskid === undefined
    ? ` (code ${code}: ${msg})`
    : ` (code ${code}: ${msg}, task ${shorten(taskid)})`;
}
