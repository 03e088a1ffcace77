import type { Time } from "./clock.ts";
import { orAbort } from "./deadline.ts";

/** Settles like the promise; resolves to undefined if that takes longer than `graceMs` once the signal has aborted. */
export async function orGrace<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  graceMs: number,
  time: Pick<Time, "sleep">,
): Promise<T | undefined> {
  await orAbort(promise, signal).catch(() => undefined);
  const settled = new AbortController();
  const grace = time.sleep(graceMs, settled.signal, "limit").catch(() => undefined);
  return Promise.race([promise, grace.then(() => undefined)]).finally(() => settled.abort("settled"));
}
