import { offAbort, onAbort } from "./abort-listeners.ts";

/** A clock with timers and a source of random numbers. Tests inject their own. */
export interface Clock {
  /** Returns the current time, in milliseconds since 1970. */
  now(): number;
  /** Returns the milliseconds of a monotonic clock. */
  steady(): number;
  /** Sleeps. It rejects with the signal's reason when the signal aborts. */
  sleep(ms: number, signal: AbortSignal, reason: SleepReason): Promise<void>;
  /** Returns a number from 0 up to but not including 1, for jitter. */
  random(): number;
}

/** The clock and the timers of a client. All its sleepers share one timer for each reason. */
export interface Time extends Clock {
  /** Calls `ring` after the milliseconds, unless the alarm is cancelled first. */
  alarm(ms: number, ring: Ring, why?: SleepReason): Cancel;
}

/**
 * The reason for a sleep of the SDK:
 * - `pause`: before the next poll or retry
 * - `deadline`: until a wait ends with `WaitTimeoutError`
 * - `limit`: until a request or a file has taken too long
 * - `background`: before retrying work that no call waits for, so it must not keep the process alive
 *
 * Virtual time may skip a `pause`, and may let a `deadline` or a `background` delay pass. A `limit` is the timeout of real work, so
 * virtual time may let it pass only if it knows that no real work is running.
 */
export type SleepReason = "pause" | "deadline" | "limit" | "background";

/** Called when an alarm is due, with an error if the timer itself failed. */
export type Ring = (error?: unknown) => void;

/** Calls `ring` after the milliseconds, unless the alarm is cancelled first. */
export type Alarm = (ms: number, ring: Ring) => Cancel;

/** Cancels an alarm; does nothing once the alarm has rung. */
export type Cancel = () => void;

/** The longest delay that a runtime's timer accepts: a longer one fires at once, in Node with a warning. */
export const longestDelayMs: number = 2 ** 31 - 1;

/** A running timer. */
export interface Timer {
  /** Stops the timer, so that it does not ring. */
  stop(): void;
  /** Sets whether it keeps the process alive, if the runtime supports that. */
  hold?(holds: boolean): void;
}

/** Starts a timer. The delay is at most `longestDelayMs`. */
export type StartTimer = (ms: number, ring: Ring) => Timer;

/** Starts a timer of the runtime. */
export const startTimer: StartTimer = (ms, ring) => {
  const timer: unknown = setTimeout(ring, ms);
  // The cast: the runtime accepts what it returned.
  const stop = () => clearTimeout(timer as number);
  // The timers of Node are objects with these methods, those of browsers are numbers.
  if (typeof timer !== "object") return { stop };
  const { ref, unref } = timer as { ref?(): void; unref?(): void };
  return ref && unref ? { stop, hold: (holds) => (holds ? ref : unref).call(timer) } : { stop };
};

/** Returns a function that starts timers based on `sleep`. */
export function timersOf(sleep: (ms: number, signal: AbortSignal) => Promise<void>): StartTimer {
  return (ms, ring) => {
    const stopped = new AbortController();
    const { signal } = stopped;
    sleep(ms, signal).then(
      () => signal.aborted || ring(),
      (error: unknown) => signal.aborted || ring(error),
    );
    return { stop: () => stopped.abort(rescheduled) };
  };
}

/** The abort reason for a sleep that ends early. Without a reason, each abort would create an error. */
const rescheduled = "rescheduled";

/** Returns a `sleep` based on alarms. */
export function sleepBy(alarm: Time["alarm"]): Time["sleep"] {
  return (ms, signal, why) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const abort = () => {
        cancel();
        reject(signal.reason);
      };
      const ring: Ring = (error) => {
        offAbort(signal, abort);
        if (error === undefined) resolve();
        else reject(error);
      };
      const cancel = alarm(ms, ring, why);
      onAbort(signal, abort);
    });
}
