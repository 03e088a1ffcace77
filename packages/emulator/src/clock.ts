/** How time passes: by queries and sleeps, by hand, or by the machine's clock at a speed. */
export type ClockMode = "auto" | "manual" | { readonly speed: number };

/** The emulator's time. */
export interface Clock {
  /** The present, in milliseconds since 1970. */
  now(): number;
  /** Moves time on, by milliseconds or a duration such as `"20s"`. */
  advance(duration: number | string): void;
  /** Sleeps on this clock; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A clock with what only the emulator itself asks of it. */
export interface EmulatorClock extends Clock {
  readonly mode: ClockMode;
  set(now: number): void;
}

/** Where `auto` and `manual` time starts, so that runs are alike: 2026-01-01. */
const start = Date.UTC(2026, 0, 1);

/**
 * A sleep that is longer is taken for a limit, not for a pause: `auto` time passes a pause at once when nothing is under way,
 * but a limit only after nothing has happened for a while, because a file may be written or read meanwhile.
 */
const longestPauseMs = 20_000;
const idleMs = 1_000;

/** Creates a clock; `activity` changes with every request, and always differs while one is under way. */
export function createClock(mode: ClockMode, activity: () => unknown): EmulatorClock {
  const speed = typeof mode === "object" ? mode.speed : 0;
  let base = speed > 0 ? Date.now() : start;
  let since = Date.now();
  const sleepers = new Set<{ readonly until: number; wake(): void }>();
  const now = () => Math.floor(base + (Date.now() - since) * speed);
  const set = (time: number) => {
    [base, since] = [time, Date.now()];
    for (const sleeper of sleepers) if (sleeper.until <= time) sleeper.wake();
  };
  let slept = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const moveOnWhenIdle = () => {
    clearTimeout(timer);
    if (sleepers.size === 0) return;
    let next = Infinity;
    for (const { until } of sleepers) next = Math.min(next, until);
    const [requests, sleeps] = [activity(), slept];
    timer = setTimeout(() => {
      // Whatever has happened meanwhile may lead to another, earlier sleep.
      if (requests === activity() && sleeps === slept) set(Math.max(now(), next));
      moveOnWhenIdle();
    }, next - now() > longestPauseMs ? idleMs : 0);
  };
  return {
    mode,
    now,
    set,
    advance: (duration) => set(now() + milliseconds(duration)),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const end = (settle: () => void) => {
          sleepers.delete(sleeper);
          if (sleepers.size === 0) clearTimeout(timer);
          clearTimeout(alarm);
          signal?.removeEventListener("abort", abort);
          settle();
        };
        const sleeper = { until: now() + Math.ceil(ms), wake: () => end(resolve) };
        const abort = () => end(() => reject(signal?.reason));
        const alarm = speed > 0 ? setTimeout(sleeper.wake, Math.min(ms / speed, 2 ** 31 - 1)) : undefined;
        sleepers.add(sleeper);
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
  throw new RangeError(`a duration is milliseconds or text such as "20s", "5m" or "1h", not ${JSON.stringify(duration)}`);
}
