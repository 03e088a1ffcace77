/** Leaves a request without a response until the signal aborts, then rejects with the signal's reason. */
type Hang = (signal: AbortSignal) => Promise<never>;

/** Tracks the requests that are being served, so that `auto` time stands still during each of them. */
export class Activity {
  #serving = 0;
  #served = 0;
  /** The calls of clients in this process that have not ended. */
  #pending = 0;
  /** Called when a request begins to hang. */
  onHang: () => void = () => undefined;

  /** Counts a request as being served until its work has settled. */
  async during<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#serving++;
    this.#served++;
    try {
      return await work();
    } finally {
      this.#serving--;
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

  /** Whether there are pending calls of clients in this process, and each of them hangs: what is not served hangs. */
  readonly allHang = (): boolean => this.#serving === 0 && this.#pending > 0;

  /** Returns a value that equals an earlier one only if no request is being served and none has been since. */
  readonly current = (): unknown => (this.#serving > 0 ? {} : this.#served);

  /** Does something during a request that does not count as being served, because time must go on without it. */
  readonly aside = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    this.#serving--;
    try {
      return await work();
    } finally {
      this.#serving++;
    }
  };

  /** Hangs. */
  readonly hang: Hang = (signal) =>
    this.aside(() => {
      this.onHang();
      return new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    });
}
