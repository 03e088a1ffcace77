import { offAbort, onAbort } from "./abort-listeners.ts";

/** Releases the place that `acquire` returned. */
export type Release = () => void;

/** Limits concurrency. Callers of `acquire` get a place in the order of their calls. */
export class Semaphore {
  readonly #limit: number;
  readonly #queue = new Set<() => void>();
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Waits for a place and resolves to the function that releases it; rejects with the signal's reason when it aborts. */
  acquire(signal: AbortSignal | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const abort = () => {
        this.#queue.delete(enter);
        reject(signal?.reason);
      };
      const enter = () => {
        this.#queue.delete(enter);
        offAbort(signal, abort);
        this.#taken++;
        resolve(this.#release);
      };
      if (this.#taken < this.#limit) return enter();
      this.#queue.add(enter);
      onAbort(signal, abort);
    });
  }

  readonly #release: Release = () => {
    this.#taken--;
    const [next] = this.#queue;
    next?.();
  };
}
