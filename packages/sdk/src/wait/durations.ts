/** The delay that one more query is worth: if a model's tasks take 2 to 6 s, this leads to 4 queries and 0.3 s of delay. */
export const worthOfQueryMs = 78;

const firstEdgeMs = 100;
const growth = 1.06;
/** The lower edges of the bins of ages, in milliseconds. Each bin is 6 % wider than the last; together they span 1.5 hours. */
const edges = Float64Array.from({ length: 190 }, (_, bin) => (bin === 0 ? 0 : firstEdgeMs * growth ** (bin - 1)));
const bins = edges.length - 1;
/** The interval between queries of tasks that are older than all bins. */
const gapAfterMs = 60_000;
/** The weight of the prior, in observed tasks. It keeps unobserved durations from having probability 0. */
const weightOfPrior = 0.5;
/**
 * The number of bins before a bin that count as well if tasks have ended in them, and their weight in observed tasks. Tasks that
 * began together reach a bin together, so none of them has been observed in it.
 */
const before = { bins: 8, weight: 0.5 };
/** The approximate number of tasks that are remembered: with fewer, the estimate is noise; with more, it is slow to follow a change. */
const remembered = 500;

/** Returns the prior share of tasks that are unfinished at an age: half of them take more than 3 s, a quarter more than 15 s. */
function unfinishedByPrior(age: number): number {
  return 1 / Math.sqrt(1 + age / 1_000);
}

/** A part of a bin in which a task may have finished. */
interface Interval {
  readonly bin: number;
  readonly widthMs: number;
  /** The probability that the task finished in it. */
  readonly chance: number;
}

/**
 * Estimates how long the tasks of one model take, from what a client has observed.
 *
 * It starts with a prior and learns the hazard rate of finishing: for each bin of ages, the number of tasks that finished in
 * it, divided by the time that tasks were observed in it. Unfinished tasks therefore count as much as finished ones: if many
 * tasks began together, the first queries save queries of the others.
 */
export class Durations {
  readonly #endedByPrior = new Float64Array(bins);
  readonly #observedByPriorMs = new Float64Array(bins);
  readonly #ended = new Float64Array(bins);
  readonly #observedMs = new Float64Array(bins);

  /** `unfinished` is the prior: the share of tasks that are unfinished at an age in milliseconds. */
  constructor(unfinished: (age: number) => number = unfinishedByPrior) {
    for (let bin = 0; bin < bins; bin++) {
      const [atStart, atEnd] = [unfinished(startOf(bin)), unfinished(endOf(bin))];
      this.#endedByPrior[bin] = atStart > 0 ? (weightOfPrior * (atStart - atEnd)) / atStart : 0;
      this.#observedByPriorMs[bin] = weightOfPrior * (endOf(bin) - startOf(bin));
    }
  }

  /** Records that a task was unfinished from one age to another, in milliseconds. */
  recordUnfinished(from: number, to: number): void {
    for (let bin = binOf(from); bin < bins && startOf(bin) < to; bin++)
      this.#add(bin, 0, Math.min(to, endOf(bin)) - Math.max(from, startOf(bin)));
  }

  /** Records that a task was unfinished at one age and finished at another, in milliseconds. */
  recordEnd(unfinishedAt: number, finishedAt: number): void {
    this.#forgetSome();
    const intervals = this.#split(unfinishedAt, Math.max(finishedAt, unfinishedAt + 1));
    const total = intervals.reduce((sum, { chance }) => sum + chance, 0);
    let unfinished = 1;
    for (const { bin, widthMs, chance } of intervals) {
      const share = chance / total;
      this.#add(bin, share, widthMs * (unfinished - share / 2));
      unfinished -= share;
    }
  }

