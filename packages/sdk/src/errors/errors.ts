import { codes } from "../spec/operations.gen.ts";
import type { GenerationFacts } from "../task/generation.ts";
import type { Check, Task, TaskRecord } from "../task/task.ts";
import { describeDuration, type Issue, issueOf, joined, shorten } from "./issue.ts";

/**
 * What an error means for the money and for the next step, and the fields of its class. The advice
 * ends its message.
 */
type Facts = Pick<MediaGenError, "advice"> & Partial<MediaGenError> & Record<string, unknown>;

/**
 * The class of every error that this package throws itself. If your signal aborts, its reason is
 * thrown unchanged, except while a generation is being sent. Repeat a generation only if `billed`
 * is `"no"` and `isRetryable` is true.
 */
export class MediaGenError extends Error {
  // Minifiers rename classes.
  static override readonly name: string = "MediaGenError";
  /**
   * Whether the generation that the error belongs to was billed. After its creation, a task always
   * counts as billed.
   */
  declare readonly billed: "no" | "maybe" | "yes";
  /** Whether the same call may succeed later and is safe to repeat. */
  declare readonly isRetryable: boolean;
  /** What to do next, in one sentence or two. */
  declare readonly advice: string;
  /**
   * The task, if the error came after its creation and from one of its methods. It is not lost:
   * continue with it.
   */
  declare readonly task: Task | undefined;

  constructor(what: string, { cause, ...facts }: Facts) {
    super(joined(what, facts.advice), cause === undefined ? undefined : { cause });
    Object.assign(this, { name: new.target.name, billed: "no", isRetryable: false }, facts);
  }

  /** What happened, without the advice. */
  get problem(): string {
    return this.message.replace(this.advice, "").trimEnd();
  }

  /**
   * Makes `instanceof` true also for errors of another copy of this package: its classes have the
   * same names.
   *
   * @param value Any value, such as one that was caught.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    const names: unknown[] = [];
    for (let one = Object(value).constructor; one; one = Object.getPrototypeOf(one))
      names.push(one.name);
    return value instanceof Error && names.includes(this.name) && names.includes("MediaGenError");
  }
}

/**
 * Records in an error of this package that its generation has created a task, and returns the
 * error.
 */
export function afterCreation(
  error: unknown,
  task: Task | undefined,
  billed: "maybe" | "yes" = "yes",
): unknown {
  // An error of another generation, thrown by the caller's own code, already says what it means.
  if (error instanceof MediaGenError && error.billed !== "maybe" && (error.task ?? task) === task)
    Object.assign(error, { billed, task });
  return error;
}

/** An argument or option is not valid. `issues` lists every bad field, not only the first. */
export class InvalidRequestError extends MediaGenError {
  static override readonly name = "InvalidRequestError";
  declare readonly issues: readonly Issue[];
  override readonly advice = "Correct it, then make the call again.";

  /**
   * `subject` is the model, operation or function; `outcome` says what it means for the money,
   * which only the thrower knows.
   */
  constructor(
    subject: string,
    issues: readonly Issue[],
    outcome = "",
    billed: "no" | "maybe" = "no",
  ) {
    const lines = issues.map(({ message }) => message);
    if (lines.length > 1) lines.unshift(`${lines.length} problems.`);
    lines[0] = joined(lines[0], outcome);
    super(`${subject}: ${lines.join("\n  ")}`, { issues, billed, advice: "" });
  }
}

/**
 * A query, deletion or download got no complete response, or a generation provably was not sent.
 */
export class ConnectionError extends MediaGenError {
  static override readonly name = "ConnectionError";
  /** The operation's id in the service's description, or `download` or `fileFrom`. */
  declare readonly operation: string;

  constructor(
    operation: string,
    cause: unknown,
    what: string = noResponse(cause),
    name: string = operation,
  ) {
    const { isFinal } = Object(cause) as { readonly isFinal?: boolean };
    const check = isFinal === false && "If it fails again, check baseUrl."; // Nothing was sent.
    const advice = isFinal
      ? "Check baseUrl, the certificate and the proxy."
      : joined("It is safe to retry.", check);
    super(`${name}: ${what}.`, { operation, isRetryable: !isFinal, advice, cause });
  }
}

/**
 * The store failed before a generation was sent, or holds an entry that cannot be read. Nothing was
 * sent.
 */
export class StoreError extends MediaGenError {
  static override readonly name = "StoreError";

