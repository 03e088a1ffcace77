import { ServiceError } from "../errors/errors.ts";
import { codes } from "../spec/operations.gen.ts";
import type { State, Task, TaskRecord } from "../task/task.ts";
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

/** Rejections that end a wait: so many in a row of the same kind, over at least this time. */
type Rule = typeof unknownTask;
/** The service does not know the task, or rejects its queries for another reason. */
const unknownTask = { times: 5, spanMs: 0 };
/** HTTP 401 or 403. A wrong key stays wrong, but a gateway may send some of them while it restarts or throttles. */
const rejectedKey: Rule = { times: 3, spanMs: 10_000 };

/** Decides when to query one task next, and when rejections end its wait. */
export class Pace {
  /** The number of queries that have failed in a row. */
  failures = 0;
  readonly #time: Time;
  readonly #durations: Durations;
  /** By the steady clock. If the creation time is unknown, the task counts as created now and is queried at once. */
  readonly #createdAt: number;
  /** By the steady clock. Until then the service may not know the task, even if the clock that dated it was ahead. */
  readonly #settledAt: number;
  #unfinishedAt = 0;
  #hasResults = false;
  #worthMs: number;
  /** The time of the next query, by the steady clock, if it does not depend on the model. */
  #fixed: number | undefined;
  /** The last rejections in a row that fall under the same rule. */
  #rejected: { readonly rule?: Rule | undefined; readonly times: number; readonly since: number } = {
    times: 0,
    since: 0,
  };

  constructor({ createdAt }: Task, durations: Durations, time: Time) {
    this.#time = time;
    this.#durations = durations;
    this.#createdAt = time.steady() - Math.max(0, time.now() - (createdAt ?? time.now()));
    this.#settledAt = createdAt === undefined ? this.#createdAt : this.#createdAt + settlingMs;
    this.#fixed = createdAt === undefined ? this.#createdAt : undefined;
    this.#worthMs = this.#worth();
  }

  /** Returns when to query next, by the steady clock, given what the client knows about the model by now. */
  due(): number {
    return this.#fixed ?? this.#createdAt + this.#durations.nextQuery(this.#unfinishedAt, this.#worthMs);
  }

  /** Records what a query has shown, for this task and for the model. */
  learn({ state, record }: { readonly state: State; readonly record: TaskRecord }, sentAt: number): void {
    this.failures = 0;
    if (record.url.length > 0 || state !== "pending") {
      // The task took until the first result. Further ones may be late or never come, so they say nothing about the model.
      if (!this.#hasResults) this.#durations.recordEnd(this.#unfinishedAt, this.#time.steady() - this.#createdAt);
      this.#hasResults = true;
      this.#fixed = this.#inAbout(longestRetryMs);
    } else {
      this.#durations.recordUnfinished(this.#unfinishedAt, sentAt - this.#createdAt);
      this.#unfinishedAt = sentAt - this.#createdAt;
      this.#worthMs = this.#worth();
      this.#fixed = undefined;
    }
  }

  /** Records that a query has failed. */
  learnFailure(error: unknown): void {
    const backoffMs = Math.min(firstRetryMs * 1.5 ** this.failures++, longestRetryMs);
    const retryAfterMs = error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0;
    this.#fixed = Math.max(this.#inAbout(backoffMs), this.#time.steady() + Math.min(retryAfterMs, longestRetryAfterMs));
  }

  /** Throws the error of a query if it and those before it reject the task or the key for good. */
  throwIfFinal(error: unknown): void {
    const now = this.#time.steady();
    const rule = this.#ruleFor(error, now);
    const { times, since } = this.#rejected.rule === rule ? this.#rejected : { times: 0, since: now };
    this.#rejected = { rule, times: times + 1, since };
    if (rule && times + 1 >= rule.times && now - since >= rule.spanMs) throw error;
  }

  #ruleFor(error: unknown, now: number): Rule | undefined {
    if (!(error instanceof ServiceError)) return undefined;
    if (error.status === 401 || error.status === 403) return rejectedKey;
    return error.code === codes.failure && now >= this.#settledAt ? unknownTask : undefined;
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
