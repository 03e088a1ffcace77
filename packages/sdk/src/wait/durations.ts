/** How much delay one query is worth: for a model whose tasks take 2 to 6 s, that comes to 4 queries and 0.3 s of delay. */
export const worthOfQueryMs = 75;

/** How long tasks of one model take, as far as a client has seen. */
export interface Durations {
  /** A task was unfinished from one age to another, in milliseconds. */
  sawUnfinished(from: number, to: number): void;
  /** A task was unfinished at one age and finished at another, in milliseconds. */
  sawEnd(unfinishedAt: number, finishedAt: number): void;
  /**
   * The age at which to query next a task that was unfinished at this one. The longer one does not ask, the longer a
   * finished task is likely to lie about: this is the age at which that delay, as it is to be expected, has grown to what one
   * query is worth. Where the hazard of finishing is constant, the gap comes to `sqrt(2 * worth / hazard)`.
   */
  nextQuery(unfinishedAt: number, worthMs: number): number;
}

const firstEdgeMs = 100;
const growth = 1.06;
/** Where each bin begins, in milliseconds: each 6 % after the one before, up to an hour and a half. */
const edges = Float64Array.from({ length: 190 }, (_, bin) => (bin === 0 ? 0 : firstEdgeMs * growth ** (bin - 1)));
const bins = edges.length - 1;
/** The gap for tasks that are older than all bins. */
const gapAfterMs = 60_000;
/** How many tasks the guess before anything was seen counts for: nothing that has never happened yet is impossible. */
const weightBefore = 0.5;
/** How many tasks are remembered, about: with fewer, chance would tell; with more, a model could not change its pace. */
const remembered = 500;

/** Before anything was seen: half of the tasks take longer than 3 s, and four times as long half as many. */
function unfinishedUsually(age: number): number {
  return 1 / Math.sqrt(1 + age / 1_000);
}

/**
 * Begins with the share of tasks that are unfinished at an age, as far as anybody knows before, and learns the hazard of
 * finishing: for each bin of ages, how many tasks ended in it for how long tasks were seen in it. So the unfinished tell as
 * much as the finished: of tasks that began together the first queries spare the others theirs.
 */
export function createDurations(unfinished: (age: number) => number = unfinishedUsually): Durations {
  const endedBefore = new Float64Array(bins);
  const seenBefore = new Float64Array(bins);
  const ended = new Float64Array(bins);
  const seenMs = new Float64Array(bins);
  for (let bin = 0; bin < bins; bin++) {
    const [atBegin, atEnd] = [unfinished(beginOf(bin)), unfinished(endOf(bin))];
    endedBefore[bin] = atBegin > 0 ? (weightBefore * (atBegin - atEnd)) / atBegin : 0;
    seenBefore[bin] = weightBefore * (endOf(bin) - beginOf(bin));
  }

  /** How likely a task that is unfinished where this part of a bin begins is to end in it. */
  function chanceWithin(bin: number, widthMs: number): number {
    const hazard = ((endedBefore[bin] ?? 0) + (ended[bin] ?? 0)) / ((seenBefore[bin] ?? 0) + (seenMs[bin] ?? 0));
    return Math.min(1, hazard * widthMs);
  }

  function saw(bin: number, ends: number, ms: number): void {
    ended[bin] = (ended[bin] ?? 0) + ends;
    seenMs[bin] = (seenMs[bin] ?? 0) + ms;
  }

  return {
    sawUnfinished(from, to) {
      for (let bin = binOf(from); bin < bins && beginOf(bin) < to; bin++)
        saw(bin, 0, Math.min(to, endOf(bin)) - Math.max(from, beginOf(bin)));
    },
    sawEnd(unfinishedAt, finishedAt) {
      for (let bin = 0; bin < bins; bin++) saw(bin, -(ended[bin] ?? 0) / remembered, -(seenMs[bin] ?? 0) / remembered);
      // When it ended between the two is not known: it counts in each bin by that bin's chance (one step of expectation
      // maximisation). Its midpoint would be wrong: the first query comes late, and most of that time nothing ends.
      const until = Math.max(finishedAt, unfinishedAt + 1);
      const parts: { readonly bin: number; readonly widthMs: number; readonly chance: number }[] = [];
      let left = 1;
      for (let bin = binOf(unfinishedAt); bin < bins && beginOf(bin) < until; bin++) {
        const widthMs = Math.min(until, endOf(bin)) - Math.max(unfinishedAt, beginOf(bin));
        const chance = left * chanceWithin(bin, widthMs);
        left -= chance;
        parts.push({ bin, widthMs, chance });
      }
      let unfinishedShare = 1;
      for (const { bin, widthMs, chance } of parts) {
        const share = chance / (1 - left);
        saw(bin, share, widthMs * (unfinishedShare - share / 2));
        unfinishedShare -= share;
      }
    },
    nextQuery(unfinishedAt, worthMs) {
      // Both grow with the age: the share of tasks that have ended, and the delay that they have had together.
      let done = 0;
      let toRisk = worthMs;
      let from = unfinishedAt;
      for (let bin = binOf(from); bin < bins; from = endOf(bin++)) {
        const widthMs = endOf(bin) - from;
        const chance = (1 - done) * chanceWithin(bin, widthMs);
        const delay = (done + chance / 2) * widthMs;
        if (delay >= toRisk)
          return from + (2 * toRisk) / (done + Math.sqrt(done ** 2 + (2 * chance * toRisk) / widthMs));
        toRisk -= delay;
        done += chance;
      }
      return from + gapAfterMs;
    },
  };
}

function binOf(age: number): number {
  return age < firstEdgeMs ? 0 : Math.min(bins, 1 + Math.floor(Math.log(age / firstEdgeMs) / Math.log(growth)));
}

function beginOf(bin: number): number {
  return edges[bin] ?? Infinity;
}

function endOf(bin: number): number {
  return edges[bin + 1] ?? Infinity;
}