  constructor(subject: string, what: string, facts: Partial<Facts> = {}) {
    const reason = facts.cause === undefined ? "" : ` (${messageOf(facts.cause)})`;
    const advice = "Nothing was sent. It is safe to retry with the same key.";
    super(`${subject}: ${what}${reason}.`, { isRetryable: true, advice, ...facts });
  }
}

/** What the errors of a response say about it. */
export interface ServiceResponse {
  readonly status: number;
  /** The code and the message of the envelope; undefined if the response was not an envelope. */
  readonly code?: number | undefined;
  readonly msg?: string | undefined;
  /** The start of the response's body, without the key. */
  readonly body: string;
  /** The delay before another try that the service requests, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /**
   * The id that the service, or a proxy in front of it, gave the request. Include it when you
   * contact support.
   */
  readonly requestId?: string | undefined;
}

/** Returns what errors say about a response; an answer has more. */
function shown({
  status,
  code,
  msg,
  body,
  retryAfterMs,
  requestId,
}: Partial<ServiceResponse>): object {
  return { status, code, msg, body, retryAfterMs, requestId };
}

/** Returns whether an HTTP status may pass: the service is busy or fails. */
export function mayPass(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501);
}

export interface ServiceError extends ServiceResponse {}

/**
 * The service responded, and the response is not a success. A generation with this error created no
 * task.
 */
export class ServiceError extends MediaGenError {
  static override readonly name: string = "ServiceError";
  declare readonly operation: string;

  constructor(
    what: string,
    operation: string,
    response: ServiceResponse,
    facts: Facts,
    name: string = operation,
  ) {
    super(`${name}: ${what}.`, {
      operation,
      ...shown(response),
      isRetryable: mayPass(response.status),
      ...facts,
    });
  }
}

/**
 * HTTP 401, 403 or 407: the API key or a proxy's password is missing, not valid, or lacks a
 * permission.
 */
export class AuthenticationError extends ServiceError {
  static override readonly name = "AuthenticationError";
}

/** HTTP 404 or 405: the service has nothing at this URL. Check `baseUrl`. */
export class NotFoundError extends ServiceError {
  static override readonly name = "NotFoundError";
}

/**
 * HTTP 429, and retries did not help. `retryAfterMs` holds how long to wait, if the service says
 * so.
 */
export class RateLimitError extends ServiceError {
  static override readonly name = "RateLimitError";
}

/** The balance does not cover the request. Add credits, then make the same call again. */
export class InsufficientCreditsError extends ServiceError {
  static override readonly name = "InsufficientCreditsError";
  override readonly isRetryable = false;
}

export interface OutcomeUnknownError extends SentGeneration, Partial<ServiceResponse> {}

/**
 * A generation was sent and its outcome is unknown: a task may exist and may have been billed. It
 * is not retried.
 */
export class OutcomeUnknownError extends MediaGenError {
  static override readonly name = "OutcomeUnknownError";
  declare readonly operation: string;
  /** The reason why there is no usable response. */
  declare readonly reason: string;

  constructor(
    reason: string,
    operation: string,
    sent: SentGeneration,
    response: LostResponse = {},
  ) {
    const { kind, model, digest, at, generationId, attempt } = sent;
    const taskid = response.namedTask || sent.taskid;
    const then =
      generationId &&
      `Then call media.resolve("${generationId}", { taskid } or "notCreated", { attempt: "${attempt}" }).`;
    // Not toISOString, which throws if the clock of the options is wrong.
    const task = `a task of ${new Date(at).toJSON()}`;
    const search = `Before you generate it again, look for ${task} in the service's console, or ask its support.`;
    const what = `${model}: ${reason}. A task may exist and may have been billed, so it was not retried.`;
    const ids = { generationId, attempt, taskid };
    const own = { operation, reason, kind, model, digest, at, ...ids, ...shown(response) };
    super(what, { billed: "maybe", advice: joined(search, then), cause: response.cause, ...own });
  }
}

