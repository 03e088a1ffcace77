import { onAbort } from "./deadline.ts";

/** Limits concurrency. Callers of `run` get a place in the order of their calls. */
export class Semaphore {
  readonly #queue = new Set<() => void>();
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /**
   * Runs in a place; rejects with the signal's reason if that aborts before there is one. What runs may leave its place before it
   * has ended.
   */
  async run<T>(signal: AbortSignal | undefined, run: (leave: () => void) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else
      await new Promise<void>((resolve, reject) => {
        const release = onAbort(signal, () => this.#queue.delete(enter) && reject(signal?.reason));
        const enter = () => (release(), resolve());
        this.#queue.add(enter);
      });
    let leave = () => {
      leave = () => undefined;
      const [next] = this.#queue;
      if (next) this.#queue.delete(next);
      else this.#free++;
      next?.();
    };
    return run(() => leave()).finally(() => leave());
  }
}
