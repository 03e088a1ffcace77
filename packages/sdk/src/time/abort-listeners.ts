/** What is called when a signal aborts. An object needs no closure. */
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
 * A signal gets one listener, however many listen: Node 20 warns of a memory leak at the eleventh, and adding one takes time that
 * grows with the others.
 */
const shared = new WeakMap<AbortSignal, Listeners>();

/** Calls the listener, which must not throw, when a signal aborts that has not yet aborted. */
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
