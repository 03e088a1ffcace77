/** Time as the SDK uses it; a test injects its own. */
export interface Time {
  /** The present, in milliseconds since 1970. */
  now(): number;
  /** Sleeps for the milliseconds; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** A number from 0 to below 1, for jitter. */
  random(): number;
}

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
export function startDeadline(time: Time, ms: number, reason: () => Error, signal?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  let timer = new AbortController();
  let passed = false;
  const begin = (forMs: number, because: () => Error) => {
    timer = new AbortController();
    time.sleep(forMs, timer.signal).then(
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
      timer.abort(over);
      begin(forMs, because);
    },
    end() {
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
