import type { Kind } from "../spec/operation.ts";
import type { Generation } from "../task/generation.ts";
import type { Task, TaskRecord } from "../task/task.ts";
import type { Issue } from "./issue.ts";

/** Every error that this package throws itself; what the caller's own `signal` carries is thrown as it is. */
export class MediaGenError extends Error {
  /** The class's name, which outlives a copy of the error to another realm or log. */
  override readonly name: string = "MediaGenError";
}

/** What was given is wrong: found before anything was sent, so nothing was paid. */
export class InvalidRequestError extends MediaGenError {
  override readonly name = "InvalidRequestError";
  /** Everything that is wrong, not only the first. */
  readonly issues: readonly Issue[];

  constructor(subject: string, issues: readonly Issue[]) {
    const lines = issues.map(({ field, got, allowed, hint }) => {
      const question = hint === undefined ? "" : ` Did you mean ${hint}?`;
      return `\n  ${field}: got ${got}, allowed is ${allowed}.${question}`;
    });
    super(`${subject}, because of${lines.join("")}`);
    this.issues = issues;
  }
}

/** What the service answered, for the errors that tell of an answer. */
export interface Answer {
  /** The HTTP status. */
  readonly status: number;
  /** The answer's body as text, without the key. */
  readonly text: string;
  /** The answer's body, where it is JSON, without the key. */
  readonly json?: unknown;
  /** How long the service asks to wait before another try, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The service answered, and the answer is not a success. A generation that ends in this was not accepted. */
export class ServiceError extends MediaGenError {
  override readonly name: string = "ServiceError";
  /** The operation's id in the service's description, such as `queryVideoTask`. */
  readonly operation: string;
  /** The HTTP status. */
  readonly status: number;
  /** The envelope's code; undefined where the answer was not an envelope. */
  readonly code: number | undefined;
  /** The envelope's message; undefined where the answer was not an envelope. */
  readonly msg: string | undefined;
  /** The start of the answer's body. */
  readonly answer: string;
  /** How long the service asks to wait before another try, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** The task that was waited for, where a wait ended in this. */
  readonly task: Task | undefined;

  constructor(
    what: string,
    operation: string,
    answer: Answer,
    envelope?: { readonly code: number | undefined; readonly msg: string | undefined },
    task?: Task,
  ) {
    super(`${operation}: ${what}`);
    this.operation = operation;
    this.status = answer.status;
    this.code = envelope?.code;
    this.msg = envelope?.msg;
    this.answer = shorten(answer.text);
    this.retryAfterMs = answer.retryAfterMs;
    this.task = task;
  }
}

/** The balance does not cover the request. Add credits; then the same call may be made again. */
export class InsufficientCreditsError extends ServiceError {
  override readonly name = "InsufficientCreditsError";
}

/**
 * A generation was sent and its outcome is not known: a task may exist and may have been paid. The SDK does not send it
 * again, and neither should a caller before looking at the service.
 */
export class OutcomeUnknownError extends MediaGenError {
  override readonly name = "OutcomeUnknownError";
  /** The operation's id in the service's description. */
  readonly operation: string;
  /** What was to be made. */
  readonly kind: Kind;
  /** The model that was to make it. */
  readonly model: string;
  /**
   * The SHA-256 of the form as it was sent, in hex: of its texts, and of its files' names, types and sizes. Undefined where
   * the runtime has no Web Crypto.
   */
  readonly digest: string | undefined;
  /** When it was sent, in milliseconds since 1970. */
  readonly at: number;
  /** Its id in the journal, for `media.resolve`; undefined without a journal. */
  readonly id: string | undefined;
  /** What happened instead of a usable answer. */
  readonly why: string;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** The start of the answer's body, where there was one. */
  readonly answer: string | undefined;

  constructor(
    why: string,
    operation: string,
    { kind, model, digest, at, id }: Generation,
    { answer, cause }: { readonly answer?: Answer; readonly cause?: unknown },
  ) {
    super(
      `${operation}: ${why}. A task may exist and may have been paid; it was not sent again. ` +
        `Look at the service before you generate this again${id ? `, then resolve("${id}", ...)` : ""}.`,
      cause === undefined ? undefined : { cause },
    );
    this.operation = operation;
    this.kind = kind;
    this.model = model;
    this.digest = digest;
    this.at = at;
    this.id = id;
    this.why = why;
    this.status = answer?.status;
    this.answer = answer && shorten(answer.text);
  }
}

/** No whole answer came to a query, a deletion or a download, or a generation provably did not leave. Trying again is safe. */
export class ConnectionError extends MediaGenError {
  override readonly name = "ConnectionError";
  /** The operation's id in the service's description, or `download`. */
  readonly operation: string;

  constructor(operation: string, cause: unknown) {
    super(`${operation}: there was no whole answer (${messageOf(cause)}). It is safe to try again.`, { cause });
    this.operation = operation;
  }
}

/** The task failed, by the caller's reading of its record. */
export class TaskFailedError extends MediaGenError {
  override readonly name = "TaskFailedError";
  /** The task that failed. */
  readonly task: Task;
  /** The record that says so. */
  readonly record: TaskRecord;

  constructor(task: Task, record: TaskRecord) {
    const message = "message" in record && record.message ? `: ${shorten(record.message)}` : "";
    super(
      `task ${task.taskid} failed${message}. It cannot be waited for; generate it anew if you want to pay for it again.`,
    );
    this.task = task;
    this.record = record;
  }
}

/** The wait's deadline passed. The task is not lost: wait again, or keep `JSON.stringify(error.task)` for later. */
export class WaitTimeoutError extends MediaGenError {
  override readonly name = "WaitTimeoutError";
  /** The task that was waited for: it may be waited for again. */
  readonly task: Task;

  constructor(task: Task, timeoutMs: number, lastError: unknown) {
    const trouble = lastError === undefined ? "" : ` The last query failed (${messageOf(lastError)}).`;
    super(
      `task ${task.taskid} was not finished after ${timeoutMs} ms.${trouble} The task is not lost: wait again, or keep JSON.stringify(error.task).`,
      lastError === undefined ? undefined : { cause: lastError },
    );
    this.task = task;
  }
}

/** An error's message and that of its cause, which is where engines hide the reason; or what else was thrown as text. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error && cause.message && !message.includes(cause.message)
    ? `${message}: ${cause.message}`
    : message;
}

/** The start of a text that is too long to be shown whole. */
export function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}... (${text.length} characters)` : text;
}
