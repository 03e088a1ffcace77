/**
 * The delay that one more query is worth: if a model's tasks take 2 to 6 s, this leads to 4 queries
 * and 0.3 s of delay.
 */
const worthOfQueryMs = 78;

const firstEdgeMs = 100;
const growth = Math.log(1.1);
/** The number of bins of ages. Each is 10 % wider than the last; together they span 1.6 hours. */
const bins = 116;
/**
 * The edges of the bins, in milliseconds. Pure, so that bundlers leave it out of a page that never
 * waits.
 */
const edges = /* @__PURE__ */ Float64Array.from({ length: bins + 1 }, (_, bin) =>
  bin === 0 ? 0 : firstEdgeMs * Math.exp(growth * (bin - 1)),
);
/**
 * The weight of the prior, in observed tasks: half of the tasks of a new model take more than 3 s,
 * a quarter more than 15 s.
 */
const weightOfPrior = 0.5;
/**
 * The approximate number of tasks that are remembered: with fewer, the estimate is noise; with
 * more, it is slow to follow a change.
 */
const remembered = 500;

/**
 * Learns how long the tasks of one model take: for each bin of ages, how many ended in it, and for
 * how long tasks were seen in it. Unfinished tasks count as much as finished ones: if many tasks
 * began together, the first queries save queries of the others.
 */
export class Durations {
  readonly #ended = new Float64Array(bins);
  readonly #seenMs = new Float64Array(bins);

  /**
   * Records that a task was unfinished from one age to another and, if it has, that it ended in
   * that time.
   */
  record(from: number, to: number, hasEnded: boolean): void {
    if (hasEnded)
      for (const list of [this.#ended, this.#seenMs])
        list.forEach((value, bin) => (list[bin] = value * (1 - 1 / remembered)));
    const until = Math.max(to, from + 1);
    const msIn = (bin: number) => Math.min(until, startOf(bin + 1)) - Math.max(from, startOf(bin));
    // When it ended is not known: it counts in each bin with the chance that tasks end there.
    let chances = 0;
    for (let bin = binOf(from); bin < bins && startOf(bin) < until; bin++)
      chances += this.#hazard(bin) * msIn(bin);
    let left = 1;
    for (let bin = binOf(from); bin < bins && startOf(bin) < until; bin++) {
      const share = hasEnded ? (this.#hazard(bin) * msIn(bin)) / chances : 0;
      this.#ended[bin] = (this.#ended[bin] ?? 0) + share;
      this.#seenMs[bin] = (this.#seenMs[bin] ?? 0) + msIn(bin) * (left - share / 2);
      left -= share;
    }
  }

  /**
   * Returns the age at which to query a task next: when the delay that is risked until then is
   * worth a query, times `share`.
   */
  next(age: number, share: number): number {
    let at = age;
    let done = 0;
    let toRisk = worthOfQueryMs * share;
    for (let bin = binOf(age); bin < bins; at = startOf(++bin)) {
      const ms = startOf(bin + 1) - at;
      const chance = (1 - done) * Math.min(1, this.#hazard(bin) * ms);
      const delay = (done + chance / 2) * ms;
      if (delay >= toRisk)
        return at + (2 * toRisk) / (done + Math.sqrt(done ** 2 + (2 * chance * toRisk) / ms));
      toRisk -= delay;
      done += chance;
    }
    return at + 60_000;
  }

  /** Returns how likely a task is to end in a millisecond of a bin. */
  #hazard(bin: number): number {
    const start = startOf(bin);
    const end = startOf(bin + 1);
    const endedByPrior = weightOfPrior * (1 - Math.sqrt((1_000 + start) / (1_000 + end)));
    return (
      ((this.#ended[bin] ?? 0) + endedByPrior) /
      ((this.#seenMs[bin] ?? 0) + weightOfPrior * (end - start))
    );
  }
}

/** What was learned, by clock. Virtual time says nothing about a service. */
const learned = new WeakMap<object, Map<string, Durations>>();
const realTime = {};

/**
 * Returns the durations that all clients of a service learn and use. The name is that of a model
 * with its service.
 */
export function durationsAt(clock: object = realTime, name: string): Durations {
  const all = learned.get(clock) ?? new Map<string, Durations>();
  const known = all.get(name) ?? new Durations();
  learned.set(clock, all.set(name, known));
  return known;
}

function binOf(age: number): number {
  return age < firstEdgeMs
    ? 0
    : Math.min(bins, 1 + Math.floor(Math.log(age / firstEdgeMs) / growth));
}

function startOf(bin: number): number {
  return edges[bin] ?? Infinity;
}
