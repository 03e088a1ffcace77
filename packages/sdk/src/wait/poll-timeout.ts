/** The timeout of polls before the first response. */
const firstMs = 10_000;
/** The timeout of a poll, as a multiple of the usual duration, and its minimum. */
const limit = { timesUsual: 10, leastMs: 500 };
/** The maximum time that a poll holds a slot. */
const slot = { timesUsual: 3, leastMs: 50 };
/** Factors of the estimate after a response that took longer, and after one that did not. */
const growth = 2;
const decay = growth ** -(1 / 99);

/**
 * Estimates how long polls of one client take, and decides how long to wait for one.
 *
 * The estimate is one number. It doubles after a response that took longer and falls a little after each of the others. It thus
 * stays between the 99th percentile and twice that.
 */
export class PollTimeout {
  #usualMs: number | undefined;

  /** Records how long a response took. A poll without a response is not recorded: it does not show what is usual. */
  record(ms: number): void {
    this.#usualMs ??= ms;
    // Never 0, which no factor could change.
    this.#usualMs = Math.max(1, this.#usualMs * (ms > this.#usualMs ? growth : decay));
  }

  /** Returns the timeout of a poll. `timeoutsInARow` counts the polls of its task that timed out since its last response. */
  limitMs(timeoutsInARow: number): number {
    return this.#scaled(limit) * 2 ** timeoutsInARow;
  }

  /** The maximum time that a poll keeps other polls of the client from being sent. */
  get slotMs(): number {
    return this.#scaled(slot);
  }

  #scaled({ timesUsual, leastMs }: typeof limit): number {
    const usualMs = this.#usualMs ?? firstMs / limit.timesUsual;
    return Math.max(leastMs, timesUsual * usualMs);
  }
}
