import type { Cancel } from "../time/agenda.ts";
import type { Time } from "../time/clock.ts";
import { createHeap, type Entry, type Heap } from "../time/heap.ts";
import type { DurationsOf } from "./durations.ts";
import { PollTimeout } from "./poll-timeout.ts";

const defaultInFlight = 16;
/** The maximum number of queries in flight per slot that take much longer than usual. */
const overduePerSlot = 3;

/** Options for the polling of all waits of a client. */
export interface SchedulerOptions {
  /**
   * The maximum number of concurrent queries of all waits together. A query that takes several times as long as usual
   * does not count, so that it does not delay other waits. At most three times as many of those are in flight.
   * @default 16
   */
  readonly maxQueriesInFlight?: number | undefined;
}

/** Returns the maximum number of queries in flight of one client, including those that take much longer than usual. */
export function mostInFlight({ maxQueriesInFlight = defaultInFlight }: SchedulerOptions): number {
  return (1 + overduePerSlot) * maxQueriesInFlight;
}

/** A wait's request for one of the client's concurrent queries. */
interface QuerySlot {
  /**
   * Returns when the query is due, by the steady clock. It is called again before and at that time, because other tasks may
   * have shown that the query would be too late or too early.
   */
  due(): number;
  /** Whether the task's last query failed. Such tasks get at most half of the slots, so that they do not delay the others. */
  readonly failing: boolean;
  readonly signal: AbortSignal;
}

/** Schedules the queries of all waits of one client. */
export class Scheduler {
  readonly #time: Pick<Time, "steady" | "alarm">;
  readonly #maxInFlight: number;
  readonly #healthy: Queue;
  readonly #failing: Queue;
  /** What was learned about each model, or about a kind if the model is not known. */
  readonly durationsOf: DurationsOf;
  /** The client's estimate of how long its polls take. */
  readonly pollTimeout: PollTimeout = new PollTimeout();
  /** The number of queries in flight that took so long that they gave their slots back. */
  #overdue = 0;
  #cancel: Cancel = () => undefined;

  constructor(
    { maxQueriesInFlight = defaultInFlight }: SchedulerOptions,
    time: Pick<Time, "steady" | "alarm">,
    durationsOf: DurationsOf,
  ) {
    this.#time = time;
    this.durationsOf = durationsOf;
    this.#maxInFlight = maxQueriesInFlight;
    this.#healthy = new Queue(maxQueriesInFlight);
    this.#failing = new Queue(Math.ceil(maxQueriesInFlight / 2));
  }

  /** Sends the query when it is due and a slot is free, earliest due first; rejects with the signal's reason. */
  async query<T>(slot: QuerySlot, send: () => Promise<T>): Promise<T> {
    const queue = slot.failing ? this.#failing : this.#healthy;
    await new Promise<void>((resolve, reject) => {
      if (slot.signal.aborted) return reject(slot.signal.reason);
      const waiter = new Waiter(queue, slot, this.#time.steady(), resolve, reject, this.#fill);
      if (queue.waiters.first() === waiter.entry) this.#fill();
    });
    let isOverdue = false;
    const giveSlotBack = () => {
      isOverdue = true;
      queue.inFlight--;
      this.#overdue++;
      this.#fill();
    };
    const cancel = this.#time.alarm(this.pollTimeout.slotMs, giveSlotBack, "limit");
    try {
      return await send();
    } finally {
      cancel();
      if (isOverdue) this.#overdue--;
      else queue.inFlight--;
      this.#fill();
    }
  }

  /** Gives the free slots to the waiters that are due, and sets an alarm for the next one. */
  readonly #fill = (until: number = this.#time.steady()): void => {
    this.#cancel();
    while (this.#hasFreeSlot()) {
      const next = this.#next();
      if (!next) return;
      if (next.at > until) {
        this.#cancel = this.#time.alarm(
          next.at - this.#time.steady(),
          (now, error) => {
            // The waiter is due even if the sleep was shorter than the clock says, as virtual time may have it.
            if (error === undefined) this.#fill(now);
            else this.#failAll(error);
          },
          "pause",
        );
        return;
      }
      const waiter = next.value;
      const due = waiter.due();
      if (due > until) waiter.postpone(lookAt(due, until));
      else waiter.start();
    }
  };

  /** Queries beyond those that may be overdue hold slots again, so that a service that does not respond gets no more of them. */
  #hasFreeSlot(): boolean {
    const hanging = Math.max(0, this.#overdue - overduePerSlot * this.#maxInFlight);
    return this.#healthy.inFlight + this.#failing.inFlight + hanging < this.#maxInFlight;
  }

  /** Returns the waiter that is due first, of the queues that may send another query. */
  #next(): Entry<Waiter> | undefined {
    const [healthy, failing] = [this.#healthy.next(), this.#failing.next()];
    return healthy && failing && failing.at < healthy.at ? failing : (healthy ?? failing);
  }

  #failAll(error: unknown): void {
    for (const { waiters } of [this.#healthy, this.#failing])
      for (let next = waiters.first(); next; next = waiters.first()) next.value.fail(error);
  }
}

/** The time before a query in which its waiter is not checked again until it is due. */
const soonMs = 100;

/** Returns when to check a waiter again: halfway to its query, because the client may learn that it is due earlier. */
function lookAt(due: number, now: number): number {
  return due - now > soonMs ? (due + now) / 2 : due;
}

/** Waiters in the order in which to check them. */
class Queue {
  readonly waiters: Heap<Waiter> = createHeap();
  readonly #maxInFlight: number;
  inFlight = 0;

  constructor(maxInFlight: number) {
    this.#maxInFlight = maxInFlight;
  }

  /** Returns the waiter that is due first, unless all slots of this queue are taken. */
  next(): Entry<Waiter> | undefined {
    return this.inFlight < this.#maxInFlight ? this.waiters.first() : undefined;
  }
}

/** A query that waits until it is due and gets a slot. As its own event listener it needs no closure. */
class Waiter {
  readonly entry: Entry<Waiter>;
  readonly #queue: Queue;
  readonly #slot: QuerySlot;
  readonly #resolve: () => void;
  readonly #reject: (reason: unknown) => void;
  readonly #onAbort: () => void;

  constructor(
    queue: Queue,
    slot: QuerySlot,
    now: number,
    resolve: () => void,
    reject: (reason: unknown) => void,
    onAbort: () => void,
  ) {
    this.#queue = queue;
    this.#slot = slot;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onAbort = onAbort;
    this.entry = queue.waiters.add(lookAt(slot.due(), now), this);
    slot.signal.addEventListener("abort", this, { once: true });
  }

  due(): number {
    return this.#slot.due();
  }

  postpone(until: number): void {
    this.#queue.waiters.move(this.entry, until);
  }

  start(): void {
    this.#leave();
    this.#queue.inFlight++;
    this.#resolve();
  }

  fail(error: unknown): void {
    this.#leave();
    this.#reject(error);
  }

  /** Called by the signal when it aborts. */
  handleEvent(): void {
    this.fail(this.#slot.signal.reason);
    this.#onAbort();
  }

  #leave(): void {
    this.#queue.waiters.remove(this.entry);
    this.#slot.signal.removeEventListener("abort", this);
  }
}
