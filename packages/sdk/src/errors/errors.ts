import type { Kind } from "../spec/operation.ts";
import type { Task, TaskRecord } from "../task/task.ts";
import { describeIssue, invalid, type Issue, type IssueCode, shorten } from "./issue.ts";
import { describeLast, type LastRecord, messageIn } from "./last-record.ts";

/** Every error that this package throws itself; what the caller's own `signal` carries is thrown as it is. */
export class MediaGenError extends Error {
  /** The class's name, which outlives a copy of the error to another realm or log. */
  override readonly name: string = "MediaGenError";
}

/** A call was given something that is not valid. `issues` lists every bad field, not only the first. */
export class InvalidRequestError extends MediaGenError {
  override readonly name = "InvalidRequestError";
  /** Everything that is wrong. */
  readonly issues: readonly Issue[];

  /**
   * @param subject the model, operation or function that was called
   * @param outcome a sentence on what it means for the money, such as `nothingWasSent`; only the thrower knows
   */
  constructor(subject: string, issues: readonly Issue[], outcome = "") {
    const sentences = issues.map(describeIssue);
    const message =
      sentences.length === 1
        ? [`${subject}: ${sentences[0]}`, outcome].filter(Boolean).join(" ")
        : [[`${subject}: ${issues.length} problems.`, outcome].filter(Boolean).join(" "), ...sentences].join("\n  ");
    super(message);
    this.issues = issues;
  }
}

/** An HTTP response of the service, read completely. */
export interface ServiceResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The body as text, without the key. */
  readonly text: string;
  /** The body, if it is JSON, without the key. */
  readonly json?: unknown;
  /** How long the service asks to wait before another try, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  /** Whether a fetch function of the caller's followed a redirect to it. */
  readonly redirected?: boolean | undefined;
}

/** A generation that was sent, as errors describe it. */
export interface SentGeneration {
  readonly kind: Kind;
  readonly model: string;
  /** The SHA-256 of the form, in hexadecimal; undefined without a store. */
  readonly digest?: string | undefined;
  /** The id of its record in the store; undefined without a store. */
  readonly generationId?: string | undefined;
  /** When its attempt began, in milliseconds since 1970. */
  readonly at: number;
}

/** The service responded, and the response is not a success. A generation that ends in this created no task. */
export class ServiceError extends MediaGenError {
  override readonly name: string = "ServiceError";
  /** The operation's id in the service's description, such as `queryVideoTask`. */
  readonly operation: string;
  /** The HTTP status. */
  readonly status: number;
  /** The envelope's code; undefined if the response was no envelope. */
  readonly code: number | undefined;
  /** The envelope's message; undefined if the response was no envelope. */
  readonly msg: string | undefined;
  /** The start of the response's body. */
  readonly body: string;
  /** How long the service asks to wait before another try, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The task that was waited for, if a wait ended in this. */
  readonly task: Task | undefined;

  constructor(
    what: string,
    operation: string,
    response: ServiceResponse,
    envelope?: { readonly code: number | undefined; readonly msg: string | undefined },
    task?: Task,
  ) {
    super(`${operation}: ${what}`);
    this.operation = operation;
    this.status = response.status;
    this.code = envelope?.code;
    this.msg = envelope?.msg;
    this.body = shorten(response.text);
    this.retryAfterMs = response.retryAfterMs;
    this.task = task;
  }
}

/** The balance does not cover the request. Add credits; then the same call may be made again. */
export class InsufficientCreditsError extends ServiceError {
  override readonly name = "InsufficientCreditsError";
}

/**
 * A generation was sent and its outcome is unknown: a task may exist and may have been billed. The SDK does not send it again, and
 * neither should a caller before looking for the task at the service.
 */
export class OutcomeUnknownError extends MediaGenError {
  override readonly name = "OutcomeUnknownError";
  /** The operation's id in the service's description. */
  readonly operation: string;
  /** What was to be made. */
  readonly kind: Kind;
  /** The model that was to make it. */
  readonly model: string;
  /** The SHA-256 of the form with its files, in hexadecimal; undefined without a store. */
  readonly digest: string | undefined;
  /** When its attempt began, in milliseconds since 1970. */
  readonly at: number;
  /** The id of its record in the store, for `media.resolve`; undefined without a store. */
  readonly generationId: string | undefined;
  /** What happened instead of a usable response. */
  readonly reason: string;
  /** The HTTP status, if there was a response. */
  readonly status: number | undefined;
  /** The start of the response's body, if there was one. */
  readonly body: string | undefined;

