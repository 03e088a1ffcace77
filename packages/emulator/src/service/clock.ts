import type { Activity } from "./activity.ts";
import { millisecondsOf } from "./duration.ts";

/**
 * The way in which time passes: by queries and sleeps, by your test only, or with the machine's
 * clock at a speed.
 */
export type ClockMode =
  | "auto"
  | "manual"
  | {
      /** The factor by which it is faster than the machine's clock. */
      readonly speed: number;
    };

/** The clock of an emulator. */
export interface Clock {
  /**
   * Returns the time on this clock.
   *
   * @returns Milliseconds since 1970.
   * @example const startedAt = emulator.clock.now();
   */
  now(): number;
  /**
   * Advances the time.
   *
   * @param duration Milliseconds, or text such as `"20s"`, `"5m"` or `"1h"`.
   * @throws A `RangeError` if it is not a duration, or the time would be after the year 9999
   * @example emulator.clock.advance("20s");
   */
  advance(duration: number | string): void;
  /**
   * Sleeps on this clock, and resolves when the sleep ends. In `auto` mode, a `pause` ends as soon
   * as no request is being served, and a `deadline` once pauses have advanced the time to it.
   *
   * A `limit` takes real time, because it is a timeout of real work. If every pending call of the
   * emulator's clients hangs, it ends immediately. A `background` sleep takes real time and does
   * not keep the process alive.
   *
   * @param ms How long, in milliseconds.
   * @param why The purpose of the sleep: `pause` unless you pass another.
   * @throws The signal's reason if the signal aborts
   * @example await emulator.clock.sleep(20_000);
   */
  sleep(ms: number, signal?: AbortSignal, why?: "pause" | "limit" | "background"): Promise<void>;
}

/** The time at which `auto` and `manual` clocks start, so that all runs are alike: 2026-01-01. */
const start = Date.UTC(2026, 0, 1);
/** The latest time that records can show: their years have four digits. */
const latest = Date.UTC(9999, 11, 31);

/** Returns whether a value is a time that the clock can show. */
export function isTime(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= latest;
}

/** The longest delay that timers support; a longer one fires at once. */
const longestDelayMs = 2 ** 31 - 1;
// The engine's own timers: a test with fake timers must not stop the turns of the event loop that
// `auto` mode waits for.
const { setTimeout: startTurn, clearTimeout: endTurn } = globalThis;

type SleepReason = "pause" | "limit" | "background";

/** A sleep that this clock can end earlier than real time. */
interface Sleeper {
  readonly until: number;
  readonly why: "pause" | "limit";
  wake(): void;
}

/**
 * The clock of one emulator. Its public functions are bound, because clients get them without the
 * clock.
 */
export class EmulatorClock implements Clock {
  readonly mode: ClockMode;
  readonly #activity: Pick<Activity, "current" | "allHang">;
  readonly #speed: number;
  readonly #sleepers = new Set<Sleeper>();
  /** The time on this clock when the machine's clock showed `#since`. */
  #base: number;
  #since = Date.now();
  /** The number of sleeps so far. */
  #slept = 0;
  #turn: ReturnType<typeof startTurn> | undefined;

  constructor(mode: ClockMode, activity: Activity) {
    const speed = typeof mode === "object" ? mode.speed : 0;
    if (mode !== "auto" && mode !== "manual" && !(speed > 0 && speed < Infinity)) {
      throw new RangeError(
        `clock: ${JSON.stringify(mode)} is not valid. Use "auto", "manual" or { speed } with a number above 0.`,
      );
    }
    this.mode = mode;
    this.#activity = activity;
    if (mode === "auto") activity.onHang = () => this.#advanceWhenIdle();
    this.#speed = speed;
    this.#base = speed > 0 ? Date.now() : start;
  }

  readonly now = (): number => Math.floor(this.#base + (Date.now() - this.#since) * this.#speed);

  readonly advance = (duration: number | string): void =>
    this.set(this.now() + millisecondsOf(duration));

  /** Sets the time and ends the sleeps that are over by then. */
  readonly set = (time: number): void => {
    if (!isTime(time)) throw new RangeError(`clock: ${time} is not a valid time.`);
    this.#base = time;
    this.#since = Date.now();
    for (const sleeper of this.#ending().sort((a, b) => a.until - b.until))
      if (sleeper.until <= time) sleeper.wake();
  };

  /**
   * Converts a span of this clock to real time. For a virtual clock, it stays the same, because
   * other processes use real time.
   */
  readonly realMsOf = (ms: number): number => (this.#speed > 0 ? ms / this.#speed : ms);

  readonly sleep = (ms: number, signal?: AbortSignal, why: SleepReason = "pause"): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const end = (settle: () => void) => {
        if (sleeper) this.#sleepers.delete(sleeper);
        clearTimeout(alarm);
        if (this.#sleepers.size === 0) endTurn(this.#turn);
        signal?.removeEventListener("abort", abort);
        settle();
      };
      const abort = () => end(() => reject(signal?.reason));
      const wake = () => end(resolve);
      const isReal = why === "background" || (why === "limit" && this.mode !== "auto");
      const sleeper = isReal ? undefined : { until: this.now() + Math.ceil(ms), why, wake };
      const realMs = this.#delayOf(ms, why);
      const alarm =
        realMs < Infinity ? setTimeout(wake, Math.min(realMs, longestDelayMs)) : undefined;
      // Timers of browsers are numbers, and have no `unref`.
      if (why === "background" && typeof alarm === "object")
        (alarm as { unref?(): void }).unref?.();
      if (sleeper) this.#sleepers.add(sleeper);
      this.#slept++;
      signal?.addEventListener("abort", abort);
      if (this.mode === "auto") this.#advanceWhenIdle();
    });

  /** Returns the real time after which a sleep ends, unless the clock ends it earlier. */
  #delayOf(ms: number, why: SleepReason): number {
    if (why === "limit" || why === "background") return ms;
    return this.#speed > 0 ? ms / this.#speed : Infinity;
  }

  /**
   * Advances `auto` time to the end of the next sleep if nothing happens in a turn of the event
   * loop.
   */
  #advanceWhenIdle(): void {
    endTurn(this.#turn);
    const next = this.#nextEnd();
    if (next > latest) return;
    const activity = this.#activity.current();
    const slept = this.#slept;
    this.#turn = startTurn(() => {
      // A request or sleep since then may lead to another sleep that ends earlier.
      const isIdle =
        activity === this.#activity.current() && slept === this.#slept && next === this.#nextEnd();
      if (isIdle) this.set(Math.max(this.now(), next));
      this.#advanceWhenIdle();
    });
  }

  /** Returns the end of the next sleep, or Infinity if time must wait for something else. */
  #nextEnd(): number {
    return Math.min(...this.#ending().map(({ until }) => until));
  }

  /**
   * Returns the sleeps that end when the clock reaches their time: limits only if no real work is
   * running.
   */
  #ending(): Sleeper[] {
    const allHang = this.#activity.allHang();
    return [...this.#sleepers].filter(({ why }) => why !== "limit" || allHang);
  }
}