  /**
   * Returns the age at which to query a task next that was unfinished at this age. The longer the delay, the longer a
   * finished task is likely to have gone unnoticed. This is the age at which that expected delay reaches what one query is
   * worth. If the hazard rate is constant, the interval is `sqrt(2 * worth / hazard)`.
   */
  nextQuery(unfinishedAt: number, worthMs: number): number {
    // The probability that the task has finished, and the expected delay that is still acceptable.
    let done = 0;
    let toRisk = worthMs;
    let from = unfinishedAt;
    for (let bin = binOf(from); bin < bins; from = endOf(bin++)) {
      const widthMs = endOf(bin) - from;
      const chance = (1 - done) * this.#chanceWithin(bin, widthMs);
      const delay = (done + chance / 2) * widthMs;
      if (delay >= toRisk) return from + (2 * toRisk) / (done + Math.sqrt(done ** 2 + (2 * chance * toRisk) / widthMs));
      toRisk -= delay;
      done += chance;
    }
    return from + gapAfterMs;
  }

  /**
   * Splits the time in which a task finished at some unknown moment by bins, each with its probability (one step of
   * expectation maximisation). Assuming the middle instead would be wrong: the first query comes late, and tasks rarely
   * finish in most of the time before it.
   */
  #split(from: number, until: number): readonly Interval[] {
    const intervals: Interval[] = [];
    let unfinished = 1;
    for (let bin = binOf(from); bin < bins && startOf(bin) < until; bin++) {
      const widthMs = Math.min(until, endOf(bin)) - Math.max(from, startOf(bin));
      const chance = unfinished * this.#chanceWithin(bin, widthMs);
      unfinished -= chance;
      intervals.push({ bin, widthMs, chance });
    }
    return intervals;
  }

  /** Returns how likely a task that is unfinished at the start of a part of a bin is to finish in that part. */
  #chanceWithin(bin: number, widthMs: number): number {
    let [ended, observedMs] = [0, 0];
    for (let earlier = Math.max(0, bin - before.bins); earlier < bin; earlier++) {
      ended += this.#ended[earlier] ?? 0;
      observedMs += this.#observedMs[earlier] ?? 0;
    }
    const share = ended > 0 ? Math.min(1, (before.weight * (endOf(bin) - startOf(bin))) / observedMs) : 0;
    ended = ended * share + (this.#endedByPrior[bin] ?? 0) + (this.#ended[bin] ?? 0);
    observedMs = observedMs * share + (this.#observedByPriorMs[bin] ?? 0) + (this.#observedMs[bin] ?? 0);
    return Math.min(1, (ended / observedMs) * widthMs);
  }

  #add(bin: number, ended: number, ms: number): void {
    this.#ended[bin] = (this.#ended[bin] ?? 0) + ended;
    this.#observedMs[bin] = (this.#observedMs[bin] ?? 0) + ms;
  }

  #forgetSome(): void {
    for (let bin = 0; bin < bins; bin++)
      this.#add(bin, -(this.#ended[bin] ?? 0) / remembered, -(this.#observedMs[bin] ?? 0) / remembered);
  }
}

/** Returns what was learned about a model, by its name. */
export type DurationsOf = (name: string) => Durations;

/** What was learned, by clock. Virtual time says nothing about a service. */
const learned = new WeakMap<object, Map<string, Durations>>();
const realTime = {};

/** Returns the durations that all clients of a service learn and use. */
export function durationsAt(clock: object = realTime, origin: string): DurationsOf {
  const all = learned.get(clock) ?? new Map<string, Durations>();
  learned.set(clock, all);
  return (name) => {
    const key = `${origin} ${name}`;
    const known = all.get(key) ?? new Durations();
    all.set(key, known);
    return known;
  };
}

function binOf(age: number): number {
  return age < firstEdgeMs ? 0 : Math.min(bins, 1 + Math.floor(Math.log(age / firstEdgeMs) / Math.log(growth)));
}

function startOf(bin: number): number {
  return edges[bin] ?? Infinity;
}

function endOf(bin: number): number {
  return edges[bin + 1] ?? Infinity;
}
