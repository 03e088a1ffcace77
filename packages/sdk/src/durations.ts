/** How much delay one query is worth: for a model whose tasks take 2 to 6 s, that comes to 4 queries and 0.3 s of delay. */
export const worthOfQueryMs = 85;

/** How long tasks of one model take, as far as a client has seen. */
export interface Durations {
  /** A task was unfinished at one age and finished at another, in milliseconds; at Infinity where its end was not seen. */
  saw(unfinishedAt: number, finishedAt: number): void;
  /**
   * The age at which to query next a task that was unfinished at this one. The longer one does not ask, the longer a
   * finished task is likely to lie about: this is the age at which that delay, as it is to be expected, has grown to what one
   * query is worth. Where the hazard of finishing is constant, the gap comes to `sqrt(2 * worth / hazard)`.
   */
  nextQuery(unfinishedAt: number, worthMs: number): number;
}

/** Where each bin begins, in milliseconds: each 6 % after the one before, and the last, after an hour and a half, has no end. */
const edges = Float64Array.from({ length: 190 }, (_, bin) => (bin === 0 ? 0 : 100 * 1.06 ** (bin - 1)));
/**
 * How much a task counts among those before it, at least. Some 500 are remembered: with fewer, a burst would leave the memory of
 * its slowest alone, who end last; with more, a model could not change its pace.
 */
const leastShare = 1 / 500;
/** How much is always left to what may be, whatever was seen: nothing that has never happened yet is impossible. */
const openShare = 0.005;
/** How many tasks the guess before anything was seen counts for. */
const weightBefore = 0.5;
/** The gap for tasks older than the last bin's beginning, which is an hour and a half. */
const gapAfterMs = 60_000;

/** Before anything was seen: half of the tasks take longer than 3 s, and four times as long half as many. */
function unfinishedUsually(age: number): number {
  return 1 / Math.sqrt(1 + age / 1_000);
}

/** Begins with the share of tasks that are unfinished at an age, as far as anybody knows before, and learns. */
export function createDurations(unfinished: (age: number) => number = unfinishedUsually, open: number = openShare): Durations {
  const before = edges.map((edge, bin) => unfinished(edge) - (bin + 1 < edges.length ? unfinished(endOf(bin)) : 0));
  const learned = Float64Array.from(before);
  const chances = new Float64Array(edges.length);
  let tasks = 0;
  const chance = (bin: number) => (1 - open) * (learned[bin] ?? 0) + open * (before[bin] ?? 0);

  /** The chance that a task ends in this bin between the two ages. Each query asks for it some hundred times. */
  function chanceWithin(bin: number, from: number, to: number): number {
    const start = edges[bin] ?? 0;
    const end = endOf(bin);
    const within = Math.min(to, end) - Math.max(from, start);
    if (within <= 0) return 0;
    return end === Infinity ? chance(bin) : (chance(bin) * within) / (end - start);
  }

  return {
    saw(unfinishedAt, finishedAt) {
      // When it ended between the two is not known: it counts in each bin by that bin's chance (one step of expectation
      // maximisation). Its midpoint would be wrong: the first query comes late, and most of that time nothing ends.
      const until = Math.max(finishedAt, unfinishedAt + 1);
      let sum = 0;
      for (let bin = 0; bin < edges.length; bin++) sum += chances[bin] = chanceWithin(bin, unfinishedAt, until);
      if (!(sum > 0)) return;
      const share = Math.max(leastShare, 1 / (++tasks + weightBefore));
      for (let bin = 0; bin < edges.length; bin++) learned[bin] = (1 - share) * (learned[bin] ?? 0) + (share * (chances[bin] ?? 0)) / sum;
    },
    nextQuery(unfinishedAt, worthMs) {
      let left = 0;
      for (let bin = 0; bin < edges.length; bin++) left += chanceWithin(bin, unfinishedAt, Infinity);
      // Both grow with the age: the share of tasks that have ended, and the delay that they have had together.
      let ended = 0;
      let toRisk = worthMs * left;
      for (let bin = 0; bin < edges.length - 1; bin++) {
        const from = Math.max(unfinishedAt, edges[bin] ?? 0);
        const width = endOf(bin) - from;
        if (width <= 0) continue;
        const density = chanceWithin(bin, from, Infinity) / width;
        const gap = (2 * toRisk) / (ended + Math.sqrt(ended ** 2 + 2 * density * toRisk));
        if (gap <= width) return from + gap;
        toRisk -= ended * width + (density * width ** 2) / 2;
        ended += density * width;
      }
      return unfinishedAt + gapAfterMs;
    },
  };
}

function endOf(bin: number): number {
  return edges[bin + 1] ?? Infinity;
}
