import { type Ending, onAbort } from "./deadline.ts";

/** A clock with timers and a source of random numbers. Tests inject their own. */
export interface Clock {
  /** Returns the current time, in milliseconds since 1970. */
  now(): number;
  /** Returns the milliseconds of a monotonic clock. */
  steady(): number;
  /**
   * Sleeps. It rejects with the signal's reason when the signal aborts.
   *
   * @param ms How long, in milliseconds.
   */
  sleep(ms: number, signal: AbortSignal, reason: SleepReason): Promise<void>;
  /** Returns a number from 0 up to but not including 1, for jitter. */
  random(): number;
}

/**
 * The reason for a sleep of the SDK:
 * - `pause`: before the next poll or retry, or until a wait ends
 * - `limit`: until a request, a file or a step has taken too long
 * - `background`: before retrying work that no call waits for, so it must not keep the process
 *   alive
 *
 * Virtual time may skip a `pause`. It may let a `limit` pass only if it knows that no real work is
 * running.
 */
export type SleepReason = "pause" | "limit" | "background";

/** Cancels an alarm; does nothing once the alarm has rung. */
type Cancel = () => void;

/**
 * The longest delay that a runtime's timer accepts: a longer one fires at once, in Node with a
 * warning.
 */
const longestDelayMs = 2 ** 31 - 1;

export class Time {
  readonly now: () => number;
  readonly steady: () => number;
  readonly random: () => number;
  readonly #start: typeof startTimer;

  constructor(clock: Partial<Clock> = {}) {
    this.now = clock.now?.bind(clock) ?? Date.now;
    this.steady = clock.steady?.bind(clock) ?? clock.now?.bind(clock) ?? (() => performance.now());
    this.random = clock.random?.bind(clock) ?? Math.random;
    this.#start = clock.sleep ? timersOf(clock.sleep.bind(clock)) : startTimer;
  }

  /** Calls `ring` after the milliseconds, unless the alarm is cancelled first. */
  alarm(ms: number, ring: () => void, reason: SleepReason): Cancel {
    return ms <= longestDelayMs
      ? this.#start(ms, ring, reason)
      : this.#startAgain(ms, ring, reason);
  }

  #startAgain(ms: number, ring: () => void, reason: SleepReason): Cancel {
    const goOn = () => (cancel = this.alarm(ms - longestDelayMs, ring, reason));
    let cancel = this.#start(longestDelayMs, goOn, reason);
    return () => cancel();
  }

  sleep(ms: number, signal: Ending | undefined, reason: SleepReason): Promise<void> {
    return new Promise((resolve, reject) => {
      const ring = () => {
        release();
        resolve();
      };
      const cancel = this.alarm(ms, ring, reason);
      const release = onAbort(signal, () => {
        cancel();
        reject(signal?.reason);
      });
    });
  }
}

/** An alarm that rings later than this rings after a pause of the process, or after long work. */
const lateMs = 250;

function startTimer(ms: number, ring: () => void, reason: SleepReason): Cancel {
  const dueAt = performance.now() + ms;
  let timer: unknown;
  const start = (delayMs: number, then: () => void) => {
    timer = setTimeout(then, delayMs);
    // The cast: the timers of Node are objects with this method, those of browsers are numbers.
    if (reason === "background") (timer as { unref?(): void }).unref?.();
  };
  start(ms, () => {
    // After a pause, timers come before what has arrived in the meantime, such as a response. It
    // is read in the next turn of the event loop.
    if (performance.now() > dueAt + lateMs) start(1, ring);
    else ring();
  });
  // The cast: both kinds of timers are stopped by it.
  return () => clearTimeout(timer as number);
}

/**
 * Returns timers that are sleeps of a caller's clock. One that fails rings: nothing else would wake
 * the sleeper.
 */
function timersOf(sleep: Clock["sleep"]): typeof startTimer {
  return (ms, ring, reason) => {
    const stopped = new AbortController();
    const end = () => stopped.signal.aborted || ring();
    sleep(ms, stopped.signal, reason).then(end, end);
    // Without a reason, each abort would create an error.
    return () => stopped.abort("cancelled");
  };
}
