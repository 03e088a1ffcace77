import type { Task, TaskRecord } from "../task/task.ts";
import { describeDuration } from "./duration.ts";
import {
  describeIssue,
  describeWith,
  invalid,
  type Issue,
  type IssueCode,
  joined,
  type MoreOfIssue,
  shorten,
} from "./issue.ts";
import { describeLast, type LastRecord, messageIn } from "./last-record.ts";

/** The class of every error that this package throws itself. If your signal aborts, its reason is thrown unchanged. */
export class MediaGenError extends Error {
  /** The name of the class. It survives when the error is copied to another realm or to a log. */
  override readonly name: string = "MediaGenError";
}

/** An argument or option is not valid. `issues` lists every bad field, not only the first. */
export class InvalidRequestError extends MediaGenError {
  override readonly name = "InvalidRequestError";
  /** Every mistake that was found. */
  declare readonly issues: readonly Issue[];

  /**
   * @param subject the model, operation or function that was called
   * @param outcome a sentence on what it means for the money, such as `nothingWasSent`; only the thrower knows
   */
  constructor(subject: string, issues: readonly Issue[], outcome = "") {
    const [only] = issues;
    super(
      only && issues.length === 1
        ? `${subject}: ${describeWith(only, outcome)}`
        : [joined(`${subject}: ${issues.length} problems.`, outcome), ...issues.map(describeIssue)].join("\n  "),
    );
    this.issues = issues;
  }
}

/**
 * A query, deletion or download got no complete response, or a generation provably was not sent. It is safe to retry.
 */
export class ConnectionError extends MediaGenError {
  override readonly name = "ConnectionError";
  /** The operation's id in the service's description, or `download` or `fileFrom`. */
  declare readonly operation: string;

  constructor(operation: string, cause: unknown, what: string = noResponse(cause)) {
    // A retry meets the same certificate or the same rules of a proxy again.
    const { isFinal } = Object(cause) as { readonly isFinal?: boolean };
    super(`${operation}: ${what}.${isFinal ? "" : " It is safe to retry."}`, { cause });
    this.operation = operation;
  }
}

/** The store failed before a generation was sent, or holds a record that cannot be read. Nothing was sent. */
export class StoreError extends MediaGenError {
  override readonly name = "StoreError";
  /** Whether the record cannot be read, so that a task of an earlier call may exist. A retry does not help then. */
  declare readonly taskMayExist: boolean;

  /** @param outcome sentences on what it means for the money, and what to do */
  constructor(subject: string, what: string, outcome: string, cause?: unknown, taskMayExist = false) {
    const reason = cause === undefined ? "" : ` (${messageOf(cause)})`;
    super(`${subject}: ${what}${reason}. ${outcome}`, cause === undefined ? undefined : { cause });
    this.taskMayExist = taskMayExist;
  }
}

/** The client's budget does not cover a generation. Nothing was sent; what was sent before is not affected. */
export class BudgetError extends MediaGenError {
  override readonly name = "BudgetError";
  /** The client's budget. */
  declare readonly budget: Amount;
  /** The part of it that the client has used. */
  declare readonly spent: Amount;

  constructor(what: string, budget: Amount, spent: Amount) {
    super(`${what}. Nothing was sent. To go on, create a client with another budget.`);
    this.budget = budget;
    this.spent = spent;
  }
}

/** A number of generations and their results. Prices are not documented by the service. */
export interface Amount {
  /** The number of generations. */
  readonly generations: number;
  /** The number of results that they create. */
  readonly results: number;
}

/** The task failed, according to `statuses` or `classify` of the client. */
export class TaskFailedError extends MediaGenError {
  override readonly name = "TaskFailedError";
  /** The task that failed. */
  declare readonly task: Task;
  /** The record that shows the failure. */
  declare readonly record: TaskRecord;

  constructor(task: Task, record: TaskRecord) {
    const message = messageIn(record);
    const why = message === "" ? "" : `: ${shorten(message)}`;
    super(`Task ${task.taskid} failed${why}. Waiting again does not help; generating it again is billed again.`);
    this.task = task;
    this.record = record;
  }
}

/** The deadline of a wait passed. The task is not lost: wait again, or save `JSON.stringify(error.task)` for later. */
export class WaitTimeoutError extends MediaGenError {
  override readonly name = "WaitTimeoutError";
  /** The task that was waited for. You can wait for it again. */
  declare readonly task: Task;
  /** The last record of the wait; undefined if no query succeeded. */
  declare readonly record: TaskRecord | undefined;
  /** The raw status of that record; undefined if there is none. */
  declare readonly status: number | undefined;

  constructor(task: Task, timeoutMs: number, lastError: unknown, last?: LastRecord) {
    const trouble = lastError === undefined ? "" : `The last query failed (${messageOf(lastError)}). `;
    super(
      `Task ${task.taskid} was not finished after ${describeDuration(timeoutMs)}. ${describeLast(last)}${trouble}It is not lost: wait again, or save JSON.stringify(error.task).`,
      lastError === undefined ? undefined : { cause: lastError },
    );
    this.task = task;
    this.record = last?.record;
    this.status = last?.status;
  }
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

/** Creates an error about one field; `outcome` as in the constructor. */
export function invalidRequest(
  subject: string,
  field: string,
  code: IssueCode,
  received: string,
  expected: string,
  outcome: string = "",
  more?: MoreOfIssue,
): InvalidRequestError {
  return new InvalidRequestError(subject, [invalid(field, code, received, expected, more)], outcome);
}
