import { offAbort, onAbort } from "./abort-listeners.ts";
import type { Cancel, Ring, SleepReason, Time } from "./clock.ts";

/**
 * A timeout. Its signal aborts when the time is over, or when the caller's signal aborts.
 *
 * A client with ten thousand waits has ten thousand deadlines, so the object itself is the event listener and needs no closure.
 */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #time: Pick<Time, "alarm" | "steady">;
  readonly #outer: AbortSignal | undefined;
  readonly #why: SleepReason;
  /** Called only when the time is over: creating an error collects a stack, which is slow. */
  #reason: () => Error;
  /** Time of the deadline, by the monotonic clock. */
  #until = Infinity;
  /** Time of the alarm, which may be earlier, because letting it ring is cheaper than setting a new one. */
  #at = Infinity;
  #cancel: Cancel | undefined;
  #passed = false;

  /** Starts the time; `outer` is the caller's signal. */
  constructor(
    time: Pick<Time, "alarm" | "steady">,
    ms: number,
    reason: () => Error,
    outer?: AbortSignal,
    why: SleepReason = "limit",
  ) {
    this.#time = time;
    this.#outer = outer;
    this.#why = why;
    this.#reason = reason;
    if (outer?.aborted) this.handleEvent();
    else onAbort(outer, this);
    this.#start(ms);
  }

  /** Aborts when the time is over or the caller's signal aborts. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the signal aborted because the time was over. */
  get passed(): boolean {
    return this.#passed;
  }

  /** Starts the time again, unless `end` was called. */
  restart(ms: number, reason: () => Error): void {
    if (!this.#cancel) return;
    this.#reason = reason;
    this.#start(ms);
  }

  /** Stops the time until `restart`. */
  pause(): void {
    this.#cancel?.();
    this.#cancel &&= never;
    this.#at = Infinity;
  }

  /** Stops the time and releases the caller's signal. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    offAbort(this.#outer, this);
  }

  /** @internal Called by the caller's signal when it aborts. */
  handleEvent(): void {
    this.#controller.abort(this.#outer?.reason);
  }

  #start(ms: number): void {
    this.#cancel ??= never;
    this.#until = this.#time.steady() + ms;
    if (this.#until < this.#at) this.#set(ms);
  }

  #set(ms: number): void {
    const cancelLast = this.#cancel;
    this.#at = this.#until;
    // The new alarm is set before the old one is cancelled: a shared timer stops when its last alarm is cancelled.
    this.#cancel = this.#time.alarm(ms, this.#ring, this.#why);
    cancelLast?.();
  }

  readonly #ring: Ring = (error) => {
    if (this.signal.aborted) return;
    // Timers may ring slightly too early by the clock. The time of the alarm counts then.
    const leftMs = this.#until - Math.max(this.#at, this.#time.steady());
    this.#at = Infinity;
    if (error === undefined && leftMs > 0) {
      if (leftMs < Infinity) this.#set(leftMs);
      return;
    }
    this.#passed = error === undefined;
    this.#controller.abort(error ?? this.#reason());
  };
}

/** Cancels nothing, because no alarm is set. */
const never: Cancel = () => undefined;

/** Settles like the promise, or rejects with the signal's reason as soon as the signal aborts. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    else onAbort(signal, abort);
    // Attached also after an abort, so that a later rejection is handled.
    const settle =
      <A>(next: (value: A) => void) =>
      (value: A) => {
        offAbort(signal, abort);
        next(value);
      };
    promise.then(settle(resolve), settle(reject));
  });
}
