import { InvalidRequestError } from "../errors/errors.ts";
import type { Cancel, Time } from "../time/clock.ts";
import { createHeap, type Entry, type Heap } from "../time/heap.ts";
import { createDurations, type Durations } from "./durations.ts";

/** How the waits of one client share the service. */
export interface SchedulerOptions {
  /**
   * How many queries all waits together may have in flight.
   * @default 16
   */
  readonly maxQueriesInFlight?: number | undefined;
}

/** A query that is due sooner than this is not brought forward any more. */
const worthALookMs = 50;

/** When a query may go. */
export interface Turn {
  /** When it is due, by the steady clock. Asked again when that has come: by then others may have seen that it is too early. */
  due(): number;
  /** Whether the task's last query failed: such tasks take at most half of the slots from the others. */
  readonly suspect: boolean;
  readonly signal: AbortSignal;
}

/** What all waits of one client share. */
export interface Scheduler {
  /** Queries once it is due and a slot is free, the earliest due first; rejects with the signal's reason. */
  query<T>(turn: Turn, send: () => Promise<T>): Promise<T>;
  /** What this client has seen of tasks of that name, which is a model's where it is known. */
  durationsOf(name: string): Durations;
}

/** Creates the scheduler of one client. */
export function createScheduler(
  { maxQueriesInFlight: most = 16 }: SchedulerOptions,
  time: Pick<Time, "steady" | "alarm">,
): Scheduler {
  if (!(most >= 1)) {
    const issue = { field: "maxQueriesInFlight", got: String(most), allowed: "a number, at least 1" };
    throw new InvalidRequestError("createMediaGen: there is no client", [issue]);
  }
  const durations = new Map<string, Durations>();
  const sound = createLane(most);
  const suspect = createLane(Math.ceil(most / 2));
  let cancel: Cancel = () => undefined;

  /** Gives free slots to those who are due, and comes back when the next one is. */
  function fill(until = time.steady()): void {
    cancel();
    while (sound.inFlight + suspect.inFlight < most) {
      const [first, other] = [nextOf(sound), nextOf(suspect)];
      const next = first && other && other.at < first.at ? other : (first ?? other);
      if (!next) return;
      // What was slept for is due, also where the sleep was shorter than the clock says, as tests have it.
      if (next.at > until)
        return void (cancel = time.alarm(next.at - time.steady(), (error) =>
          error === undefined ? fill(Math.max(next.at, time.steady())) : failAll(error),
        ));
      const due = next.value.due();
      if (due > until) next.value.lane.line.move(next, nextLook(due, until));
      else next.value.go();
    }
  }

  function failAll(error: unknown): void {
    for (const { line } of [sound, suspect])
      for (let next = line.first(); next; next = line.first()) next.value.fail(error);
  }

  return {
    async query(turn, send) {
      const lane = turn.suspect ? suspect : sound;
      // Until it is due and a slot is free, which is taken then.
      await new Promise<void>((resolve, reject) => {
        if (turn.signal.aborted) return reject(turn.signal.reason);
        const standing = new Standing(lane, turn, nextLook(turn.due(), time.steady()), resolve, reject, fill);
        if (lane.line.first() === standing.entry) fill();
      });
      try {
        return await send();
      } finally {
        lane.inFlight--;
        fill();
      }
    },
    durationsOf(name) {
      const known = durations.get(name) ?? createDurations();
      durations.set(name, known);
      return known;
    },
  };
}

/** When to ask again when a query is due: half-way to it, for what others see meanwhile may bring it forward as well. */
function nextLook(due: number, now: number): number {
  const leftMs = due - now;
  return leftMs > worthALookMs ? due - leftMs / 2 : due;
}

/** Those who stand in line by when they are due, and how many of them may be in flight. */
interface Lane {
  readonly line: Heap<Standing>;
  readonly most: number;
  inFlight: number;
}

/** A query that stands in line. */
class Standing {
  readonly lane: Lane;
  readonly entry: Entry<Standing>;
  readonly #turn: Turn;
  readonly #resolve: () => void;
  readonly #reject: (reason: unknown) => void;
  readonly #onLeft: () => void;

  constructor(
    lane: Lane,
    turn: Turn,
    at: number,
    resolve: () => void,
    reject: (reason: unknown) => void,
    onLeft: () => void,
  ) {
    this.lane = lane;
    this.#turn = turn;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#onLeft = onLeft;
    this.entry = lane.line.add(at, this);
    turn.signal.addEventListener("abort", this, { once: true });
  }

  due(): number {
    return this.#turn.due();
  }

  go(): void {
    this.#leave();
    this.lane.inFlight++;
    this.#resolve();
  }

  fail(error: unknown): void {
    this.#leave();
    this.#reject(error);
  }

  /** The signal has aborted. */
  handleEvent(): void {
    this.fail(this.#turn.signal.reason);
    this.#onLeft();
  }

  #leave(): void {
    this.lane.line.remove(this.entry);
    this.#turn.signal.removeEventListener("abort", this);
  }
}

function createLane(most: number): Lane {
  return { line: createHeap(), most, inFlight: 0 };
}

function nextOf({ line, most, inFlight }: Lane): Entry<Standing> | undefined {
  return inFlight < most ? line.first() : undefined;
}
