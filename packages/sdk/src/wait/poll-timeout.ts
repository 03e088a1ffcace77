/** How long a poll may take as long as no response has arrived. */
const firstMs = 10_000;
/** How long a poll may take, as a multiple of what is usual, and how long at least. */
const limit = { timesUsual: 10, leastMs: 500 };
/** How long a poll may hold a slot. */
const slot = { timesUsual: 3, leastMs: 50 };
/** What the estimate is multiplied by after a response that took longer, and after one that did not. */
const growth = 2;
const decay = growth ** -(1 / 99);

/**
 * Estimates how long polls of one client take, and decides how long to wait for one.
 *
 * The estimate is one number. It doubles after a response that took longer and falls a little after each of the others, so that it
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

  /** Returns how long a poll may take. `timeoutsInARow` is how many polls of its task took too long since its last response. */
  limitMs(timeoutsInARow: number): number {
    return this.#scaled(limit) * 2 ** timeoutsInARow;
  }

  /** How long a poll may keep other polls of the client from being sent. */
  get slotMs(): number {
    return this.#scaled(slot);
  }

  #scaled({ timesUsual, leastMs }: typeof limit): number {
    const usualMs = this.#usualMs ?? firstMs / limit.timesUsual;
    return Math.max(leastMs, timesUsual * usualMs);
  }
}