  constructor(
    reason: string,
    operation: string,
    { kind, model, digest, at, generationId }: SentGeneration,
    { response, cause }: { readonly response?: ServiceResponse; readonly cause?: unknown },
  ) {
    super(
      `${operation}: ${reason}. A task may exist and may have been billed, so it was not sent again. ` +
        `Look for it at the service before you generate it again${generationId ? `, then call resolve("${generationId}", ...)` : ""}.`,
      cause === undefined ? undefined : { cause },
    );
    this.operation = operation;
    this.kind = kind;
    this.model = model;
    this.digest = digest;
    this.at = at;
    this.generationId = generationId;
    this.reason = reason;
    this.status = response?.status;
    this.body = response && shorten(response.text);
  }
}

/** A query, deletion or download got no complete response, or a generation provably never left. It is safe to retry. */
export class ConnectionError extends MediaGenError {
  override readonly name = "ConnectionError";
  /** The operation's id in the service's description, or `download`. */
  readonly operation: string;

  constructor(operation: string, cause: unknown) {
    super(`${operation}: there was no complete response (${messageOf(cause)}). It is safe to retry.`, { cause });
    this.operation = operation;
  }
}

/** The store failed before a generation was sent, or holds a record that cannot be read. Nothing was sent. */
export class StoreError extends MediaGenError {
  override readonly name = "StoreError";
  /** Whether the record cannot be read, so that a task of an earlier call may exist. A retry does not help then. */
  readonly taskMayExist: boolean;

  constructor(subject: string, what: string, cause?: unknown, taskMayExist = false) {
    const reason = cause === undefined ? "" : ` (${messageOf(cause)})`;
    super(`${subject}: ${what}${reason}.`, cause === undefined ? undefined : { cause });
    this.taskMayExist = taskMayExist;
  }
}

/** The task failed, according to the caller's reading of its record. */
export class TaskFailedError extends MediaGenError {
  override readonly name = "TaskFailedError";
  /** The task that failed. */
  readonly task: Task;
  /** The record that says so. */
  readonly record: TaskRecord;

  constructor(task: Task, record: TaskRecord) {
    const message = messageIn(record);
    const why = message === "" ? "" : `: ${shorten(message)}`;
    super(`Task ${task.taskid} failed${why}. Waiting again does not help; generating it again is billed again.`);
    this.task = task;
    this.record = record;
  }
}

/**
 * The wait's deadline passed. The task is not lost: wait again, or save `JSON.stringify(error.task)` for later. If the last status
 * means that the task has failed, pass it as `statuses.failed`: the service does not document what statuses mean.
 */
export class WaitTimeoutError extends MediaGenError {
  override readonly name = "WaitTimeoutError";
  /** The task that was waited for. You can wait for it again. */
  readonly task: Task;
  /** The last record of the wait; undefined if no query succeeded. */
  readonly record: TaskRecord | undefined;
  /** The raw status of that record; undefined if there is none. */
  readonly status: number | undefined;

  constructor(task: Task, timeoutMs: number, lastError: unknown, last?: LastRecord) {
    const trouble = lastError === undefined ? "" : `The last query failed (${messageOf(lastError)}). `;
    super(
      `Task ${task.taskid} was not finished after ${timeoutMs} ms. ${describeLast(last)}${trouble}It is not lost: wait again, or save JSON.stringify(error.task).`,
      lastError === undefined ? undefined : { cause: lastError },
    );
    this.task = task;
    this.record = last?.record;
    this.status = last?.status;
  }
}

/** Returns an error's message with that of its cause, where runtimes hide the reason; or what else was thrown, as text. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && cause.message && !message.includes(cause.message)
    ? [message, cause.message].filter(Boolean).join(": ")
    : message;
}

/** Creates an error about one field; `outcome` as in the constructor. */
export function invalidRequest(
  subject: string,
  field: string,
  code: IssueCode,
  received: string,
  expected: string,
  outcome: string = "",
): InvalidRequestError {
  return new InvalidRequestError(subject, [invalid(field, code, received, expected)], outcome);
}
