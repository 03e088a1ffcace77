import { isObject } from "../spec/is-object.ts";
import type { Task, TaskRecord } from "../task/task.ts";
import { describeDuration } from "./duration.ts";
import { type Issue, type IssueCode, issueOf, joined, shorten } from "./issue.ts";

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

/** Records in an error of this package that its generation has created a task. */
export function afterCreation(error: unknown, task: Task | undefined, billed: "maybe" | "yes" = "yes"): void {
  // An error of another generation, thrown by the caller's own code, already says what it means.
  const isOfOther =
    !(error instanceof MediaGenError) || error.billed === "maybe" || (error.task && error.task !== task);
  if (!isOfOther) Object.assign(error, { billed, task });
}

/** Returns what happens to a task after its creation. Its errors say so. */
export async function ofTask<T>(promise: Promise<T>, task?: Task, billed?: "maybe"): Promise<T> {
  try {
    return await promise;
  } catch (error) {
    afterCreation(error, task, billed);
    throw error;
  }
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

/** The task failed, according to `statuses` or `classify` of the client. */
export class TaskFailedError extends MediaGenError {
  override readonly name = "TaskFailedError";
  declare readonly task: Task;
  /** The record that shows the failure. */
  declare readonly record: TaskRecord;

  constructor(task: Task, record: TaskRecord) {
    const message = messageIn(record);
    const why = message === "" ? "" : `: ${shorten(message)}`;
    const advice = "Waiting again does not help; generating it again is billed again.";
    super(`Task ${task.taskid} failed${why}.`, { billed: "yes", advice, task, record });
  }
}

/** The last record that a wait has seen. */
export interface LastRecord {
  readonly record: TaskRecord;
  /** The raw status; undefined if the record has none. */
  readonly status: number | undefined;
}

/** The deadline of a wait passed. The task is not lost: wait again, or save `JSON.stringify(error.task)` for later. */
export class WaitTimeoutError extends MediaGenError {
  override readonly name = "WaitTimeoutError";
  declare readonly task: Task;
  /** The last record of the wait; undefined if no query succeeded. */
  declare readonly record: TaskRecord | undefined;
  /** The raw status of that record; undefined if there is none. */
  declare readonly status: number | undefined;

  constructor(task: Task, timeoutMs: number, lastError: unknown, last?: LastRecord) {
    const trouble = lastError === undefined ? "" : `The last query failed (${messageOf(lastError)}).`;
    const advice = "It is not lost: wait again, or save JSON.stringify(error.task).";
    const what = `Task ${task.taskid} was not finished after ${describeDuration(timeoutMs)}.`;
    const facts = { task, record: last?.record, status: last?.status, cause: lastError };
    super(joined(what, describeLast(last), trouble), { billed: "yes", isRetryable: true, advice, ...facts });
  }
}

/** Returns what a record says, or an empty text if it has no status. */
function describeLast(last: LastRecord | undefined): string {
  if (last?.status === undefined) return "";
  const { record, status } = last;
  const message = messageIn(record);
  const said = message === "" ? "" : ` and the message ${JSON.stringify(shorten(message))}`;
  return `Its last record has status ${status}${said}.`;
}

/** Returns a record's message, or an empty text if it has none. */
function messageIn(record: TaskRecord): string {
  const message: unknown = "message" in record ? record.message : undefined;
  return typeof message === "string" ? message : "";
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
