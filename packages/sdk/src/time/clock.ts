import { createHeap } from "./heap.ts";

/** Time as the SDK uses it; a test injects its own. */
export interface Time {
  /** The present, in milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment: what it measures does not move when the machine's clock is set. */
  steady(): number;
  /** Sleeps for the milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal, why?: SleepReason): Promise<void>;
  /** Calls back once the milliseconds are over, unless it is cancelled. */
  alarm(ms: number, ring: (error?: unknown) => void, why?: SleepReason): Cancel;
  /** A number from 0 to below 1, for jitter. */
  random(): number;
}

/**
 * Why it is slept: for a `pause` before the next step; for the `deadline` of a wait, which ends it; or for a `limit` on how
 * long something real may take, a request or a file. A test that skips time may skip pauses and pass deadlines by them, but
 * not limits.
 */
export type SleepReason = "pause" | "deadline" | "limit";

/** The longest delay that timers take; a longer one fires at once. */
export const longestDelayMs: number = 2 ** 31 - 1;

/** Sleeps on the machine's timers, for no longer than they take; rejects with the signal's reason when it aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort, { once: true });
  });
}

/** Rings once the milliseconds are over, unless it is cancelled before; with an error where the timer itself fails. */
export type Alarm = (ms: number, ring: (error?: unknown) => void) => Cancel;

/** Cancels an alarm; one that has rung is over anyway. */
export type Cancel = () => void;

/** Alarms of which, however many are set, one sleep at a time is slept in truth, and none when none is set. */
export function shareTimer(
  time: Pick<Time, "steady"> & { sleep(ms: number, signal: AbortSignal): Promise<void> },
): Alarm {
  const alarms = createHeap<(error?: unknown) => void>();
  let timer: { readonly until: number; readonly stop: AbortController } | undefined;

  function arm(): void {
    const first = alarms.first();
    if (first && timer && timer.until <= first.at) return;
    timer?.stop.abort(over);
    timer = undefined;
    if (!first) return;
    const now = time.steady();
    const own = { until: Math.min(first.at, now + longestDelayMs), stop: new AbortController() };
    timer = own;
    time.sleep(Math.max(0, own.until - now), own.stop.signal).then(
      // Timers round down, so what was slept for rings even where the clock says that it is a moment too early.
      () => timer === own && ringUntil(Math.max(own.until, time.steady())),
      // A timer that fails by itself must not leave anybody asleep for ever.
      (error: unknown) => timer === own && ringUntil(Infinity, error),
    );
  }

  function ringUntil(until: number, error?: unknown): void {
    timer = undefined;
    for (let first = alarms.first(); first && first.at <= until; first = alarms.first()) {
      alarms.remove(first);
      first.value(error);
    }
    arm();
  }

  return (ms, ring) => {
    const entry = alarms.add(time.steady() + ms, ring);
    arm();
    return () => {
      alarms.remove(entry);
      arm();
    };
  };
}

/** Why a timer ended before its time: nobody reads it, and without one each abort makes an error. */
const over = "over";

/** Sleeps by alarms. */
export function sleepBy(alarm: Time["alarm"]): Time["sleep"] {
  return (ms, signal, why) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const abort = () => {
        cancel();
        reject(signal.reason);
      };
      const cancel = alarm(
        ms,
        (error) => {
          signal.removeEventListener("abort", abort);
          if (error === undefined) resolve();
          else reject(error);
        },
        why,
      );
      signal.addEventListener("abort", abort, { once: true });
    });
}

/**
 * A limit on how long something may take: when it passes, its signal aborts with the reason, which is made only then, for an
 * error costs its stack. A class, as is what else there is one of for each wait: ten thousand of them are no load.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #time: Pick<Time, "alarm">;
  readonly #outer: AbortSignal | undefined;
  readonly #why: SleepReason;
  #reason: () => Error;
  #cancel: Cancel | undefined;
  #passed = false;

  /** Starts it; `signal` is the caller's own. */
  constructor(
    time: Pick<Time, "alarm">,
    ms: number,
    reason: () => Error,
    signal?: AbortSignal,
    why: SleepReason = "limit",
  ) {
    this.#time = time;
    this.#outer = signal;
    this.#why = why;
    this.#reason = reason;
    if (signal?.aborted) this.handleEvent();
    else signal?.addEventListener("abort", this, { once: true });
    this.#cancel = this.#begin(ms);
  }

  /** Aborts when the time is over, or when the caller's own signal does. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether it was the time. */
  get passed(): boolean {
    return this.#passed;
  }

  /** Begins the time anew, unless it has ended. */
  restart(ms: number, reason: () => Error): void {
    const cancelLast = this.#cancel;
    if (!cancelLast) return;
    this.#reason = reason;
    // Before the last one ends: a timer that some alarm is left for goes on.
    this.#cancel = this.#begin(ms);
    cancelLast();
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#outer?.removeEventListener("abort", this);
  }

  /** @internal The caller's signal has aborted. */
  handleEvent(): void {
    this.#controller.abort(this.#outer?.reason);
  }

  #begin(ms: number): Cancel {
    const ring = (error?: unknown) => {
      this.#passed = error === undefined;
      this.#controller.abort(error ?? this.#reason());
    };
    return this.#time.alarm(ms, ring, this.#why);
  }
}

/** What the promise gives, unless the signal aborts before: whoever ignores a signal holds nobody up. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
