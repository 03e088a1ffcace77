import { isObject } from "../spec/values.ts";
import type { Kind } from "../spec/operation.ts";
import { codes } from "../spec/operations.gen.ts";
import type { Task, TaskRecord } from "../task/task.ts";
import { describeDuration, type Issue, type IssueCode, issueOf, joined, shorten } from "./issue.ts";

/** Marks the errors of every copy of this package. */
const mark = Symbol.for("@mediagen/sdk: error");

/** What an error means for the money and for the next step, and the fields of its class. The advice ends its message. */
type Facts = Partial<Pick<MediaGenError, "billed" | "isRetryable" | "cause">> &
  Pick<MediaGenError, "advice"> &
  Record<string, unknown>;

/**
 * The class of every error that this package throws itself. If your signal aborts, its reason is thrown unchanged.
 * Repeat a step that generates only if `billed` is `"no"` and `isRetryable` is true.
 */
export class MediaGenError extends Error {
  /** The name of the class. It survives when the error is copied to another realm or to a log. */
  override readonly name: string = "MediaGenError";
  /** Whether the generation that the error belongs to was billed. After its creation, a task always counts as billed. */
  declare readonly billed: "no" | "maybe" | "yes";
  /** Whether the same call may succeed later and is safe to repeat. */
  declare readonly isRetryable: boolean;
  /** What to do next, in one sentence or two. */
  declare readonly advice: string;
  /** The task, if the error came after its creation and from one of its methods. It is not lost: continue with it. */
  declare readonly task: Task | undefined;

  constructor(what: string, { cause, ...facts }: Facts) {
    super(joined(what, facts.advice), cause === undefined ? undefined : { cause });
    Object.assign(this, { billed: "no", isRetryable: false }, facts);
    // Not shown when the error is inspected.
    Object.defineProperty(this, mark, { value: true });
  }

  /** Returns whether a value is an error of this package, or of another copy of it. */
  static is(error: unknown): error is MediaGenError {
    return isObject(error) && mark in error;
  }
}

/** Records in an error of this package that its generation has created a task, and returns the error. */
export function afterCreation(error: unknown, task: Task | undefined, billed: "maybe" | "yes" = "yes"): unknown {
  // An error of another generation, thrown by the caller's own code, already says what it means.
  if (error instanceof MediaGenError && error.billed !== "maybe" && (error.task ?? task) === task)
    Object.assign(error, { billed, task });
  return error;
}

/** An argument or option is not valid. `issues` lists every bad field, not only the first. */
export class InvalidRequestError extends MediaGenError {
  override readonly name = "InvalidRequestError";
  /** Every mistake that was found. */
  declare readonly issues: readonly Issue[];
  override readonly advice = "Correct it, then make the call again.";

  /**
   * @param subject the model, operation or function that was called
   * @param outcome a sentence on what it means for the money, such as `nothingWasSent`; only the thrower knows
   */
  constructor(subject: string, issues: readonly Issue[], outcome = "", billed: "no" | "maybe" = "no") {
    const messages = issues.map(({ message }) => message);
    super(
      messages.length === 1
        ? joined(`${subject}:`, messages[0], outcome)
        : [joined(`${subject}: ${messages.length} problems.`, outcome), ...messages].join("\n  "),
      { issues, billed, advice: "" },
    );
  }
}

/** A query, deletion or download got no complete response, or a generation provably was not sent. */
export class ConnectionError extends MediaGenError {
  override readonly name = "ConnectionError";
  /** The operation's id in the service's description, or `download` or `fileFrom`. */
  declare readonly operation: string;

  constructor(operation: string, cause: unknown, what: string = noResponse(cause)) {
    const { isFinal = false } = Object(cause) as { readonly isFinal?: boolean };
    const advice = isFinal ? "Correct the certificate or the proxy first." : "It is safe to retry.";
    super(`${operation}: ${what}.`, { operation, isRetryable: !isFinal, advice, cause });
  }
}

/** The store failed before a generation was sent, or holds a record that cannot be read. Nothing was sent. */
export class StoreError extends MediaGenError {
  override readonly name = "StoreError";

  constructor(subject: string, what: string, facts: Partial<Facts> = {}) {
    const reason = facts.cause === undefined ? "" : ` (${messageOf(facts.cause)})`;
    const advice = "No task was created, so it is safe to retry.";
    super(`${subject}: ${what}${reason}.`, { isRetryable: true, advice, ...facts });
  }
}

