import { ServiceError } from "../errors/errors.ts";
import type { Kind } from "../spec/operation.ts";
import { codes } from "../spec/operations.gen.ts";
import type { Records, State, Task } from "../task/task.ts";
import type { Cancel } from "../time/agenda.ts";
import type { Time } from "../time/clock.ts";
import { type Durations, worthOfQueryMs } from "./durations.ts";
import type { Scheduler, Turn } from "./scheduler.ts";

/** The time after its creation in which the service's queries may not know a task. */
export const settlingMs = 60_000;
/** The delay after a failed query; each further failure makes it 1.5 times as long, up to `longestRetryMs`. */
const firstRetryMs = 500;
/** Also the delay between checks of a task whose age is unknown. */
export const longestRetryMs = 10_000;
/** A longer Retry-After is cut to this: the wait has a deadline of its own. */
const longestRetryAfterMs = 60_000;
/** The time before the deadline at which the task is queried a last time. */
export const lastQueryMs = 1_000;

/** Rejections that end a wait: so many in a row of the same kind, over at least this time. */
interface Rule {
  readonly times: number;
  readonly spanMs: number;
}

/** The service does not know the task, or rejects its queries for another reason. */
const unknownTask: Rule = { times: 5, spanMs: 0 };
/** HTTP 401 or 403. A wrong key stays wrong, but a gateway may send some of them while it restarts or throttles. */
const rejectedKey: Rule = { times: 3, spanMs: 10_000 };

/** What one query of a wait has shown. */
export interface WaitCheck<K extends Kind = Kind> {
  readonly state: State;
  readonly status: number | undefined;
  readonly record: Records[K];
  readonly requestId: string | undefined;
  /** Resolves once the end of the task is recorded, if there is one, and soon even if the store hangs. */
  readonly recorded: Promise<void>;
}

/** The outcome of one query: a check, or the error that it failed with. */
export interface Observation<K extends Kind = Kind> {
  /** The time when it was sent, by the steady clock. */
  readonly sentAt: number;
  readonly timeoutMs: number;
  readonly check?: WaitCheck<K>;
  readonly error?: unknown;
}

/** Decides when to query one task next, and when rejections end its wait. */
export class Pace implements Turn {
  leave: Cancel = () => undefined;
  /** The number of queries that have failed in a row. */
  failures = 0;
  /** The deadline, by the steady clock. */
  readonly until: number;
  readonly #time: Time;
  readonly #scheduler: Scheduler;
  readonly #durations: Durations;
  /** By the steady clock. If the creation time is unknown, the task counts as created now and is queried at once. */
  readonly #createdAt: number;
  /** By the steady clock. Until then the service may not know the task, even if the clock that dated it was ahead. */
  readonly #settledAt: number;
  readonly #lastQueryAt: number;
  /** The time of the next query at the latest, by the steady clock. */
  #latest: number;
  #unfinishedAt = 0;
  #hasResults = false;
  #worthMs: number;
  /** The time of the next query, by the steady clock, if it does not depend on the model. */
  #fixed: number | undefined;
  /** The number of queries that timed out since the last response. */
  #timeouts = 0;
  /** The rejections in a row that are of the same kind. */
  #rejected: { readonly rule: Rule | undefined; readonly since: number; readonly times: number } = {
    rule: undefined,
    since: 0,
    times: 0,
  };

  constructor(task: Task, timeoutMs: number, time: Time, scheduler: Scheduler) {
    const [now, steady] = [time.now(), time.steady()];
    const isDated = task.createdAt !== undefined;
    this.#time = time;
    this.#scheduler = scheduler;
    this.#durations = scheduler.durationsOf(task.model ?? task.kind);
    this.#createdAt = steady - Math.max(0, now - (task.createdAt ?? now));
    this.#settledAt = this.#createdAt + (isDated ? settlingMs : 0);
    this.until = steady + timeoutMs;
    this.#lastQueryAt = this.until - Math.min(lastQueryMs, timeoutMs / 2);
    this.#latest = this.#lastQueryAt;
    this.#worthMs = this.#worth();
    this.#fixed = isDated ? undefined : steady;
  }

  /** Returns when to query next, by the steady clock, given what the client knows about the model by now. */
  due(): number {
    const due = this.#fixed ?? this.#createdAt + this.#durations.nextQuery(this.#unfinishedAt, this.#worthMs);
    return Math.min(due, this.#latest);
  }

  get isFailing(): boolean {
    return this.failures > 0;
  }

  /** The timeout of a query that is sent now. One that hangs makes room for the last one before the deadline. */
  get timeoutMs(): number {
    const untilLastMs = this.#lastQueryAt - this.#time.steady();
    return Math.min(this.#scheduler.timeoutMs * 2 ** this.#timeouts, Math.max(untilLastMs, lastQueryMs));
  }

  /** Records the outcome of a query, for this task, for the model and for the client. */
  learn({ sentAt, timeoutMs, check, error }: Observation): void {
    const now = this.#time.steady();
    // If the machine sleeps until the deadline has passed, the next query is sent at once.
    this.#latest = now < this.#lastQueryAt ? this.#lastQueryAt : this.until + lastQueryMs;
    if (check || error instanceof ServiceError) {
      this.#scheduler.recordLatency(now - sentAt);
      this.#timeouts = 0;
    } else if (now - sentAt >= timeoutMs) this.#timeouts++;
    if (!check) return this.#learnFailure(error);
    this.failures = 0;
    if (check.record.url.length > 0 || check.state !== "pending") this.#learnResults();
    else this.#learnUnfinished(sentAt - this.#createdAt);
  }

  #learnFailure(error: unknown): void {
    this.failures++;
    const retryAfterMs = error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0;
    this.#fixed = Math.max(
      this.#inAbout(Math.min(firstRetryMs * 1.5 ** (this.failures - 1), longestRetryMs)),
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

  /** Throws the error of a query if it and those before it say that the service rejects the task or the key for good. */
  rejectIfFinal(error: unknown): void {
    const now = this.#time.steady();
    const rule = this.#ruleFor(error, now);
    const { since, times } = this.#rejected.rule === rule ? this.#rejected : { since: now, times: 0 };
    this.#rejected = { rule, since, times: times + 1 };
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