type LostResponse = Partial<ServiceResponse> & {
  readonly cause?: unknown;
  readonly namedTask?: string | undefined;
};

export function serviceError(...about: ConstructorParameters<typeof ServiceError>): ServiceError {
  const [, , { status, code }] = about;
  if (code === codes.insufficientCredits) return new InsufficientCreditsError(...about);
  if (status === 401 || status === 403 || status === 407) return new AuthenticationError(...about);
  if (status === 404 || status === 405) return new NotFoundError(...about);
  return new (status === 429 ? RateLimitError : ServiceError)(...about);
}

/** The task failed, according to `statuses` or `classify` of the client. */
export class TaskFailedError extends MediaGenError {
  static override readonly name = "TaskFailedError";
  declare readonly task: Task;
  declare readonly record: TaskRecord;

  constructor(task: Task, record: TaskRecord) {
    const advice = "Waiting again does not help. A new generation is billed again.";
    super(`Task ${task.taskid} failed${messageIn(record)}.`, {
      billed: "yes",
      advice,
      task,
      record,
    });
  }
}

export interface WaitTimeoutError extends LastRecord {}

/**
 * The deadline of a wait passed. The task is not lost: wait again, or save
 * `JSON.stringify(error.task)` for later.
 */
export class WaitTimeoutError extends MediaGenError {
  static override readonly name = "WaitTimeoutError";
  declare readonly task: Task;

  constructor(task: Task, timeoutMs: number, cause: unknown, { record, status }: LastRecord = {}) {
    const last =
      status !== undefined && `Its last record has status ${status}${messageIn(record)}.`;
    const trouble = cause !== undefined && `The last poll failed: ${messageOf(cause)}`;
    const what = joined(
      `Task ${task.taskid} was not finished after ${describeDuration(timeoutMs)}.`,
      last,
      trouble,
    );
    const advice = "The task is not lost: wait again, or save JSON.stringify(error.task).";
    super(what, { billed: "yes", isRetryable: true, advice, task, record, status, cause });
  }
}

/** The last record of a wait, and its raw status; undefined if no query succeeded. */
export type LastRecord = Partial<Pick<Check, "record" | "status">>;

/** A generation that was sent, as errors describe it. */
export interface SentGeneration extends Pick<GenerationFacts, "kind" | "model" | "digest"> {
  /** The id of its entry in the store, for `media.resolve`; undefined without a store. */
  readonly generationId?: string | undefined;
  /** The id of this attempt, for `media.resolve`: a later one of the same key has another. */
  readonly attempt?: string | undefined;
  /**
   * The id of a task that the response named, although it was no success. Look at that task first.
   */
  readonly taskid?: string | undefined;
  /** The time when the attempt began, in milliseconds since 1970. */
  readonly at: number;
}

function messageIn(record: TaskRecord | undefined): string {
  const { message } = Object(record) as { readonly message?: unknown };
  return typeof message === "string" && message !== "" ? `: ${shorten(message)}` : "";
}

/**
 * Returns an error's message with that of its cause, where runtimes put the reason; any other
 * thrown value as text.
 */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const inner = error.cause instanceof Error ? error.cause.message : "";
  return error.message.includes(inner) ? error.message : `${error.message}: ${inner}`;
}

export function noResponse(cause: unknown): string {
  return `there was no complete response (${messageOf(cause)})`;
}

export function rejectIssues(subject: string, issues: readonly Issue[], outcome?: string): void {
  if (issues.length > 0) throw new InvalidRequestError(subject, issues, outcome);
}

/**
 * Creates an error about one field, as `issueOf` does. What it means for the money is the last
 * advice.
 */
export function invalidRequest(
  subject: string,
  ...issue: Parameters<typeof issueOf>
): InvalidRequestError {
  return new InvalidRequestError(subject, [issueOf(...issue)]);
}
