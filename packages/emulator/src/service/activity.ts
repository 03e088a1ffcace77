/**
 * Leaves a request without a response until the signal aborts, then rejects with the signal's
 * reason.
 */
type Hang = (signal: AbortSignal) => Promise<never>;

/** Tracks the requests that are being served, so that an `auto` clock stops during each of them. */
export class Activity {
  #serving = 0;
  #served = 0;
  /** The calls of clients in this process that have not ended. */
  #pending = 0;
  /** Called when a request begins to hang, and when one ends next to others that hang. */
  onHang: () => void = () => undefined;

  /** Counts a request as being served until its work has settled. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#serving++;
    this.#served++;
    try {
      return await work();
    } finally {
      if (--this.#serving === 0 && this.#pending > 0) this.onHang();
    }
  }

  /** Counts a call of a client in this process as pending until it has settled. */
  async whilePending<Result>(call: () => Promise<Result>): Promise<Result> {
    this.#pending++;
    try {
      return await call();
    } finally {
      this.#pending--;
    }
  }

  /**
   * Whether clients in this process have pending calls and all of them hang, because no request is
   * being served.
   */
  readonly allHang = (): boolean => this.#serving === 0 && this.#pending > 0;

  /** Returns a value that equals an earlier one only if no request was served since then. */
  readonly current = (): unknown => (this.#serving > 0 ? {} : this.#served);

  /**
   * Runs a part of a request that does not count as being served, so that time continues during it.
   */
  readonly aside = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    this.#serving--;
    try {
      return await work();
    } finally {
      this.#serving++;
    }
  };

  /** Implements `Hang`, and calls `onHang` first. */
  readonly hang: Hang = (signal) =>
    this.aside(() => {
      this.onHang();
      return new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    });
}
