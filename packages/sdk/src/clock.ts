/** The longest delay that timers take; a longer one fires at once. */
const longestDelayMs = 2 ** 31 - 1;

/** Sleeps for the milliseconds; rejects with the signal's reason when it aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, Math.min(ms, longestDelayMs));
    signal.addEventListener("abort", abort, { once: true });
  });
}
