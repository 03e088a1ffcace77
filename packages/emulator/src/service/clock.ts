/** How time passes: by queries and sleeps, by hand, or by the machine's clock at a speed. */
export type ClockMode =
  | "auto"
  | "manual"
  | {
      /** How many times as fast as the machine's clock. */
      readonly speed: number;
    };

/** The emulator's time. */
export interface Clock {
  /** The present, in milliseconds since 1970. */
  now(): number;
  /** Moves time on, by milliseconds or a duration such as `"20s"`. */
  advance(duration: number | string): void;
  /**
   * Sleeps on this clock; rejects with the signal's reason when it aborts. In `auto` time a pause passes as soon as nothing is
   * under way, and a deadline when pauses have led to it. A limit is on something real, so it takes the machine's time.
   */
  sleep(ms: number, signal?: AbortSignal, why?: "pause" | "deadline" | "limit"): Promise<void>;
}

/** A clock with what only the emulator itself asks of it. */
export interface EmulatorClock extends Clock {
  readonly mode: ClockMode;
  set(now: number): void;
}

/** Where `auto` and `manual` time starts, so that runs are alike: 2026-01-01. */
const start = Date.UTC(2026, 0, 1);
/** The last moment that a Date can hold. */
const latest = 8.64e15;
/** The longest delay that timers take; a longer one fires at once. */
const longestDelayMs = 2 ** 31 - 1;
// The engine's own timers: a test that fakes time does not mean the turns of the event loop that `auto` time waits for.
const { setTimeout: startTurn, clearTimeout: endTurn } = globalThis;

interface Sleeper {
  readonly until: number;
  readonly why: "pause" | "deadline";
  wake(): void;
}

/** Creates a clock; `activity` changes with every request, and always differs while one is under way. */
export function createClock(mode: ClockMode, activity: () => unknown): EmulatorClock {
  const speed = typeof mode === "object" ? mode.speed : 0;
  if (mode !== "auto" && mode !== "manual" && !(speed > 0 && speed < Infinity)) {
    throw new RangeError(`a clock is "auto", "manual" or { speed } with a number above 0, not ${JSON.stringify(mode)}`);
  }
  let base = speed > 0 ? Date.now() : start;
  let since = Date.now();
  const sleepers = new Set<Sleeper>();
  const now = () => Math.floor(base + (Date.now() - since) * speed);
  const set = (time: number) => {
    if (!(Math.abs(time) <= latest)) throw new RangeError(`there is no time ${time}`);
    [base, since] = [time, Date.now()];
    for (const sleeper of [...sleepers].sort((a, b) => a.until - b.until)) if (sleeper.until <= time) sleeper.wake();
  };
  let slept = 0;
  let turn: ReturnType<typeof startTurn> | undefined;
  // While all that are left wait for each other, only a pause leads on: without one, something is under way elsewhere.
  const moveOnWhenIdle = () => {
    endTurn(turn);
    if (![...sleepers].some(({ why }) => why === "pause")) return;
    const next = Math.min(...[...sleepers].map(({ until }) => until));
    const [requests, sleeps] = [activity(), slept];
    turn = startTurn(() => {
      // Whatever has happened meanwhile may lead to another, earlier sleep.
      if (requests === activity() && sleeps === slept && next <= latest) set(Math.max(now(), next));
      moveOnWhenIdle();
    });
  };
  /** After how long a sleep ends by the machine's time, if nothing else has ended it. */
  const realMsOf = (ms: number, why: Sleeper["why"] | "limit") => {
    if (why === "limit") return ms;
    // Where a request hangs, nothing leads `auto` time to the deadline: it comes as it would at the service.
    return speed > 0 ? ms / speed : why === "deadline" && mode === "auto" ? ms : Infinity;
  };
  return {
    mode,
    now,
    set,
    advance: (duration) => set(now() + milliseconds(duration)),
    sleep: (ms, signal, why = "pause") =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const end = (settle: () => void) => {
          if (sleeper) sleepers.delete(sleeper);
          clearTimeout(alarm);
          if (sleepers.size === 0) endTurn(turn);
          signal?.removeEventListener("abort", abort);
          settle();
        };
        const abort = () => end(() => reject(signal?.reason));
        const wake = () => end(resolve);
        const sleeper = why === "limit" ? undefined : { until: now() + Math.ceil(ms), why, wake };
        const realMs = realMsOf(ms, why);
        const alarm = realMs < Infinity ? setTimeout(wake, Math.min(realMs, longestDelayMs)) : undefined;
        if (sleeper) sleepers.add(sleeper);
        slept++;
        signal?.addEventListener("abort", abort);
        if (mode === "auto") moveOnWhenIdle();
      }),
  };
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function milliseconds(duration: number | string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const ms = typeof duration === "number" ? duration : Number(amount) * (units[unit ?? ""] ?? Number.NaN);
  if (ms >= 0 && Number.isFinite(ms)) return ms;
  throw new RangeError(
    `a duration is milliseconds or text such as "20s", "5m" or "1h", not ${JSON.stringify(duration)}`,
  );
}
