import { type Alarm, longestDelayMs, type Ring, type Time } from "./clock.ts";
import { createHeap } from "./heap.ts";

/** The reason that ends a sleep early. Nobody reads it, but without a reason each abort would create an error. */
const rescheduled = "rescheduled";

/** Returns alarms that share one sleep: however many are set, at most one `time.sleep` is pending, and none if none is set. */
export function shareTimer(
  time: Pick<Time, "steady"> & { sleep(ms: number, signal: AbortSignal): Promise<void> },
): Alarm {
  const alarms = createHeap<Ring>();
  let timer: { readonly until: number; readonly stop: AbortController } | undefined;

  function schedule(): void {
    const first = alarms.first();
    if (first && timer && timer.until <= first.at) return;
    timer?.stop.abort(rescheduled);
    timer = undefined;
    if (!first) return;
    const now = time.steady();
    const own = { until: Math.min(first.at, now + longestDelayMs), stop: new AbortController() };
    timer = own;
    // Rounding may make the difference a little longer than what was added.
    time.sleep(Math.min(Math.max(0, own.until - now), longestDelayMs), own.stop.signal).then(
      // Timers round down. An alarm that was slept for rings even if the clock says that it is a moment too early.
      () => timer === own && ringUntil(Math.max(own.until, time.steady())),
      // If the timer itself fails, every sleeper must be woken: nothing else would do it.
      (error: unknown) => timer === own && ringUntil(Infinity, error),
    );
  }

  function ringUntil(until: number, error?: unknown): void {
    timer = undefined;
    for (let first = alarms.first(); first && first.at <= until; first = alarms.first()) {
      alarms.remove(first);
      first.value(error);
    }
    schedule();
  }

  return (ms, ring) => {
    const entry = alarms.add(time.steady() + ms, ring);
    schedule();
    return () => {
      alarms.remove(entry);
      schedule();
    };
  };
}
