import type { Time } from "../time/clock.ts";
import { onAbort } from "../time/deadline.ts";
import type { DurationsOf } from "./durations.ts";

/** Options for the polling of all waits of a client. */
export interface SchedulerOptions {
  /**
   * The maximum number of concurrent queries of all waits together. A query that takes much longer than usual does not
   * count, so that it does not delay other waits. At most three times as many of those are in flight.
   * @default 16
   */
  readonly maxQueriesInFlight?: number | undefined;
}

/** Returns the maximum number of queries in flight of one client, including those that take much longer than usual. */
export function mostInFlight({ maxQueriesInFlight = 16 }: SchedulerOptions): number {
  return 4 * maxQueriesInFlight;
}

export class Scheduler {
  readonly durationsOf: DurationsOf;
  /** The timeout of a poll: eight times as long as the slowest of late took. Before the first response, nobody knows. */
  timeoutMs = 10_000;
  readonly #time: Time;
  readonly #inFlight: Semaphore;
  readonly #slots: Semaphore;

  constructor(options: SchedulerOptions, time: Time, durationsOf: DurationsOf) {
    this.durationsOf = durationsOf;
    this.#time = time;
    this.#inFlight = new Semaphore(mostInFlight(options));
    this.#slots = new Semaphore(mostInFlight(options) / 4);
  }

  /** Runs a poll when there is a slot. If it takes long, it gives its slot to the next. */
  poll<T>(signal: AbortSignal, poll: () => Promise<T>): Promise<T> {
    return this.#inFlight.run(signal, () =>
      this.#slots.run(signal, (leave) => poll().finally(this.#time.alarm(this.timeoutMs / 4, leave, "limit"))),
    );
  }

  recordLatency(ms: number): void {
    this.timeoutMs = Math.max(1_000, 8 * ms, 0.98 * this.timeoutMs);
  }
}

class Semaphore {
  readonly #queue = new Set<() => void>();
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** Runs in a place, which may be left early. Rejects with the reason of the signal if that aborts before there is one. */
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
