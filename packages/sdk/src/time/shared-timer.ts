import { type Alarm, longestDelayMs, type Ring, type StartTimer, type Time, type Timer } from "./clock.ts";
import { createHeap } from "./heap.ts";

/**
 * Returns alarms that share one timer, however many there are. `holds` sets whether alarms keep the process alive.
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
    // A timer that does not keep the process alive is kept for the next alarm, because starting one takes longer.
    if (timer && (first ? until <= first.at : timer.hold)) return timer.hold?.(holds && first !== undefined);
    timer?.stop();
    timer = undefined;
    if (!first) return;
    const now = steady();
    // Rounding may make the difference slightly longer than the added time.
    const ms = Math.min(Math.max(0, first.at - now), longestDelayMs);
    until = Math.min(first.at, now + longestDelayMs);
    timer = start(ms, (error) => {
      // Timers round down. The alarm rings even if the clock says that it is slightly too early.
      if (error === undefined) ringUntil(Math.max(until, steady()));
      // If the timer itself fails, all alarms ring, because nothing else would wake the sleepers.
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