/** The service responded, and the response is not a success. A generation that ends in this created no task. */
export class ServiceError extends MediaGenError {
  override readonly name: string = "ServiceError";
  /** The operation's id in the service's description, such as `queryVideoTask`. */
  declare readonly operation: string;
  /** The HTTP status. */
  declare readonly status: number;
  /** The code of the envelope; undefined if the response was not an envelope. */
  declare readonly code: number | undefined;
  /** The message of the envelope; undefined if the response was not an envelope. */
  declare readonly msg: string | undefined;
  /** The start of the response's body. */
  declare readonly body: string;
  /** The delay before another try that the service requests, in milliseconds. */
  declare readonly retryAfterMs: number | undefined;
  /** The id that the service, or a proxy in front of it, gave the request. Include it when you contact support. */
  declare readonly requestId: string | undefined;
  /** The headers of the response, without the key and without cookies. */
  declare readonly headers: ResponseHeaders;

  constructor(
    what: string,
    operation: string,
    response: ServiceResponse,
    facts: Partial<Pick<ServiceError, "code" | "msg" | "isRetryable">> & Pick<ServiceError, "advice">,
  ) {
    const { status, retryAfterMs } = response;
    const { code, msg, isRetryable = mayPass(status), advice } = facts;
    const own = { operation, status, code, msg, retryAfterMs, isRetryable, advice };
    super(`${operation}: ${what}.`, { ...own, ...shown(response) });
  }
}

/** Returns the parts of a response that its errors show. */
function shown(response: ServiceResponse | undefined): Pick<OutcomeUnknownError, "body" | "requestId" | "headers"> {
  const { text, requestId, headers } = response ?? {};
  return { body: text === undefined ? text : shorten(text), requestId: requestId?.(), headers: headers?.() ?? {} };
}

/** Returns whether an HTTP status may pass: the service is busy or fails. */
export function mayPass(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501);
}

/** HTTP 401 or 403: the API key is missing, is not valid, or lacks a permission. */
export class AuthenticationError extends ServiceError {
  override readonly name = "AuthenticationError";
}

/** HTTP 404: the service has nothing at this URL. Check `baseUrl`. */
export class NotFoundError extends ServiceError {
  override readonly name = "NotFoundError";
}

/**
 * HTTP 429: retries did not help, or the service asks to wait for more than a minute. `retryAfterMs` holds how long, if
 * the service says so.
 */
export class RateLimitError extends ServiceError {
  override readonly name = "RateLimitError";
}

/** The balance does not cover the request. Add credits, then make the same call again. */
export class InsufficientCreditsError extends ServiceError {
  override readonly name = "InsufficientCreditsError";
  override readonly isRetryable = false;
}

/**
 * A generation was sent and its outcome is unknown: a task may exist and may have been billed. The SDK does not retry
 * it. Before you do, look for the task in the service's console, or ask its support.
 */
export class OutcomeUnknownError extends MediaGenError {
  override readonly name = "OutcomeUnknownError";
  /** The operation's id in the service's description. */
  declare readonly operation: string;
  /** The kind of its results: video or image. */
  declare readonly kind: Kind;
  /** The model of the generation. */
  declare readonly model: string;
  /** The SHA-256 of the form with its files, in hexadecimal; undefined without a store. */
  declare readonly digest: string | undefined;
  /** The time when the attempt began, in milliseconds since 1970. */
  declare readonly at: number;
  /** The id of its entry in the store, for `media.resolve`; undefined without a store. */
  declare readonly generationId: string | undefined;
  /** The reason why there is no usable response. */
  declare readonly reason: string;
  /** The HTTP status, if there was a response. */
  declare readonly status: number | undefined;
  /** The start of the response's body, if there was one. */
  declare readonly body: string | undefined;
  /** The id that the service, or a proxy in front of it, gave the request, if there was a response with one. */
  declare readonly requestId: string | undefined;
  /** The headers of the response, without the key and without cookies; empty if there was none. */
  declare readonly headers: ResponseHeaders;

  constructor(
    reason: string,
    operation: string,
    { kind, model, digest, at, generationId }: SentGeneration,
    { response, cause }: { readonly response?: ServiceResponse; readonly cause?: unknown },
  ) {
    const then = generationId
      ? `Then call media.resolve("${generationId}", { taskid }), or with "notCreated" if there is none.`
      : "A client with a store would have recorded it.";
    // Not toISOString, which throws if the clock of the options is wrong.
    const advice = `Before you generate it again, look in the service's console, or ask its support: a task of ${model} at ${new Date(at).toJSON()}. ${then}`;
    const what = `${operation}: ${reason}. A task may exist and may have been billed, so it was not retried.`;
    const own = { operation, kind, model, digest, at, generationId, reason, status: response?.status };
    super(what, { billed: "maybe", advice, cause, ...own, ...shown(response) });
  }
}

