import { offAbort, onAbort } from "./abort-listeners.ts";

/** The clock and the timers that the SDK uses. Tests inject their own. */
export interface Time {
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
  /** Returns the milliseconds since some fixed moment. Setting the machine's clock does not change it. */
  steady(): number;
  /** Sleeps; rejects with the signal's reason when the signal aborts. */
  sleep(ms: number, signal: AbortSignal, why?: SleepReason): Promise<void>;
  /** Calls `ring` after the milliseconds, unless the alarm is cancelled first. */
  alarm(ms: number, ring: Ring, why?: SleepReason): Cancel;
  /** Returns a number from 0 up to but not including 1, for jitter. */
  random(): number;
}

/**
 * Why the SDK sleeps:
 * - `pause`: before the next poll or retry
 * - `deadline`: until a wait ends with `WaitTimeoutError`
 * - `limit`: until a request or a file has taken too long
 * - `background`: before retrying work that no call waits for, so it must not keep the process alive
 *
 * Virtual time may skip a `pause`, and may let a `deadline` or a `background` delay pass. A `limit` times something real, so virtual
 * time may let it pass only if it knows that nothing real is going on.
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

/**
 * Sleeps on the runtime's timers; rejects with the signal's reason when the signal aborts. Delays that are too long for one
 * timer are slept in parts. A `background` sleep does not keep the process alive, if the runtime has `unref`.
 */
export async function sleep(ms: number, signal: AbortSignal, why?: SleepReason): Promise<void> {
  let leftMs = ms;
  for (; leftMs > longestDelayMs; leftMs -= longestDelayMs) await sleepPart(longestDelayMs, signal, why);
  await sleepPart(leftMs, signal, why);
}

function sleepPart(ms: number, signal: AbortSignal, why: SleepReason | undefined): Promise<void> {
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
    if (why === "background") unref(timer);
    signal.addEventListener("abort", abort, { once: true });
  });
}

/** Lets the process exit before the timer fires. Node's timers are objects with this method, those of browsers are numbers. */
function unref(timer: unknown): void {
  if (typeof timer === "object" && timer && "unref" in timer && typeof timer.unref === "function") timer.unref();
}

/** Returns a `sleep` that is built on alarms. */
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
