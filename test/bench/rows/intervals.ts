import type { Kind, VideoRecord } from "@mediagen/sdk";
// The client's own code behind a wait, without HTTP: a million queries through Request and Response would measure those.
import { type Clock, Time } from "../../../packages/sdk/src/time/clock.ts";
import { durationsAt, worthOfQueryMs } from "../../../packages/sdk/src/wait/durations.ts";
import { Scheduler } from "../../../packages/sdk/src/wait/scheduler.ts";
import { type CheckOnce, waitFor } from "../../../packages/sdk/src/wait/wait.ts";
import { randomFrom } from "../random.ts";
import { aimOf, lineOf, type Line, type Row } from "../table.ts";

/** How long a model's tasks take, in milliseconds: drawn from a number between 0 and 1, and the share still unfinished at an age. */
interface Model {
  readonly name: string;
  readonly draw: (random: number) => number;
  readonly unfinished: (age: number) => number;
}

const median = 60_000;
const sigma = 0.5;
const models: readonly Model[] = [
  {
    name: "uniform 2 to 6 s",
    draw: (random) => 2_000 + 4_000 * random,
    unfinished: (age) => Math.min(1, Math.max(0, (6_000 - age) / 4_000)),
  },
  {
    name: "exponential, mean 4 s",
    draw: (random) => -4_000 * Math.log(1 - random),
    unfinished: (age) => Math.exp(-age / 4_000),
  },
  {
    name: "lognormal, median 60 s, sigma 0.5",
    draw: (random) => quantile((age) => normal(Math.log(age / median) / sigma), random),
    unfinished: (age) => (age <= 0 ? 1 : 1 - normal(Math.log(age / median) / sigma)),
  },
];
const batches = 50;
const tasksOfBatch = 1_000;
/** Over how long the tasks of a batch are generated; the next begins when all of one are done. */
const spreadMs = 60_000;

/** What one rule came to for many tasks. */
export interface Outcome {
  readonly rule: string;
  readonly queries: number;
  /** From the end of each task to its being known, in milliseconds. */
  readonly delays: Float64Array;
}

const ours = "mediagen";

export const row: Row = {
  title: "When to query",
  what: `mediagen's own code behind a wait, in virtual time, on ${(batches * tasksOfBatch).toLocaleString("en")} tasks for each distribution of durations, in ${batches} batches. A query takes no time. The client begins without knowing anything. It is compared with the same rule when the distribution is known, and with fixed intervals, of which the first begins with the task.`,
  limit: "the same rule when the distribution is known.",
  tables: models.map(({ name }) => ({
    title: `${name[0]?.toUpperCase()}${name.slice(1)}`,
    columns: [
      { key: "queries", label: "queries per task", digits: 2 },
      { key: "delay", label: "mean delay, s", digits: 2 },
      { key: "p50", label: "p50", digits: 2 },
      { key: "p99", label: "p99", digits: 2 },
    ],
  })),
  async measure(scale) {
    const tables: Line[][] = [];
    for (const model of models) {
      process.stderr.write(`  ${model.name}\n`);
      const durations = drawn(model, scale(batches));
      const outcomes = [
        ...(await simulate(durations, tasksOfBatch)),
        byRule("the same rule, the distribution known", durations, (age) => nextIfKnown(model, age)),
        ...[0.5, 5, 6].map((seconds) => byRule(`fixed ${seconds} s`, durations, (age) => age + seconds * 1_000)),
      ];
      tables.push(outcomes.map(lineFrom));
    }
    return tables;
  },
  aims([uniform]) {
    const own = lineOf(uniform?.lines, ours);
    return [
      aimOf("queries per task, uniform", own, "queries", { atMost: 4 }),
      aimOf("mean delay, uniform", own, "delay", { atMost: 0.3, unit: " s" }),
    ];
  },
};

function lineFrom({ rule, queries, delays }: Outcome): Line {
  const sorted = delays.toSorted();
  const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN) / 1_000;
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length / 1_000;
  return { name: rule, rounds: [{ queries: queries / delays.length, delay: mean, p50: at(0.5), p99: at(0.99) }] };
}

/** The age at which the expected delay since the last query is worth one more, to 20 ms. */
function nextIfKnown({ unfinished }: Model, last: number): number {
  let age = last;
  for (let risk = 0; risk < worthOfQueryMs; age += 20) risk += 20 * (1 - unfinished(age) / unfinished(last));
  return age;
}

/** What it comes to if a task is queried at the ages that a rule says. */
function byRule(rule: string, durations: Float64Array, next: (age: number) => number): Outcome {
  const first = next(0);
  let queries = 0;
  const delays = durations.map((duration) => {
    let age = first;
    for (queries++; age < duration; queries++) age = next(age);
    return age - duration;
  });
  return { rule, queries, delays };
}

/** mediagen's: `waitFor` on one scheduler and one clock, whose time moves on when nothing else is left to do. */
export async function simulate(durations: Float64Array, tasksOfBatch: number): Promise<readonly Outcome[]> {
  let now = 0;
  let queries = 0;
  const random = randomFrom(1);
  const delays = new Float64Array(durations.length);
  const asleep = new Set<{ readonly until: number; readonly wake: () => void }>();
  const sleep: Clock["sleep"] = (ms, signal) =>
    new Promise((wake, reject) => {
      const own = { until: now + ms, wake };
      asleep.add(own);
      signal.addEventListener("abort", () => (asleep.delete(own), reject(signal.reason)));
    });
  const time = new Time({ now: () => now, random, sleep });
  const host = { time, scheduler: new Scheduler({}, time, (name) => durationsAt(time, name)), emit: () => undefined };
  let queriesAtFirst = 0;
  for (let batch = 0; batch < durations.length / tasksOfBatch; batch++) {
    let left = tasksOfBatch;
    for (let index = batch * tasksOfBatch; index < (batch + 1) * tasksOfBatch; index++) {
      const createdAt = now + random() * spreadMs;
      const end = createdAt + (durations[index] ?? 0);
      const check: CheckOnce<Kind> = async () => {
        queries++;
        const done = now >= end;
        return {
          state: done ? "succeeded" : "pending",
          status: undefined,
          requestId: undefined,
          // The cast: a wait reads the URLs alone.
          record: { taskid: "", url: done ? ["1"] : [] } as object as VideoRecord,
          recorded: Promise.resolve(),
        };
      };
      void time.sleep(createdAt - now, new AbortController().signal, "pause").then(async () => {
        // The cast: a wait reads these two alone.
        await waitFor({ model: "model", createdAt } as Parameters<typeof waitFor>[0], check, {}, host);
        delays[index] = now - end;
        left--;
      });
    }
    while (left > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = [...asleep].sort((one, other) => one.until - other.until);
      if (!next) continue;
      asleep.delete(next);
      now = Math.max(now, next.until);
      next.wake();
    }
    if (batch === 0) queriesAtFirst = queries;
  }
  return [
    { rule: ours, queries, delays },
    { rule: "mediagen, its first batch alone", queries: queriesAtFirst, delays: delays.slice(0, tasksOfBatch) },
  ];
}

function drawn({ draw }: Model, count: number): Float64Array {
  const random = randomFrom(2);
  return Float64Array.from({ length: count * tasksOfBatch }, () => draw(random()));
}

/** The share of a standard normal distribution below x (Abramowitz and Stegun 26.2.17). */
function normal(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail =
    (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return x < 0 ? tail : 1 - tail;
}

/** Where a share of a distribution lies below, by bisection. */
function quantile(below: (age: number) => number, share: number): number {
  let [low, high] = [1, 1e7];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (below(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
