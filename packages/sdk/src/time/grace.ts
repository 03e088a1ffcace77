import { offAbort, onAbort } from "./abort-listeners.ts";
import type { Cancel, Time } from "./clock.ts";

/** Settles like the promise; resolves to undefined if that takes longer than `graceMs` once the signal has aborted. */
export async function orGrace<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  graceMs: number,
  time: Pick<Time, "alarm">,
): Promise<T | undefined> {
  if (!signal) return promise;
  let cancel: Cancel | undefined;
  const graceEnds = new Promise<undefined>((resolve) => {
    const end = () => resolve(undefined);
    const begin = () => (cancel = time.alarm(graceMs, end, "limit"));
    if (signal.aborted) begin();
    else onAbort(signal, begin);
    promise.finally(() => offAbort(signal, begin)).catch(() => undefined);
  });
  return Promise.race([promise, graceEnds]).finally(() => cancel?.());
}
