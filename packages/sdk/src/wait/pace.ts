import { ServiceError } from "../errors/errors.ts";
import { saysUnknownTask } from "../money/response.ts";
import type { State, Task, TaskRecord } from "../task/task.ts";
import type { SleepReason, Time } from "../time/clock.ts";
import { onAbort } from "../time/deadline.ts";
import type { Durations } from "./durations.ts";
import type { PollLimit } from "./poll-limit.ts";

/** The time after its creation in which the service's queries may not know a task. */
export const knownAfterMs = 60_000;
/**
 * The delay after a failed poll; each further failure makes it 1.5 times as long, up to
 * `longestRetryMs`.
 */
const firstRetryMs = 500;
/** Also the delay between checks of a task whose age is unknown. */
export const longestRetryMs = 10_000;
/** A longer Retry-After is cut to this: the wait has a deadline of its own. */
const longestRetryAfterMs = 60_000;
/** The time before the deadline at which the task is polled a last time. */
const lastPollMs = 1_000;
/** A poll that is due sooner is not reconsidered before. */
const soonMs = 100;

/** Rejections that end a wait: so many in a row of the same kind, over at least this time. */
interface Rule {
  readonly times: number;
  readonly spanMs: number;
}

/** The service rejects the task. It documents no conditions: it may also be busy for a while. */
const unknownTask: Rule = { times: 5, spanMs: 60_000 };
/** HTTP 404 or 422 of something that is not the service: baseUrl is probably wrong. */
const wrongUrl: Rule = { times: 5, spanMs: 5 * 60_000 };
/**
 * HTTP 401 or 403. A wrong key stays wrong, but a gateway may send some of them while it restarts
 * or throttles.
 */
const rejectedKey: Rule = { times: 3, spanMs: 10_000 };

export interface Polled<C = { readonly state: State; readonly record: TaskRecord }> {
  /** The time when it was sent, by the steady clock. */
  readonly sentAt: number;
  readonly check?: C;
  readonly error?: unknown;
}

/**
 * Decides when to poll one task next, and when its wait is over. All times are of the steady clock.
 */
