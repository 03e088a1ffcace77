/** The delay that one more query is worth: if a model's tasks take 2 to 6 s, this leads to 4 queries and 0.3 s of delay. */
export const worthOfQueryMs = 78;

const firstEdgeMs = 100;
const growth = 1.06;
/** The number of bins of ages. Each is 6 % wider than the last; together they span 1.5 hours. */
const bins = 189;
/** The edges of the bins, in milliseconds. Pure, so that bundlers leave it out of a page that never waits. */
const edges = /* @__PURE__ */ Float64Array.from({ length: bins + 1 }, (_, bin) =>
  bin === 0 ? 0 : firstEdgeMs * growth ** (bin - 1),
);
/** The interval between queries of tasks that are older than all bins. */
const gapAfterMs = 60_000;
/** The weight of the prior, in observed tasks. It keeps unobserved durations from having probability 0. */
const weightOfPrior = 0.5;
/**
 * The number of bins before a bin that count as well, with the weight of the prior, if tasks have ended in them. Tasks that began
 * together reach a bin together, so none of them has been observed in it.
 */
const binsBefore = 8;
/** The approximate number of tasks that are remembered: with fewer, the estimate is noise; with more, it is slow to follow a change. */
const remembered = 500;

/**
 * Estimates how long the tasks of one model take, from what a client has observed.
 *
 * It starts with a prior and learns the hazard rate of finishing: for each bin of ages, the number of tasks that finished in
 * it, divided by the time that tasks were observed in it. Unfinished tasks therefore count as much as finished ones: if many
 * tasks began together, the first queries save queries of the others.
 */
export class Durations {
  readonly #ended = new Float64Array(bins);
  readonly #observedMs = new Float64Array(bins);

  /** Records that a task was unfinished from one age to another, in milliseconds. */
  recordUnfinished(from: number, to: number): void {
    for (let bin = binOf(from); bin < bins && startOf(bin) < to; bin++) this.#add(bin, 0, overlap(bin, from, to));
  }

  /**
   * Records that a task was unfinished at one age and finished at another. It finished at some unknown moment between them, so it
   * counts in each bin with its probability (one step of expectation maximisation). Assuming the middle would be wrong: the first
   * query comes late, and tasks rarely finish in most of the time before it.
   */
  recordEnd(unfinishedAt: number, finishedAt: number): void {
    for (let bin = 0; bin < bins; bin++)
      this.#add(bin, -(this.#ended[bin] ?? 0) / remembered, -(this.#observedMs[bin] ?? 0) / remembered);
    const until = Math.max(finishedAt, unfinishedAt + 1);
    const chances: number[] = [];
    let unfinished = 1;
    const first = binOf(unfinishedAt);
    for (let bin = first; bin < bins && startOf(bin) < until; bin++) {
      const chance = unfinished * this.#chanceWithin(bin, overlap(bin, unfinishedAt, until));
      unfinished -= chance;
      chances.push(chance);
    }
    let left = 1;
    for (const [index, chance] of chances.entries()) {
      const share = chance / (1 - unfinished);
      this.#add(first + index, share, overlap(first + index, unfinishedAt, until) * (left - share / 2));
      left -= share;
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
    for (let bin = binOf(from); bin < bins; from = startOf(++bin)) {
      const widthMs = startOf(bin + 1) - from;
      const chance = (1 - done) * this.#chanceWithin(bin, widthMs);
      const delay = (done + chance / 2) * widthMs;
      if (delay >= toRisk) return from + (2 * toRisk) / (done + Math.sqrt(done ** 2 + (2 * chance * toRisk) / widthMs));
      toRisk -= delay;
      done += chance;
    }
    return from + gapAfterMs;
  }

  /** Returns how likely a task that is unfinished at the start of a part of a bin is to finish in that part. */
  #chanceWithin(bin: number, widthMs: number): number {
    let [ended, observedMs] = [0, 0];
    for (let earlier = Math.max(0, bin - binsBefore); earlier < bin; earlier++) {
      ended += this.#ended[earlier] ?? 0;
      observedMs += this.#observedMs[earlier] ?? 0;
    }
    const [start, end] = [startOf(bin), startOf(bin + 1)];
    const priorMs = weightOfPrior * (end - start);
    // By the prior, half of all tasks take more than 3 s, a quarter more than 15 s.
    const endedByPrior = weightOfPrior * (1 - Math.sqrt((1_000 + start) / (1_000 + end)));
    const share = ended > 0 ? Math.min(1, priorMs / observedMs) : 0;
    ended = ended * share + endedByPrior + (this.#ended[bin] ?? 0);
    observedMs = observedMs * share + priorMs + (this.#observedMs[bin] ?? 0);
    return Math.min(1, (ended / observedMs) * widthMs);
  }

  #add(bin: number, ended: number, ms: number): void {
    this.#ended[bin] = (this.#ended[bin] ?? 0) + ended;
    this.#observedMs[bin] = (this.#observedMs[bin] ?? 0) + ms;
  }
}

/** Returns what was learned about a model, by its name. */
export type DurationsOf = (name: string) => Durations;

/** What was learned, by clock. Virtual time says nothing about a service. */
const learned = new WeakMap<object, Map<string, Durations>>();
const realTime = {};

/** Returns the durations that all clients of a service learn and use. The name is that of a model with its service. */
export function durationsAt(clock: object = realTime, name: string): Durations {
  const all = learned.get(clock) ?? new Map<string, Durations>();
  const known = all.get(name) ?? new Durations();
  learned.set(clock, all.set(name, known));
  return known;
}

function binOf(age: number): number {
  return age < firstEdgeMs ? 0 : Math.min(bins, 1 + Math.floor(Math.log(age / firstEdgeMs) / Math.log(growth)));
}

function startOf(bin: number): number {
  return edges[bin] ?? Infinity;
}

/** Returns the part of a bin that lies between two ages, in milliseconds. */
function overlap(bin: number, from: number, to: number): number {
  return Math.min(to, startOf(bin + 1)) - Math.max(from, startOf(bin));
}
