import { createHeap } from "./heap.ts";

/** Time as the SDK uses it; a test injects its own. */
export interface Time {
  /** The present, in milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment: what it measures does not move when the machine's clock is set. */
  steady(): number;
  /** Sleeps for the milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal, why?: SleepReason): Promise<void>;
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
const longestDelayMs = 2 ** 31 - 1;

/** Sleeps on the machine's timers; rejects with the signal's reason when it aborts. */
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
    }, Math.min(ms, longestDelayMs));
    signal.addEventListener("abort", abort, { once: true });
  });
}

interface Sleeper {
  readonly wake: () => void;
  readonly fail: (error: unknown) => void;
}

/** Sleeping of which, however many sleep, one sleep at a time is slept in truth, and none when nobody sleeps. */
export function shareTimer(time: Pick<Time, "steady" | "sleep">): Time["sleep"] {
  const sleepers = createHeap<Sleeper>();
  let timer: { readonly until: number; readonly stop: AbortController } | undefined;

  function arm(): void {
    const first = sleepers.first();
    if (first && timer && timer.until <= first.at) return;
    timer?.stop.abort();
    timer = undefined;
    if (!first) return;
    const now = time.steady();
    const own = { until: Math.min(first.at, now + longestDelayMs), stop: new AbortController() };
    timer = own;
    time.sleep(Math.max(0, own.until - now), own.stop.signal).then(
      () => timer === own && wakeUntil(own.until),
      // A timer that fails by itself must not leave anybody asleep for ever.
      (error: unknown) => timer === own && each(Infinity, (sleeper) => sleeper.fail(error)),
    );
  }

  // Timers round down, so who was slept for is awake even where the clock says that it is a moment too early.
  const wakeUntil = (until: number) => each(Math.max(until, time.steady()), (sleeper) => sleeper.wake());

  function each(until: number, act: (sleeper: Sleeper) => void): void {
    timer = undefined;
    for (let first = sleepers.first(); first && first.at <= until; first = sleepers.first()) {
      sleepers.remove(first);
      act(first.value);
    }
    arm();
  }

  return (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const abort = () => {
        sleepers.remove(entry);
        arm();
        reject(signal.reason);
      };
      const done = () => signal.removeEventListener("abort", abort);
      const entry = sleepers.add(time.steady() + ms, { wake: () => (done(), resolve()), fail: (error) => (done(), reject(error)) });
      signal.addEventListener("abort", abort, { once: true });
      arm();
    });
}

/** Why a timer ended before its time: nobody reads it, and without one each abort makes an error. */
const over = "over";

/** A limit on how long something may take. */
export interface Deadline {
  /** Aborts when the time is over, or when the caller's own signal does. */
  readonly signal: AbortSignal;
  /** Whether it was the time. */
  readonly passed: boolean;
  /** Begins the time anew. */
  restart(ms: number, reason: () => Error): void;
  end(): void;
}

/** Starts a deadline; when it passes, its signal aborts with the reason, which is made only then: an error costs its stack. */
export function startDeadline(time: Pick<Time, "sleep">, ms: number, reason: () => Error, signal?: AbortSignal, why: SleepReason = "limit"): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  let timer = new AbortController();
  let passed = false;
  let ended = false;
  const begin = (forMs: number, because: () => Error) => {
    timer = new AbortController();
    time.sleep(forMs, timer.signal, why).then(
      () => {
        passed = true;
        controller.abort(because());
      },
      () => undefined, // It ended or began anew before its time.
    );
  };
  if (signal?.aborted) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  begin(ms, reason);
  return {
    signal: controller.signal,
    get passed() {
      return passed;
    },
    restart(forMs, because) {
      if (ended) return;
      timer.abort(over);
      begin(forMs, because);
    },
    end() {
      ended = true;
      timer.abort(over);
      signal?.removeEventListener("abort", abort);
    },
  };
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
