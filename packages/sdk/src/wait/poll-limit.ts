import type { Time } from "../time/clock.ts";
import type { Durations } from "./durations.ts";

/** Options for the polling of all waits of a client. */
export interface PollingOptions {
  /**
   * The maximum number of concurrent queries of all waits together. A query that takes much longer
   * than usual does not count, so that it does not delay other waits. At most three times as many
   * of those are in flight.
   * @default 16
   */
  readonly maxQueriesInFlight?: number | undefined;
}

/**
 * Returns the maximum number of queries in flight of one client, including those that take much
 * longer than usual.
 */
export function mostInFlight({ maxQueriesInFlight = 16 }: PollingOptions): number {
  return 4 * maxQueriesInFlight;
}

export class PollLimit {
  readonly durationsOf: (name: string) => Durations;
  /**
   * The timeout of a poll: eight times as long as the slowest of late took. Before the first
   * response, nobody knows.
   */
  timeoutMs = 10_000;
  /** The waits whose polls are due, in the order in which they became so. */
  readonly #waiting: Set<() => void> = new Set();
  readonly #time: Time;
  #freeSlots: number;
  /** The number of further polls that may be in flight, with a slot or without. */
  #left: number;

  constructor(options: PollingOptions, time: Time, durationsOf: PollLimit["durationsOf"]) {
    this.durationsOf = durationsOf;
    this.#time = time;
    this.#left = mostInFlight(options);
    this.#freeSlots = this.#left / 4;
  }

  /** Takes a slot if there is one. */
  take(): boolean {
    if (this.#freeSlots <= 0 || this.#left <= 0) return false;
    this.#freeSlots--;
    this.#left--;
    return true;
  }

  /**
   * Joins the queue for a slot. The promise resolves when there may be one: the wait continues
   * behind it in its own async context, with its own tenant and its own request, whoever frees the
   * slot.
   */
  queue(): { readonly turn: Promise<void>; readonly leave: () => void } {
    let wake = () => {};
    const turn = new Promise<void>((resolve) => {
      wake = resolve;
    });
    this.#waiting.add(wake);
    return { turn, leave: () => void this.#waiting.delete(wake) };
  }

  /** Wakes as many waits as there are slots. */
  wake(): void {
    let free = Math.min(this.#freeSlots, this.#left);
    for (const wake of this.#waiting) {
      if (free <= 0) return;
      free--;
      this.#waiting.delete(wake);
      wake();
    }
  }

  /** Runs a poll that has taken a slot. If it takes long, it gives its slot to the next. */
  async poll<T>(poll: () => Promise<T>): Promise<T> {
    let slots = 1;
    const leave = () => {
      this.#freeSlots += slots;
      slots = 0;
      this.wake();
    };
    const cancel = this.#time.alarm(this.timeoutMs / 4, leave, "limit");
    try {
      return await poll();
    } finally {
      cancel();
      this.#left++;
      leave();
    }
  }

  recordLatency(ms: number): void {
    this.timeoutMs = Math.max(1_000, 8 * ms, 0.98 * this.timeoutMs);
  }
}
