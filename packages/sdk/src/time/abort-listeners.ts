/** Called when a signal aborts. An object needs no closure. */
type AbortListener = (() => void) | { handleEvent(): void };

/** The listeners of one signal. */
class Listeners extends Set<AbortListener> {
  handleEvent(): void {
    for (const listener of this)
      if (typeof listener === "function") listener();
      else listener.handleEvent();
  }
}

/**
 * All listeners of a signal share one event listener. Node 20 warns of a memory leak at the eleventh, and adding one takes
 * longer the more there are.
 */
const shared = new WeakMap<AbortSignal, Listeners>();

/** Calls the listener when a signal aborts. The listener must not throw, and the signal must not have aborted yet. */
export function onAbort(signal: AbortSignal | undefined, listener: AbortListener): void {
  if (!signal) return;
  const listeners = shared.get(signal) ?? new Listeners();
  if (listeners.size === 0) {
    shared.set(signal, listeners);
    signal.addEventListener("abort", listeners, { once: true });
  }
  listeners.add(listener);
}

/** Removes a listener; does nothing if it was removed before. */
export function offAbort(signal: AbortSignal | undefined, listener: AbortListener): void {
  const listeners = signal && shared.get(signal);
  if (listeners?.delete(listener) && listeners.size === 0) signal?.removeEventListener("abort", listeners);
}
