import { type Alarm, longestDelayMs, type Ring, type StartTimer, type Time, type Timer } from "./clock.ts";
import { createHeap } from "./heap.ts";

/**
 * Returns alarms that share one timer: however many are set, at most one timer runs. `holds` says whether alarms keep the process
 * alive.
 */
export function shareTimer(
  { steady }: Pick<Time, "steady">,
  start: StartTimer,
  { holds }: { readonly holds: boolean } = { holds: true },
): Alarm {
  const alarms = createHeap<Ring>();
  let timer: Timer | undefined;
  let until = 0;

  function schedule(): void {
    const first = alarms.first();
    // A timer that need not keep the process alive is left for the next alarm, because to start one takes longer.
    if (timer && (first ? until <= first.at : timer.hold)) return timer.hold?.(holds && first !== undefined);
    timer?.stop();
    timer = undefined;
    if (!first) return;
    const now = steady();
    // Rounding may make the difference a little longer than what was added.
    const ms = Math.min(Math.max(0, first.at - now), longestDelayMs);
    until = Math.min(first.at, now + longestDelayMs);
    timer = start(ms, (error) => {
      // Timers round down. An alarm that was slept for rings even if the clock says that it is a moment too early.
      if (error === undefined) ringUntil(Math.max(until, steady()));
      // If the timer itself fails, every sleeper must be woken: nothing else would do it.
      else ringUntil(Infinity, error);
    });
    timer.hold?.(holds);
  }

  function ringUntil(end: number, error?: unknown): void {
    timer = undefined;
    for (let first = alarms.first(); first && first.at <= end; first = alarms.first()) {
      alarms.remove(first);
      first.value(error);
    }
    schedule();
  }

  return (ms, ring) => {
    const entry = alarms.add(steady() + ms, ring);
    schedule();
    return () => {
      alarms.remove(entry);
      schedule();
    };
  };
}
