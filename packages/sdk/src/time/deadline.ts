/** What may end a call early: a signal of the caller, or a deadline. */
export type Ending = AbortSignal | Deadline;

/**
 * The listeners of each signal, which share one event listener. Node 20 warns of the eleventh, and
 * each makes adding one slower.
 */
const shared = new WeakMap<object, Set<() => void>>();

function callAll({ target }: Pick<Event, "target">): void {
  for (const listener of (target && shared.get(target)) ?? []) listener();
}

/**
 * Calls the listener when a signal aborts, at once if it has. It must not throw. Returns the
 * function that removes it.
 */
export function onAbort(ending: Ending | undefined, listener: () => void): () => void {
  if (ending?.aborted) listener();
  if (!ending || ending.aborted) return () => undefined;
  if (ending instanceof Deadline)
    return ending.listeners.add(listener) && (() => ending.listeners.delete(listener));
  const listeners = shared.get(ending) ?? new Set();
  if (listeners.size === 0) ending.addEventListener("abort", callAll, { once: true });
  shared.set(ending, listeners.add(listener));
  return () => {
    if (!listeners.delete(listener) || listeners.size > 0) return;
    ending.removeEventListener("abort", callAll);
    // Otherwise a signal of a request would stay until a full garbage collection.
    shared.delete(ending);
  };
}

/** Settles like the promise, or rejects with the signal's reason as soon as the signal aborts. */
export function orAbort<T>(promise: Promise<T>, ending: Ending | undefined): Promise<T> {
  if (!ending) return promise;
  return new Promise((resolve, reject) => {
    const release = onAbort(ending, () => reject(ending.reason));
    // Attached also after an abort, so that a later rejection is handled.
    void promise.then(resolve, reject).then(release);
  });
}

type Alarm = (ms: number, ring: () => void, reason: "limit") => () => void;

/**
 * A timeout. Like a signal, it aborts when the time is over, or when the caller's signal aborts.
 */
export class Deadline {
  aborted = false;
  reason: unknown;
  /** Whether it aborted because the time was over. */
  passed = false;
  readonly listeners: Set<() => void> = new Set();
  /** Stops the time, and no longer listens to the caller's signal. */
  readonly end: () => void;
  /**
   * Starts the time; `outer` is the caller's signal. The reason is created when the time is over:
   * an error collects a stack.
   */
  constructor(time: { readonly alarm: Alarm }, ms: number, reason: () => unknown, outer?: Ending) {
    const abort = (why: unknown, passed: boolean) => {
      if (this.aborted) return;
      Object.assign(this, { aborted: true, reason: why, passed });
      for (const listener of this.listeners) listener();
    };
    const release = onAbort(outer, () => abort(outer?.reason, false));
    const cancel = time.alarm(ms, () => abort(reason(), true), "limit");
    this.end = () => {
      cancel();
      release();
    };
  }

  /**
   * Returns a signal that aborts with it, for fetch: creating one takes longer than all else here.
   */
  get signal(): AbortSignal {
    const controller = new AbortController();
    onAbort(this, () => controller.abort(this.reason));
    return controller.signal;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}
