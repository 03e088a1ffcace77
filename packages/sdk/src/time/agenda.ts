/** Called at the time of an alarm, by the steady clock; with an error if the timer itself failed. */
export type Ring = (now: number, error?: unknown) => void;

/** Cancels an alarm; does nothing once the alarm has rung. */
export type Cancel = () => void;

/** Starts a timer and returns the function that stops it. The delay is at most `longestDelayMs`. */
export type StartTimer = (ms: number, ring: (error?: unknown) => void) => Cancel;

/** The longest delay that a runtime's timer accepts: a longer one fires at once, in Node with a warning. */
const longestDelayMs = 2 ** 31 - 1;

interface Alarm {
  readonly at: number;
  readonly ring: Ring;
  /** Alarms of the same time ring in the order in which they were set. */
  readonly order: number;
  /** The index in the heap. */
  place: number;
}

/** Any number of alarms on one timer. */
export class Agenda {
  readonly #steady: () => number;
  readonly #start: StartTimer;
  /** A binary heap: an alarm is not earlier than the one at half its place. */
  readonly #alarms: Alarm[] = [];
  #added = 0;
  #stop: Cancel = () => undefined;
  /** The time when the timer rings: `Infinity` if there is none, `-Infinity` while alarms ring. */
  #until = Infinity;

  constructor(steady: () => number, start: StartTimer) {
    this.#steady = steady;
    this.#start = start;
  }

  /** Sets an alarm to a time of the steady clock, which may be `Infinity`. */
  add(at: number, ring: Ring): Cancel {
    const alarm = { at, ring, order: this.#added++, place: 0 };
    this.#put(alarm, this.#alarms.length);
    this.#schedule();
    return () => {
      this.#remove(alarm);
      this.#schedule();
    };
  }

  /** Starts the timer for the first alarm, unless one runs that rings before: that is cheaper than another timer. */
  #schedule(): void {
    const at = this.#alarms[0]?.at ?? Infinity;
    if (this.#until <= at && (at < Infinity || this.#until === -Infinity)) return;
    this.#stop();
    this.#until = Infinity;
    if (at === Infinity) return;
    const now = this.#steady();
    const until = Math.min(at, now + longestDelayMs);
    this.#until = until;
    // Rounding may make the difference slightly longer than the added time.
    this.#stop = this.#start(Math.min(Math.max(0, at - now), longestDelayMs), (error) => this.#ring(until, error));
  }

  /** Timers round down: what the timer was started for is due, even if the clock says that it is slightly too early. */
  #ring(until: number, error: unknown): void {
    // If the timer itself fails, all alarms ring, because nothing else would wake the sleepers.
    const now = error === undefined ? Math.max(until, this.#steady()) : Infinity;
    this.#until = -Infinity;
    // A timer that has rung is not stopped any more: the sleep of a caller's clock would reject for nobody.
    this.#stop = () => undefined;
    for (let first = this.#alarms[0]; first && first.at <= now; first = this.#alarms[0]) {
      this.#remove(first);
      first.ring(now, error);
    }
    this.#until = Infinity;
    this.#schedule();
  }

  #remove(alarm: Alarm): void {
    if (this.#alarms[alarm.place] !== alarm) return;
    const last = this.#alarms.pop();
    if (last && last !== alarm) this.#put(last, alarm.place);
  }

  /** Puts an alarm at a free place, and moves it from there until the heap is in order. */
  #put(alarm: Alarm, free: number): void {
    const alarms = this.#alarms;
    const move = (other: Alarm) => {
      const { place } = other;
      alarms[(other.place = free)] = other;
      free = place;
    };
    for (let up; free > 0 && (up = alarms[(free - 1) >> 1]) && isBefore(alarm, up);) move(up);
    for (let down; (down = this.#earlierOf(2 * free + 1)) && isBefore(down, alarm);) move(down);
    alarms[(alarm.place = free)] = alarm;
  }

  #earlierOf(place: number): Alarm | undefined {
    const [left, right] = [this.#alarms[place], this.#alarms[place + 1]];
    return left && right && isBefore(right, left) ? right : left;
  }
}

function isBefore(a: Alarm, b: Alarm): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
