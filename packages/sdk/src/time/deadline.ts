/** The listeners of each signal, which share one event listener. Node 20 warns of the eleventh, and each makes adding one slower. */
const shared = new WeakMap<EventTarget, Set<() => void>>();

function callAll({ target }: Event): void {
  for (const listener of (target && shared.get(target)) ?? []) listener();
}

/** Calls the listener when a signal aborts, at once if it has. It must not throw. Returns the function that removes it. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  if (signal?.aborted) listener();
  if (!signal || signal.aborted) return () => undefined;
  const listeners = shared.get(signal) ?? new Set();
  if (listeners.size === 0) signal.addEventListener("abort", callAll, { once: true });
  shared.set(signal, listeners.add(listener));
  return () => {
    if (!listeners.delete(listener) || listeners.size > 0) return;
    signal.removeEventListener("abort", callAll);
    // Otherwise a signal of a request would stay until a full garbage collection.
    shared.delete(signal);
  };
}

/** Settles like the promise, or rejects with the signal's reason as soon as the signal aborts. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const release = onAbort(signal, () => reject(signal.reason));
    // Attached also after an abort, so that a later rejection is handled.
    promise.finally(release).then(resolve, reject);
  });
}

interface Alarms {
  alarm(ms: number, ring: () => void, reason: "limit"): () => void;
}

/** A timeout. Its signal aborts when the time is over, or when the caller's signal aborts. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly signal: AbortSignal = this.#controller.signal;
  /** Whether the signal aborted because the time was over. */
  passed = false;
  readonly #release: () => void;
  readonly #cancel: () => void;

  /** Starts the time; `outer` is the caller's signal. The reason is created when the time is over: an error collects a stack. */
  constructor(time: Alarms, ms: number, reason: () => unknown, outer?: AbortSignal) {
    this.#release = onAbort(outer, () => this.#controller.abort(outer?.reason));
    const ring = () => {
      this.passed = !this.signal.aborted;
      this.#controller.abort(reason());
    };
    this.#cancel = time.alarm(ms, ring, "limit");
  }

  end(): void {
    this.#cancel();
    this.#release();
  }
}
