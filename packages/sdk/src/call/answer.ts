import { type ServiceResponse } from "../errors/errors.ts";
import { shorten } from "../errors/issue.ts";
import { isObject } from "../spec/values.ts";
import { codes } from "../spec/operations.gen.ts";
import { type Hide, hidingIn } from "./hide-key.ts";
import type { Reply } from "./transport.ts";

/** A response of the service without the API key. */
export interface Answer extends ServiceResponse {
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** Whether the body is an envelope, or may be a cut one. If not, the HTTP status says all that there is to know. */
  readonly mayHoldTask: boolean;
  readonly redirected: boolean;
  readonly verdict: Verdict;
}

export type Verdict = "created" | "noCredits" | "rejected" | "unknown";

/** Reads the verdict on a generation. The rows are read from the top: the envelope decides before the HTTP status. */
function verdictOn({ status, code, data, redirected, mayHoldTask, text }: Omit<Answer, "verdict">): Verdict {
  const isClientError = status >= 400 && status < 500;
  if (code === codes.success && taskidIn(data) !== undefined) return "created";
  // The host that redirected it may have accepted it.
  if (redirected) return "unknown";
  // A rejection that names a task contradicts itself.
  if (/"taskid"\s*:(?!\s*(null|""))/.test(text)) return "unknown";
  if (code === codes.insufficientCredits) return "noCredits";
  if (code === codes.failure) return isSuccess(status) || isClientError ? "rejected" : "unknown";
  if (mayHoldTask) return "unknown";
  return (isClientError && status !== 408 && status !== 409) || status === 501 ? "rejected" : "unknown";
}

export function taskidIn(data: Answer["data"]): string | undefined {
  const taskid = data?.["taskid"];
  // A larger number has lost digits when it was parsed, and with them the task.
  if (Number.isSafeInteger(taskid)) return String(taskid);
  return typeof taskid === "string" && taskid !== "" ? taskid : undefined;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

const idHeaders = ["x-request-id", "request-id", "x-correlation-id", "x-trace-id", "x-amzn-requestid", "cf-ray"];

export function readAnswer({ status, redirected, text: raw, headers }: Reply, now: number, hide: Hide): Answer {
  const text = hide(raw);
  const json = parse(raw, text === raw ? undefined : hidingIn(hide));
  // The cast: each field is checked.
  const { code, msg, data } = Object(json) as Readonly<Record<string, unknown>>;
  const said = typeof msg === "string" ? shorten(hide(msg)) : "no message";
  const id = headers[idHeaders.find((name) => headers[name]) ?? ""];
  const isCut = json === undefined && /^\W{0,10}[{[]/.test(raw);
  const answer = {
    status,
    redirected,
    text,
    body: shorten(text),
    ...(typeof code === "number" && { code, msg: said, data: isObject(data) ? data : undefined }),
    mayHoldTask: typeof code === "number" || isCut || raw.includes("taskid"),
    retryAfterMs: readRetryAfter(headers["retry-after"], now),
    requestId: id && hide(String(id)),
  };
  return { ...answer, verdict: verdictOn(answer) };
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
  const task = taskidIn(data);
  const isPage = /^\s*</.test(text);
  const words = body && !isPage ? ` (${body})` : "";
  const said =
    code === undefined ? words : ` (code ${code}: ${msg}${task === undefined ? "" : `, task ${shorten(task)}`})`;
  if (verdict === "noCredits") return `insufficient credits${said}`;
  if (verdict === "rejected")
    return `the service rejected the request${said}${isSuccess(status) ? "" : ` with HTTP ${status}`}`;
  if (!isSuccess(status))
    return `the response was HTTP ${status}${said}${status < 400 ? " (a redirect, not followed)" : ""}`;
  const content = isPage ? ": an HTML page, not JSON: check baseUrl" : text.trim() ? "" : ": an empty body";
  return `the response is not documented${said || content}`;
}
