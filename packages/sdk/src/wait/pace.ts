import { ServiceError } from "../errors/errors.ts";
import type { Kind } from "../spec/operation.ts";
import type { Task, WaitUpdate } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import { type Durations, worthOfQueryMs } from "./durations.ts";

/** The time after its creation in which the service's queries may not know a task. */
export const settlingMs = 60_000;
/** The delay after a failed query; each further failure makes it 1.5 times as long, up to `longestRetryMs`. */
const firstRetryMs = 500;
/** Also the delay between checks of a task whose age is unknown. */
export const longestRetryMs = 10_000;
/** A longer Retry-After is cut to this: the wait has a deadline of its own. */
const longestRetryAfterMs = 60_000;

/** The outcome of one query: a record, or the error that the query failed with. */
export type Observation<K extends Kind = Kind> = Pick<WaitUpdate<K>, "state" | "status" | "record" | "error"> & {
  /** The time when the query was sent, by the steady clock. */
  readonly sentAt: number;
};

/** Decides when to query one task next. */
export class Pace {
  readonly #time: Pick<Time, "now" | "steady" | "random">;
  readonly #durations: Durations;
  /** By the steady clock. If the creation time is unknown, the task counts as created now and is queried at once. */
  readonly #createdAt: number;
  /** By the steady clock. Until then the service may not know the task, even if the clock that dated it was ahead. */
  readonly settledAt: number;
  #unfinishedAt = 0;
  #hasResults = false;
  #failures = 0;
  #worthMs: number;
  /** The time of the next query, by the steady clock, if it does not depend on the model. */
  #fixed: number | undefined;

  constructor(task: Task, durations: Durations, time: Pick<Time, "now" | "steady" | "random">) {
    this.#time = time;
    this.#durations = durations;
    this.#createdAt = time.steady() - Math.max(0, time.now() - (task.createdAt ?? time.now()));
    this.#worthMs = this.#worth();
    const isDated = task.createdAt !== undefined;
    this.settledAt = this.#createdAt + (isDated ? settlingMs : 0);
    this.#fixed = isDated ? undefined : time.steady();
  }

  /** Returns when to query next, by the steady clock, given what the client knows about the model by now. */
  due(): number {
    return this.#fixed ?? this.#createdAt + this.#durations.nextQuery(this.#unfinishedAt, this.#worthMs);
  }

  /** The number of queries that have failed in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** Records the outcome of a query, for this task and for the model. */
  learn({ record, state, error, sentAt }: Observation): void {
    if (!record) return this.#learnFailure(error);
    this.#failures = 0;
    if (record.url.length > 0 || state !== "pending") this.#learnResults();
    else this.#learnUnfinished(sentAt - this.#createdAt);
  }

  #learnFailure(error: unknown): void {
    this.#failures++;
    const retryAfterMs = error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0;
    this.#fixed = Math.max(
      this.#inAbout(Math.min(firstRetryMs * 1.5 ** (this.#failures - 1), longestRetryMs)),
      this.#time.steady() + Math.min(retryAfterMs, longestRetryAfterMs),
    );
  }

  /**
   * Records that there are results. The task took until the first one. Further ones may be late or never come, so they are
   * polled slowly and say nothing about the model.
   */
  #learnResults(): void {
    if (!this.#hasResults) this.#durations.recordEnd(this.#unfinishedAt, this.#time.steady() - this.#createdAt);
    this.#hasResults = true;
    this.#fixed = this.#inAbout(longestRetryMs);
  }

  #learnUnfinished(age: number): void {
    this.#durations.recordUnfinished(this.#unfinishedAt, age);
    this.#unfinishedAt = age;
    this.#worthMs = this.#worth();
    this.#fixed = undefined;
  }

  /**
   * Varies what a query is worth, so that tasks that began together are not queried together. Most are queried when it is
   * due; a few are queried earlier, and their records say whether the others are due.
   */
  #worth(): number {
    return worthOfQueryMs * (0.05 + 1.4 * Math.sqrt(this.#time.random()));
  }

  #inAbout(ms: number): number {
    return this.#time.steady() + ms * (0.75 + this.#time.random() / 2);
  }
}
