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
  /**
   * The waits whose polls are due, in the order in which they became so. Each is called once there
   * is a slot.
   */
  readonly waiting: Set<(now: number) => void> = new Set();
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

  /** Runs a poll that has taken a slot. If it takes long, it gives its slot to the next. */
  async poll<T>(poll: () => Promise<T>): Promise<T> {
    let slots = 1;
    const leave = () => {
      this.#freeSlots += slots;
      slots = 0;
      for (const step of this.waiting) {
        if (this.#freeSlots <= 0 || this.#left <= 0) return;
        step(0);
      }
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
