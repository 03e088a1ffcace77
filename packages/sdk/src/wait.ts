import { startDeadline, type Time } from "./clock.ts";
import { ConnectionError, InvalidRequestError, ServiceError, TaskFailedError, WaitTimeoutError } from "./errors.ts";
import type { Kind } from "./operation.ts";
import { codes } from "./operations.gen.ts";
import type { State } from "./state.ts";
import type { CallOptions, Check, Records, Task } from "./task.ts";

/** What a wait tells after each check. */
export interface WaitUpdate<K extends Kind = Kind> {
  readonly task: Task<K>;
  /** How many checks were made so far. */
  readonly checks: number;
  /** How long the wait has taken so far, in milliseconds. */
  readonly elapsedMs: number;
  /** Our reading of the record; undefined where the check failed. */
  readonly state: State | undefined;
  /** The raw status; undefined where the check failed or the record has none. */
  readonly status: number | undefined;
  readonly record: Records[K] | undefined;
  /** Why the check failed, where it did. The wait goes on. */
  readonly error: unknown;
}

/** How to wait for a task. */
export interface WaitOptions<K extends Kind = Kind> extends CallOptions {
  /** Is told of every check, and awaited where it answers a promise; what it throws ends the wait. */
  readonly onUpdate?: ((update: WaitUpdate<K>) => unknown) | undefined;
  /**
   * How long to wait at most, in milliseconds.
   * @default 1_800_000 (30 minutes)
   */
  readonly timeoutMs?: number | undefined;
}

/** How long after its creation a task may be unknown to the service's queries. */
const settlingMs = 60_000;
/** After how many refusals in a row a wait gives up. */
const refusalsAtMost = 5;
const firstIntervalMs = 500;
const lastIntervalMs = 10_000;

/** One query of a task, sent once: a wait repeats by itself. */
export type CheckOnce<K extends Kind> = (signal: AbortSignal) => Promise<Check<K>>;

/** Checks a task until it has succeeded and answers its record. */
export async function waitFor<K extends Kind>(task: Task<K>, check: CheckOnce<K>, options: WaitOptions<K>, time: Time): Promise<Records[K]> {
  const { signal, onUpdate, timeoutMs = 30 * 60_000 } = options;
  if (!(timeoutMs >= 0)) {
    throw new InvalidRequestError("wait: there is no such deadline", [{ field: "timeoutMs", got: String(timeoutMs), allowed: "milliseconds, 0 or more" }]);
  }
  signal?.throwIfAborted();
  const start = time.now();
  const deadline = startDeadline(time, timeoutMs, () => new Error(`the wait took ${timeoutMs} ms`), signal);
  const ended = deadline.signal;
  let lastError: unknown;
  try {
    for (let checks = 1, refusals = 0; ; checks++) {
      const { error, state, status, record } = await orError(check, ended);
      await onUpdate?.({ task, checks, elapsedMs: time.now() - start, state, status, record, error });
      if (record && state === "failed") throw new TaskFailedError(task, record);
      if (record && state === "succeeded") return record;
      lastError = error;
      refusals = isRefusal(error) && !isYoung(task, time) ? refusals + 1 : 0;
      if (isRefusal(error) && refusals >= refusalsAtMost) throw refusedWait(task, error);
      // Some results of several: those that are missing may be late, so it is looked for them at length.
      const isPartial = record !== undefined && record.url.length > 0;
      const interval = isPartial ? lastIntervalMs : Math.min(firstIntervalMs * 1.5 ** (checks - 1), lastIntervalMs);
      await time.sleep(interval * (0.75 + time.random() / 2), ended);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (deadline.passed) throw new WaitTimeoutError(task, timeoutMs, lastError);
    throw error;
  } finally {
    deadline.end();
  }
}

type CheckOrError<K extends Kind> = Pick<WaitUpdate<K>, "state" | "status" | "record" | "error">;

/** One check; a failure is an answer too, because it does not end a wait, unless the wait has ended. */
async function orError<K extends Kind>(check: CheckOnce<K>, signal: AbortSignal): Promise<CheckOrError<K>> {
  try {
    return { ...(await check(signal)), error: undefined };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError || error instanceof ConnectionError)) throw error;
    return { state: undefined, status: undefined, record: undefined, error };
  }
}

function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === codes.failure;
}

function refusedWait(task: Task, { operation, status, code, msg, answer }: ServiceError): ServiceError {
  const what = `the service refused ${refusalsAtMost} queries of task ${task.taskid} in a row (code ${code}: ${msg})`;
  return new ServiceError(what, operation, { status, text: answer }, { code, msg }, task);
}

function isYoung({ createdAt }: Task, time: Time): boolean {
  return createdAt !== undefined && time.now() - createdAt < settlingMs;
}