const classes: Readonly<Record<number, typeof ServiceError>> = {
  401: AuthenticationError,
  403: AuthenticationError,
  404: NotFoundError,
  429: RateLimitError,
};

/** Creates the error of a response, in the class of its code or HTTP status. */
export function serviceError(...about: ConstructorParameters<typeof ServiceError>): ServiceError {
  const [, , { status }, { code }] = about;
  const ErrorClass = code === codes.insufficientCredits ? InsufficientCreditsError : classes[status];
  return new (ErrorClass ?? ServiceError)(...about);
}

/** The task failed, according to `statuses` or `classify` of the client. */
export class TaskFailedError extends MediaGenError {
  override readonly name = "TaskFailedError";
  declare readonly task: Task;
  /** The record that shows the failure. */
  declare readonly record: TaskRecord;

  constructor(task: Task, record: TaskRecord) {
    const message = messageIn(record);
    const why = message && `: ${message}`;
    const advice = "Waiting again does not help; generating it again is billed again.";
    super(`Task ${task.taskid} failed${why}.`, { billed: "yes", advice, task, record });
  }
}

/** The deadline of a wait passed. The task is not lost: wait again, or save `JSON.stringify(error.task)` for later. */
export class WaitTimeoutError extends MediaGenError {
  override readonly name = "WaitTimeoutError";
  declare readonly task: Task;
  /** The last record of the wait; undefined if no query succeeded. */
  declare readonly record: TaskRecord | undefined;
  /** The raw status of that record; undefined if there is none. */
  declare readonly status: number | undefined;

  constructor(task: Task, timeoutMs: number, lastError: unknown, { record, status }: Partial<LastRecord> = {}) {
    const message = messageIn(record);
    const said = message && ` and the message ${JSON.stringify(message)}`;
    const last = status === undefined ? "" : `Its last record has status ${status}${said}.`;
    const trouble = lastError === undefined ? "" : `The last query failed (${messageOf(lastError)}).`;
    const advice = "It is not lost: wait again, or save JSON.stringify(error.task).";
    const what = `Task ${task.taskid} was not finished after ${describeDuration(timeoutMs)}.`;
    const facts = { task, record, status, cause: lastError };
    super(joined(what, last, trouble), { billed: "yes", isRetryable: true, advice, ...facts });
  }
}

/** The last record that a wait has seen. */
export interface LastRecord {
  readonly record: TaskRecord;
  /** The raw status; undefined if the record has none. */
  readonly status: number | undefined;
}

/** An HTTP response of the service, read completely. */
export interface ServiceResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The body as text, without the key. */
  readonly text: string;
  /** The delay before another try that the service requests, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Returns the id that the service, or a proxy before it, gave the request. */
  readonly requestId?: () => string | undefined;
  /** Returns the headers, without the key and without cookies. */
  readonly headers?: () => ResponseHeaders;
}

/** The headers of a response, by their names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string>>;

/** A generation that was sent, as errors describe it. */
export interface SentGeneration {
  readonly kind: Kind;
  readonly model: string;
  /** The SHA-256 of the form, in hexadecimal; undefined without a store. */
  readonly digest?: string | undefined;
  /** The id of its entry in the store; undefined without a store. */
  readonly generationId?: string | undefined;
  /** The time when its attempt began, in milliseconds since 1970. */
  readonly at: number;
}

/** Returns the start of a record's message, or an empty text if it has none. */
function messageIn(record: TaskRecord | undefined): string {
  const { message } = Object(record) as { readonly message?: unknown };
  return typeof message === "string" ? shorten(message) : "";
}

/** Returns an error's message with that of its cause, where runtimes put the reason; any other thrown value as text. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && cause.message && !message.includes(cause.message)
    ? [message, cause.message].filter(Boolean).join(": ")
    : message;
}

/** Returns the description of a request that may have been sent and has no readable response. */
export function noResponse(cause: unknown): string {
  return `there was no complete response (${messageOf(cause)})`;
}

/**
 * Rejects issues.
 *
 * @throws An {@link InvalidRequestError} if there are any
 */
export function rejectIssues(subject: string, issues: readonly Issue[], outcome?: string): void {
  if (issues.length > 0) throw new InvalidRequestError(subject, issues, outcome);
}

/** Creates an error about one field, as `issueOf` does; `outcome` as in the constructor. */
export function invalidRequest(
  subject: string,
  field: string,
  code: IssueCode,
  problem: string,
  advice = "",
  outcome = "",
): InvalidRequestError {
  return new InvalidRequestError(subject, [issueOf(field, code, problem, advice)], outcome);
}