export class Pace {
  /** The number of polls that have failed in a row. */
  failures = 0;
  timeouts = 0;
  readonly #time: Time;
  readonly #durations: Durations;
  readonly #createdAt: number;
  readonly #knownAt: number;
  readonly #until: number;
  readonly #lastPollAt: number;
  #hadLastPoll = false;
  #unfinishedAt = 0;
  #hasResults = false;
  #share: number;
  /** The time of the next poll if it does not depend on the model. */
  #fixed: number | undefined;
  #rejected: { readonly rule?: Rule | undefined; readonly since: number; times: number } = {
    since: 0,
    times: 0,
  };

  constructor(task: Task, timeoutMs: number, durations: Durations, time: Time) {
    const now = time.steady();
    // A task of a store is not checked: no time, and each poll would be due at once.
    const createdAt = Number.isFinite(task.createdAt) ? task.createdAt : undefined;
    this.#time = time;
    this.#durations = durations;
    this.#createdAt = now - Math.max(0, time.now() - (createdAt ?? time.now()));
    this.#knownAt = createdAt === undefined ? now : this.#createdAt + knownAfterMs;
    this.#fixed = createdAt === undefined ? now : undefined;
    this.#until = now + timeoutMs;
    this.#lastPollAt = this.#until - Math.min(lastPollMs, timeoutMs / 2);
    this.#share = this.#nextShare();
  }

  due(): number {
    const due =
      this.#fixed ?? this.#createdAt + this.#durations.next(this.#unfinishedAt, this.#share);
    return Math.min(due, this.#hadLastPoll ? this.#until : this.#lastPollAt);
  }

  /**
   * Polls whenever a poll is due and has a slot, until one returns something. Passes the time that
   * is left: 0, without a slot, if the wait is over. Reconsiders halfway and when a slot is free,
   * because other tasks may have shown that it is earlier or later.
   */
  repeat<T>(
    poll: (leftMs: number) => Promise<T | undefined>,
    limit: PollLimit,
    signal?: AbortSignal,
  ): Promise<T> {
    let stopListening = () => {};
    const final = new Promise<T>((resolve, reject) => {
      let now = 0;
      let wakeAt = 0;
      let cancelAlarm = () => {};
      let leaveQueue = () => {};
      const step = (at = wakeAt): void => {
        cancelAlarm();
        leaveQueue();
        leaveQueue = () => {};
        if (signal?.aborted) {
          // Its turn may have come at this moment.
          limit.wake();
          return reject(signal.reason);
        }
        // A clock may stand still.
        now = Math.max(now, at, this.#time.steady());
        const untilDueMs = this.due() - now;
        if (untilDueMs > 0) {
          limit.wake();
          return sleep(untilDueMs > soonMs ? untilDueMs / 2 : untilDueMs, "pause");
        }
        const leftMs = this.#leftAt(now);
        if (leftMs <= 0 || limit.take()) return pollNow(leftMs);
        const { turn, leave } = limit.queue();
        leaveQueue = leave;
        // Its alarm may have rung at this moment.
        void turn.then(() => leaveQueue === leave && step(0));
        sleep(leftMs, "limit");
      };
      const sleep = (ms: number, reason: SleepReason): void => {
        wakeAt = now + ms;
        cancelAlarm = this.#time.alarm(ms, step, reason);
      };
      const pollNow = (leftMs: number): void => {
        poll(leftMs).then((result) => (result === undefined ? step(0) : resolve(result)), reject);
      };
      stopListening = onAbort(signal, step);
      step();
    });
    return final.finally(() => stopListening());
  }

  /**
   * Returns the time that is left. If the machine slept until the deadline had passed, there is
   * still time for the last poll.
   */
  #leftAt(now: number): number {
    if (now < this.#until) return this.#until - now;
    const hasSlept = !this.#hadLastPoll && now >= this.#until + lastPollMs;
    this.#hadLastPoll = true;
    return hasSlept ? lastPollMs : 0;
  }

  /**
   * Returns the timeout of a poll, which doubles after each that timed out. A poll that hangs ends
   * in time for the last one.
   */
  limitAt(now: number, timeoutMs: number): number {
    return Math.min(timeoutMs * 2 ** this.timeouts, Math.max(this.#lastPollAt - now, lastPollMs));
  }

  learn({ sentAt, check, error }: Polled): void {
    this.#hadLastPoll ||= sentAt >= this.#lastPollAt;
    this.failures = check ? 0 : this.failures + 1;
    if (check) this.timeouts = 0;
    const age = sentAt - this.#createdAt;
    if (!check) {
      const backoffMs = Math.min(firstRetryMs * 1.5 ** (this.failures - 1), longestRetryMs);
      const retryAfterMs = error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0;
      const earliest = this.#time.steady() + Math.min(retryAfterMs, longestRetryAfterMs);
      this.#fixed = Math.max(this.#inAbout(backoffMs), earliest);
    } else if (check.record.url.length > 0 || check.state !== "pending") {
      // The task took until the first result. Further ones may be late or never come, so they say
      // nothing about the model.
      if (!this.#hasResults) this.#durations.record(this.#unfinishedAt, age, true);
      this.#hasResults = true;
      this.#fixed = this.#inAbout(longestRetryMs);
    } else {
      this.#durations.record(this.#unfinishedAt, age, false);
      this.#unfinishedAt = age;
      this.#share = this.#nextShare();
      this.#fixed = undefined;
    }
  }

  /** Throws the error of a poll if it and those before it reject the task or the key for good. */
  throwIfFinal(error: unknown): void {
    const now = this.#time.steady();
    const rule = ruleFor(error, now >= this.#knownAt);
    if (rule !== this.#rejected.rule) this.#rejected = { rule, since: now, times: 0 };
    this.#rejected.times++;
    const { times, since } = this.#rejected;
    if (rule && times >= rule.times && now - since >= rule.spanMs) throw error;
  }

  #inAbout(ms: number): number {
    return this.#time.steady() + ms * (0.75 + this.#time.random() / 2);
  }

  /**
   * Varies what a query is worth. Of tasks that began together, a few are polled early, and show
   * whether the others are due.
   */
  #nextShare(): number {
    return 0.05 + 1.4 * Math.sqrt(this.#time.random());
  }
}

function ruleFor(error: unknown, isKnown: boolean): Rule | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const { status, code } = error;
  if (status === 401 || status === 403) return rejectedKey;
  if (!isKnown) return undefined;
  if (saysUnknownTask(error)) return unknownTask;
  return code === undefined && (status === 404 || status === 422) ? wrongUrl : undefined;
}
