import type { Time } from "../time/clock.ts";
import { type Ending, onAbort } from "../time/deadline.ts";
import type { Durations } from "./durations.ts";

/** Options for the polling of all waits of a client. */
export interface PollingOptions {
  /**
   * The maximum number of concurrent queries of all waits together. A query that takes much longer than usual does not
   * count, so that it does not delay other waits. At most three times as many of those are in flight.
   * @default 16
   */
  readonly maxQueriesInFlight?: number | undefined;
}

/** Returns the maximum number of queries in flight of one client, including those that take much longer than usual. */
export function mostInFlight({ maxQueriesInFlight = 16 }: PollingOptions): number {
  return 4 * maxQueriesInFlight;
}

export class PollLimit {
  readonly durationsOf: (name: string) => Durations;
  /** The timeout of a poll: eight times as long as the slowest of late took. Before the first response, nobody knows. */
  timeoutMs = 10_000;
  readonly #time: Time;
  readonly #waiting = new Set<() => void>();
  #freeSlots: number;
  /** The number of further polls that may be in flight, with a slot or without. */
  #left: number;

  constructor(options: PollingOptions, time: Time, durationsOf: PollLimit["durationsOf"]) {
    this.durationsOf = durationsOf;
    this.#time = time;
    this.#left = mostInFlight(options);
    this.#freeSlots = this.#left / 4;
  }

  /** Runs a poll when there is a slot. If it takes long, it gives its slot to the next. Rejects if there is none until an abort. */
  async poll<T>(ending: Ending, poll: () => Promise<T>): Promise<T> {
    ending.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const release = onAbort(ending, () => this.#waiting.delete(start) && reject(ending.reason));
      const start = () => (release(), resolve());
      this.#waiting.add(start);
      this.#fill();
    });
    let slots = 1;
    const leave = () => {
      this.#freeSlots += slots;
      slots = 0;
      this.#fill();
    };
    return poll()
      .finally(this.#time.alarm(this.timeoutMs / 4, leave, "limit"))
      .finally(() => (this.#left++, leave()));
  }

  recordLatency(ms: number): void {
    this.timeoutMs = Math.max(1_000, 8 * ms, 0.98 * this.timeoutMs);
  }

  #fill(): void {
    for (const start of this.#waiting) {
      if (this.#freeSlots <= 0 || this.#left <= 0) return;
      this.#freeSlots--;
      this.#left--;
      this.#waiting.delete(start);
      start();
    }
  }
}
