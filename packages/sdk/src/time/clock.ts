import { Agenda, type Cancel, type Ring, type StartTimer } from "./agenda.ts";
import { orAbort } from "./deadline.ts";

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

/** The clock and the alarms of a client. However many there are, they share one timer for each reason. */
export class Time {
  readonly now: () => number;
  readonly steady: () => number;
  readonly random: () => number;
  readonly #agendas = new Map<SleepReason, Agenda>();
  readonly #startTimer: (reason: SleepReason) => StartTimer;

  constructor(clock: Partial<Clock> = {}) {
    this.now = clock.now?.bind(clock) ?? Date.now;
    this.steady = clock.steady?.bind(clock) ?? clock.now?.bind(clock) ?? (() => performance.now());
    this.random = clock.random?.bind(clock) ?? Math.random;
    const sleep = clock.sleep?.bind(clock);
    this.#startTimer = sleep ? (reason) => timerOf((ms, signal) => sleep(ms, signal, reason)) : runtimeTimer;
  }

  /** Calls `ring` after the milliseconds, unless the alarm is cancelled first. */
  alarm(ms: number, ring: Ring, reason: SleepReason): Cancel {
    const agenda = this.#agendas.get(reason) ?? new Agenda(this.steady, this.#startTimer(reason));
    this.#agendas.set(reason, agenda);
    return agenda.add(this.steady() + ms, ring);
  }

  /** Sleeps. It rejects with the signal's reason when the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined, reason: SleepReason): Promise<void> {
    let cancel: Cancel | undefined;
    const slept = new Promise<void>((resolve, reject) => {
      cancel = this.alarm(ms, (_, error) => (error === undefined ? resolve() : reject(error)), reason);
    });
    return orAbort(slept, signal).finally(cancel);
  }
}

/** Returns the timers of the runtime. */
function runtimeTimer(reason: SleepReason): StartTimer {
  return (ms, ring) => {
    const timer: unknown = setTimeout(ring, ms);
    // The casts: the timers of Node are objects with this method, those of browsers are numbers, and both stop theirs.
    if (reason === "background") (timer as { unref?(): void }).unref?.();
    return () => clearTimeout(timer as number);
  };
}

/** Returns timers that are sleeps of a caller's clock. */
function timerOf(sleep: (ms: number, signal: AbortSignal) => Promise<void>): StartTimer {
  return (ms, ring) => {
    const stopped = new AbortController();
    const { signal } = stopped;
    sleep(ms, signal).then(
      () => signal.aborted || ring(),
      (error: unknown) => signal.aborted || ring(error),
    );
    // Without a reason, each abort would create an error.
    return () => stopped.abort("rescheduled");
  };
}
