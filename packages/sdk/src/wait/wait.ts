import { checkNumbers } from "../errors/check-numbers.ts";
import { ConnectionError, ServiceError, TaskFailedError, WaitTimeoutError } from "../errors/errors.ts";
import type { Kind } from "../spec/operation.ts";
import { codes } from "../spec/operations.gen.ts";
import type { Check, Records, Task, WaitOptions, WaitUpdate } from "../task/task.ts";
import { Deadline, type Time } from "../time/clock.ts";
import { type Durations, worthOfQueryMs } from "./durations.ts";
import type { Scheduler } from "./scheduler.ts";

/** How long after its creation a task may be unknown to the service's queries. */
const settlingMs = 60_000;
/** After how many refusals in a row a wait gives up. */
const refusalsAtMost = 5;
/** After a failed query, and half as long again after each further one, up to `atLengthMs`. */
const firstRetryMs = 500;
const atLengthMs = 10_000;
/** A service that asks for more is asked again all the same. */
const longestRetryAfterMs = 60_000;
/** How long a query may hang, and twice as long after each that did: it holds a slot that others want. */
const firstPatienceMs = 10_000;
/** How long before the deadline it is looked once more. */
const lastLookMs = 1_000;

/** One query of a task, sent once: a wait repeats by itself. */
export type CheckOnce<K extends Kind> = (signal: AbortSignal, patienceMs: number) => Promise<Check<K>>;

/** What a wait needs of its client. */
export interface WaitHost extends Time {
  readonly scheduler: Scheduler;
}

/** Checks a task until it has succeeded and answers its record. */
export async function waitFor<K extends Kind>(
  task: Task<K>,
  check: CheckOnce<K>,
  options: WaitOptions<K>,
  host: WaitHost,
): Promise<Records[K]> {
  const { signal, onUpdate } = options;
  const timeoutMs = timeoutOf(options);
  signal?.throwIfAborted();
  const start = host.steady();
  const lastLook = start + timeoutMs - Math.min(lastLookMs, timeoutMs / 2);
  const deadline = new Deadline(host, timeoutMs, () => new Error(`the wait took ${timeoutMs} ms`), signal, "deadline");
  const pace = new Pace(task, host);
  let lastError: unknown;
  try {
    for (let checks = 1, refusals = 0; ; checks++) {
      const latest = host.steady() < lastLook ? lastLook : Infinity;
      const turn = { due: () => Math.min(pace.due(), latest), suspect: pace.failures > 0, signal: deadline.signal };
      const checked = await host.scheduler.query(turn, () =>
        orError(check, deadline.signal, firstPatienceMs * 2 ** pace.failures, host),
      );
      const { error, state, status, record } = checked;
      pace.saw(checked);
      await onUpdate?.({ task, checks, elapsedMs: host.steady() - start, state, status, record, error });
      if (record && state === "failed") throw new TaskFailedError(task, record);
      if (record && state === "succeeded") return record;
      lastError = error;
      refusals = isRefusal(error) && host.steady() >= pace.settledAt ? refusals + 1 : 0;
      if (isRefusal(error) && refusals >= refusalsAtMost) throw refusedWait(task, error);
    }
  } catch (error) {
    signal?.throwIfAborted();
    // What ended the wait just before it counts: a failed task, or what the caller threw.
    if (deadline.passed && error === deadline.signal.reason) throw new WaitTimeoutError(task, timeoutMs, lastError);
    throw error;
  } finally {
    deadline.end();
  }
}

/** When to check a task next. */
class Pace {
  readonly #host: WaitHost;
  readonly #durations: Durations;
  /** By the steady clock. A task whose creation is not known is as old as its wait, and looked at at once. */
  readonly #createdAt: number;
  /** Until then the service may not know the task, by the steady clock: the clock that says when it was created may be ahead. */
  readonly settledAt: number;
  #unfinishedAt = 0;
  #finished = false;
  #failures = 0;
  #worthMs: number;
  /** When to check next, by the steady clock, where that is no matter of the model. */
  #fixed: number | undefined;

  constructor(task: Task, host: WaitHost) {
    this.#host = host;
    this.#durations = host.scheduler.durationsOf(task.model ?? task.kind);
    this.#createdAt = host.steady() - Math.max(0, host.now() - (task.createdAt ?? host.now()));
    this.#worthMs = this.#worth();
    const isDated = task.createdAt !== undefined;
    this.settledAt = this.#createdAt + (isDated ? settlingMs : 0);
    this.#fixed = isDated ? undefined : host.steady();
  }

  /** When to check next, by the steady clock, as far as the client knows the model by now. */
  due(): number {
    return this.#fixed ?? this.#createdAt + this.#durations.nextQuery(this.#unfinishedAt, this.#worthMs);
  }

  /** How many queries have failed in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** The client learns from each check what it tells of the model. */
  saw({ record, state, error, sentAt }: CheckOrError<Kind>): void {
    const { steady } = this.#host;
    this.#failures = record ? 0 : this.#failures + 1;
    if (!record) {
      const retryAfterMs = error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0;
      this.#fixed = Math.max(
        this.#inAbout(Math.min(firstRetryMs * 1.5 ** (this.#failures - 1), atLengthMs)),
        steady() + Math.min(retryAfterMs, longestRetryAfterMs),
      );
    } else if (record.url.length > 0 || state !== "pending") {
      // Some results of several: those that are missing may be late, so it is looked for them at length. They say nothing
      // of the model, which had finished when the first was there.
      if (!this.#finished) this.#durations.sawEnd(this.#unfinishedAt, steady() - this.#createdAt);
      this.#finished = true;
      this.#fixed = this.#inAbout(atLengthMs);
    } else {
      const age = sentAt - this.#createdAt;
      this.#durations.sawUnfinished(this.#unfinishedAt, age);
      this.#unfinishedAt = age;
      this.#worthMs = this.#worth();
      this.#fixed = undefined;
    }
  }

  /**
   * Who began together does not go on together: most ask when it is due, and a few go ahead, whose answers tell the others
   * whether they are early or late.
   */
  #worth(): number {
    return worthOfQueryMs * (0.05 + 1.4 * Math.sqrt(this.#host.random()));
  }

  #inAbout(ms: number): number {
    return this.#host.steady() + ms * (0.75 + this.#host.random() / 2);
  }
}

/** How long to wait at most; another word than a time is refused. */
export function timeoutOf({ timeoutMs = 30 * 60_000 }: Pick<WaitOptions, "timeoutMs">): number {
  checkNumbers("wait: there is no such deadline", { timeoutMs }, ["timeoutMs"]);
  return timeoutMs;
}

type CheckOrError<K extends Kind> = Pick<WaitUpdate<K>, "state" | "status" | "record" | "error"> & {
  readonly sentAt: number;
};

/** One check; a failure is an answer too, because it does not end a wait, unless the wait has ended. */
async function orError<K extends Kind>(
  check: CheckOnce<K>,
  signal: AbortSignal,
  patienceMs: number,
  { steady }: Time,
): Promise<CheckOrError<K>> {
  const sentAt = steady();
  try {
    return { sentAt, ...(await check(signal, patienceMs)), error: undefined };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ServiceError || error instanceof ConnectionError)) throw error;
    return { sentAt, state: undefined, status: undefined, record: undefined, error };
  }
}

function isRefusal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === codes.failure;
}

function refusedWait(task: Task, { operation, status, code, msg, answer }: ServiceError): ServiceError {
  const what = `the service refused ${refusalsAtMost} queries of task ${task.taskid} in a row (code ${code}: ${msg})`;
  return new ServiceError(what, operation, { status, text: answer }, { code, msg }, task);
}
