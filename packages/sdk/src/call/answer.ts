import { type ServiceResponse } from "../errors/errors.ts";
import { shorten } from "../errors/issue.ts";
import { isObject } from "../spec/values.ts";
import { codes } from "../spec/operations.gen.ts";
import type { UsedKeys } from "./hide-key.ts";
import type { Reply } from "./transport.ts";

/** A response of the service without the API key. */
export interface Answer extends ServiceResponse {
  /** The complete body, without the key. */
  readonly text: string;
  /** The body, if it is an envelope. */
  readonly envelope: Envelope | undefined;
  /** Whether the body begins as JSON and is none, so that it may be the start of an envelope. */
  readonly isCut: boolean;
  /** Whether the caller's fetch function followed a redirect to it. */
  readonly redirected: boolean;
}

interface Envelope {
  readonly code: number;
  readonly msg: string;
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** What a response to a generation means for the money. */
export type Verdict = "created" | "noCredits" | "rejected" | "unknown";

/** Reads the verdict on a generation. The rows are read from the top: the envelope decides before the HTTP status. */
export function verdictOn(answer: Answer): Verdict {
  const { status, envelope, redirected } = answer;
  const isClientError = status >= 400 && status < 500;
  if (envelope?.code === codes.success && taskidIn(envelope.data) !== undefined) return "created";
  // The host that redirected it may have accepted it.
  if (redirected) return "unknown";
  // A rejection that names a task contradicts itself.
  if (envelope && namesTask(answer)) return "unknown";
  if (envelope?.code === codes.insufficientCredits) return "noCredits";
  if (envelope?.code === codes.failure) return isSuccess(status) || isClientError ? "rejected" : "unknown";
  if (mayHoldTask(answer)) return "unknown";
  return (isClientError && status !== 408 && status !== 409) || status === 501 ? "rejected" : "unknown";
}

/** Returns the data of a success: of a generation by its verdict, of any other call by the HTTP status, too. */
export function dataIn({ status, envelope }: Answer, verdict: Verdict | undefined): Envelope["data"] {
  const isDone = verdict === undefined ? envelope?.code === codes.success && isSuccess(status) : verdict === "created";
  return isDone ? envelope?.data : undefined;
}

/** Returns whether a body is another envelope, or may be a cut one. If not, the HTTP status says all that there is to know. */
export function mayHoldTask({ envelope, isCut, text }: Answer): boolean {
  return envelope !== undefined || isCut || text.includes("taskid");
}

/** Returns whether a body names a task. */
export function namesTask({ text }: Answer): boolean {
  return /"taskid"\s*:(?!\s*(null|""))/.test(text);
}

/** Returns the task id in the data of a response, even if it is a number. */
export function taskidIn(data: Envelope["data"]): string | undefined {
  const taskid = data?.["taskid"];
  // A larger number has lost digits when it was parsed, and with them the task.
  if (Number.isSafeInteger(taskid)) return String(taskid);
  return typeof taskid === "string" && taskid !== "" ? taskid : undefined;
}

/** Returns whether an HTTP status is a success. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Headers in which services and proxies return the id of a request, the service's own first. */
const idHeaders = ["x-request-id", "request-id", "x-correlation-id", "x-trace-id", "x-amzn-requestid", "cf-ray"];

/** Reads a response. */
export function readAnswer({ status, redirected, text, headers }: Reply, now: number, keys: UsedKeys): Answer {
  const shown = keys.hide(text);
  const json = parse(text, shown !== text, keys);
  // The cast: each field is checked.
  const { code, msg, data } = Object(json) as Readonly<Record<string, unknown>>;
  const said = typeof msg === "string" ? shorten(keys.hide(msg)) : "no message";
  const id = idHeaders.map((name) => headers[name]).find(Boolean);
  return {
    status,
    redirected,
    text: shown,
    body: shorten(shown),
    envelope: typeof code === "number" ? { code, msg: said, data: isObject(data) ? data : undefined } : undefined,
    isCut: json === undefined && /^\W{0,10}[{[]/.test(text),
    retryAfterMs: readRetryAfter(headers["retry-after"], now),
    requestId: id && keys.hide(String(id)),
  };
}

/** Matches a text with so many brackets that it may be too deep. */
const maybeDeep = /^(?:[^[{]*[[{]){65}/;

/** Returns the JSON in a text. Any other text, and JSON that is too deep, is undefined: HTML, cut JSON, nothing. */
function parse(text: string, hasKey: boolean, keys: UsedKeys): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return hasKey || maybeDeep.test(text) ? keys.hideInJson(json) : json;
  } catch {
    return undefined;
  }
}

/** Returns a Retry-After header, in seconds or as a date, in milliseconds from now. */
export function readRetryAfter(header: unknown, now: number): number | undefined {
  if (typeof header !== "string") return undefined;
  // Date.parse reads "-1" as a year; an HTTP date begins with a weekday.
  const date = /^[A-Z][a-z]+, /.test(header) ? Date.parse(header) : Number.NaN;
  const ms = /^\s*\d+\s*$/.test(header) ? Number(header) * 1000 : date - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Says in words what a response is, if it is no success. */
export function describe(answer: Answer, verdict: Verdict | undefined): string {
  const { status, envelope } = answer;
  const isFailure = envelope?.code === codes.failure;
  const said = `(code ${envelope?.code}: ${envelope?.msg})`;
  if (verdict !== "unknown") {
    if (envelope?.code === codes.insufficientCredits) return `insufficient credits ${said}`;
    if (isFailure || (status >= 400 && status < 500))
      return `the service rejected it${isFailure ? ` ${said}` : ""}${isSuccess(status) ? "" : ` with HTTP ${status}`}`;
  }
  if (isSuccess(status) || (envelope && namesTask(answer)))
    return `the response is not one that the service documents: ${describeBody(answer)}`;
  return `the response was HTTP ${status}${status < 400 ? ", a redirect, which is not followed" : ""}`;
}

function describeBody({ text, envelope }: Answer): string {
  if (text.trim() === "") return "an empty body";
  if (/^\s*</.test(text)) return "an HTML page, not JSON: check baseUrl";
  if (!envelope) return "there is no code in it";
  const { code, msg, data } = envelope;
  if (code === codes.success) return "a success without its data";
  const taskid = taskidIn(data);
  return `code ${code} (msg: ${msg})${taskid === undefined ? "" : ` with the task ${shorten(taskid)}`}`;
}
