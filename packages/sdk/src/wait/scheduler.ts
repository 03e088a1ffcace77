import type { Cancel } from "../time/agenda.ts";
import type { Time } from "../time/clock.ts";
import type { DurationsOf } from "./durations.ts";

const defaultInFlight = 16;
/** The maximum number of queries in flight per slot that take much longer than usual. */
const overduePerSlot = 3;
/** The time before a query in which it is not looked at again until it is due. */
const soonMs = 100;
/** How long a query takes before the first response has shown it. */
const assumedMs = 1_000;

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

/** A wait, as the scheduler of its client sees it. */
export interface Poller {
  /**
   * Returns when its next query is due, by the steady clock. It is called again before and at that time, because other tasks
   * may have shown that the query would be too late or too early.
   */
  due(): number;
  /** Whether its last query failed. Such tasks get at most half of the slots, so that they do not delay the others. */
  readonly isFailing: boolean;
  /** Sends the query. Resolves when the response is there, and never rejects. */
  poll(): Promise<void>;
  /** Reads the response, once its slot is free for another wait. Never rejects. */
  read(): Promise<void>;
  /** Ends the wait, because the clock has failed. */
  fail(error: unknown): void;
  /** Set by the scheduler: takes the wait out of the schedule. */
  leave: Cancel;
}

/** Either the tasks whose last query failed, or the others. */
class Line {
  /** The waits that are due, in that order, each with the time since when. */
  readonly ready: Map<Poller, number> = new Map();
  inFlight = 0;
}

/** Schedules the queries of all waits of one client. */
export class Scheduler {
  readonly #time: Time;
  readonly #maxInFlight: number;
  readonly #healthy = new Line();
  readonly #failing = new Line();
  /** The number of queries in flight that took so long that they gave their slots back. */
  #overdue = 0;
  #usualMs: number | undefined;
  /** Returns what was learned about a model, or about a kind if the model is not known. */
  readonly durationsOf: DurationsOf;

  constructor({ maxQueriesInFlight = defaultInFlight }: SchedulerOptions, time: Time, durationsOf: DurationsOf) {
    this.#time = time;
    this.#maxInFlight = maxQueriesInFlight;
    this.durationsOf = durationsOf;
  }

  /** The timeout of a query. */
  get timeoutMs(): number {
    return Math.max(500, 10 * (this.#usualMs ?? assumedMs));
  }

  /**
   * Records how long a response took. The estimate doubles after a response that took longer and falls a little after each of the
   * others. It thus stays between the 99th percentile and twice that.
   */
  recordLatency(ms: number): void {
    const usualMs = this.#usualMs ?? ms;
    // Never 0, which no factor could change.
    this.#usualMs = Math.max(1, usualMs * (ms > usualMs ? 2 : 2 ** -(1 / 99)));
  }

  /** Lets a wait poll once, when that is due and a slot is free, earliest due first. */
  add(wait: Poller, now: number = this.#time.steady()): void {
    const due = wait.due();
    if (due <= now) {
      const { ready } = this.#lineOf(wait);
      wait.leave = () => ready.delete(wait);
      ready.set(wait, now);
      return this.#fill(now);
    }
    // It is looked at again halfway, because it may be due earlier by then.
    const at = due - now > soonMs ? (due + now) / 2 : due;
    const ring = (then: number, error: unknown) => (error === undefined ? this.add(wait, then) : wait.fail(error));
    wait.leave = this.#time.alarm(at - this.#time.steady(), ring, "pause");
  }

  /** Gives the free slots to the waits that are due. */
  #fill(now: number = this.#time.steady()): void {
    for (let next = this.#next(); next; next = this.#next()) {
      next.leave();
      if (next.due() > now) this.add(next, now);
      else void this.#poll(next);
    }
  }

  /** Returns the wait that gets the next slot, if one is free. */
  #next(): Poller | undefined {
    // Queries beyond those that may be overdue hold slots again, so that a service that does not respond gets no more of them.
    const hanging = Math.max(0, this.#overdue - overduePerSlot * this.#maxInFlight);
    if (this.#healthy.inFlight + this.#failing.inFlight + hanging >= this.#maxInFlight) return undefined;
    const [healthy] = this.#healthy.ready;
    const [failing] = this.#failing.inFlight < this.#maxInFlight / 2 ? this.#failing.ready : [];
    return (healthy && failing && healthy[1] < failing[1] ? healthy : (failing ?? healthy))?.[0];
  }

  async #poll(wait: Poller): Promise<void> {
    const line = this.#lineOf(wait);
    let isOverdue = false;
    const giveSlotBack = () => {
      isOverdue = true;
      line.inFlight--;
      this.#overdue++;
      this.#fill();
    };
    line.inFlight++;
    const slotMs = Math.max(50, 3 * (this.#usualMs ?? assumedMs));
    const cancel = this.#time.alarm(slotMs, giveSlotBack, "limit");
    await wait.poll();
    cancel();
    if (isOverdue) this.#overdue--;
    else line.inFlight--;
    this.#fill();
    await wait.read();
  }

  #lineOf(wait: Poller): Line {
    return wait.isFailing ? this.#failing : this.#healthy;
  }
}
