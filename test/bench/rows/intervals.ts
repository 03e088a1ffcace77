import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, type Check, type Task } from "@mediagen/sdk";
// The client's own code behind a wait, without HTTP: a million queries through Request and Response would measure those.
import { shareTimer } from "../../../packages/sdk/src/clock.ts";
import { createDurations, worthOfQueryMs } from "../../../packages/sdk/src/durations.ts";
import { createScheduler } from "../../../packages/sdk/src/scheduler.ts";
import { waitFor } from "../../../packages/sdk/src/wait.ts";

/** How long a model's tasks take, in milliseconds: drawn from a number between 0 and 1, and the share still unfinished at an age. */
interface Model {
  readonly name: string;
  readonly draw: (random: number) => number;
  readonly unfinished: (age: number) => number;
}

const median = 60_000;
const sigma = 0.5;
const models: readonly Model[] = [
  { name: "uniform 2 to 6 s", draw: (random) => 2_000 + 4_000 * random, unfinished: (age) => Math.min(1, Math.max(0, (6_000 - age) / 4_000)) },
  { name: "exponential, mean 4 s", draw: (random) => -4_000 * Math.log(1 - random), unfinished: (age) => Math.exp(-age / 4_000) },
  {
    name: "lognormal, median 60 s, sigma 0.5",
    draw: (random) => quantile((age) => normal(Math.log(age / median) / sigma), random),
    unfinished: (age) => (age <= 0 ? 1 : 1 - normal(Math.log(age / median) / sigma)),
  },
];
const batches = 100;
const tasksOfBatch = 1_000;
/** Over how long the tasks of a batch are generated; the next begins when all of one are done. */
const spreadMs = 60_000;

/** What one rule came to for many tasks. */
interface Outcome {
  readonly rule: string;
  readonly queries: number;
  /** From the end of each task to its being known, in milliseconds. */
  readonly delays: Float64Array;
}

/** Waiting in virtual time, by ours and by other rules, and 10,000 waits in real time. */
export async function benchWaiting(): Promise<string> {
  const tables: string[] = [];
  for (const model of models) {
    process.stderr.write(`  ${model.name}\n`);
    const durations = drawn(model);
    const known = createDurations(model.unfinished, 0);
    const ours = await simulate(durations);
    const outcomes = [
      ...ours,
      byRule("the same rule, the distribution known", durations, (age) => known.nextQuery(age, worthOfQueryMs)),
      ...[0.5, 5, 6].map((seconds) => byRule(`fixed ${seconds} s`, durations, (age) => age + seconds * 1_000, 0)),
    ];
    tables.push(`### ${model.name}`, "", "| rule | queries a task | mean delay, s | p50 | p99 |", "|---|---|---|---|---|", ...outcomes.map(row), "");
  }
  process.stderr.write("  10,000 waits in real time\n");
  const count = (batches * tasksOfBatch).toLocaleString("en");
  return [
    `${count} tasks for each distribution, in ${batches} batches, in virtual time; a query takes none. Ours begins knowing nothing.`,
    "",
    ...tables,
    "### 10,000 waits at once in one process, in real time, on the emulator as a function; nothing known of the model",
    "",
    await measureRealTime(),
  ].join("\n");
}

function row({ rule, queries, delays }: Outcome): string {
  const sorted = delays.toSorted();
  const seconds = (ms: number | undefined) => ((ms ?? Number.NaN) / 1_000).toFixed(2);
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
  const at = (share: number) => seconds(sorted[Math.floor(sorted.length * share)]);
  return `| ${rule} | ${(queries / delays.length).toFixed(2)} | ${(mean / 1_000).toFixed(3)} | ${at(0.5)} | ${at(0.99)} |`;
}

/** What it comes to if a task is queried at the ages that a rule says: at once where it says 0 first. */
function byRule(rule: string, durations: Float64Array, next: (age: number) => number, first: number = next(0)): Outcome {
  let queries = 0;
  const delays = durations.map((duration) => {
    let age = first;
    for (queries++; age < duration; queries++) age = next(age);
    return age - duration;
  });
  return { rule, queries, delays };
}

/** Ours: `waitFor` on one scheduler and one timer, whose time moves on when nothing else is left to do. */
async function simulate(durations: Float64Array): Promise<readonly Outcome[]> {
  let now = 0;
  let queries = 0;
  const random = randomFrom(1);
  const delays = new Float64Array(durations.length);
  let asleep: { readonly until: number; readonly wake: () => void } | undefined;
  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((wake, reject) => {
      if (asleep) throw new Error("two timers at once");
      const own = { until: now + ms, wake };
      asleep = own;
      signal.addEventListener("abort", () => ((asleep = undefined), reject(signal.reason)));
    });
  const time = { now: () => now, steady: () => now, random, sleep: shareTimer({ steady: () => now, sleep }) };
  const host = { ...time, scheduler: createScheduler({}, time) };
  let queriesAtFirst = 0;
  for (let batch = 0; batch < batches; batch++) {
    let left = tasksOfBatch;
    for (let index = batch * tasksOfBatch; index < (batch + 1) * tasksOfBatch; index++) {
      const createdAt = now + random() * spreadMs;
      const end = createdAt + (durations[index] ?? 0);
      const check = async (): Promise<Check> => {
        queries++;
        const done = now >= end;
        return { state: done ? "succeeded" : "pending", status: undefined, record: { taskid: "", url: done ? ["1"] : [] } as object as Check["record"] };
      };
      void time.sleep(createdAt - now, new AbortController().signal).then(async () => {
        // The cast: a wait reads these two alone.
        await waitFor({ model: "model", createdAt } as Parameters<typeof waitFor>[0], check, {}, host);
        delays[index] = now - end;
        left--;
      });
    }
    while (left > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      const next = asleep;
      if (!next) continue;
      asleep = undefined;
      now = Math.max(now, next.until);
      next.wake();
    }
    if (batch === 0) queriesAtFirst = queries;
  }
  return [
    { rule: "ours", queries, delays },
    { rule: "ours, its first batch alone", queries: queriesAtFirst, delays: delays.slice(0, tasksOfBatch) },
  ];
}

/** 10,000 waits at once; the tasks are done between ten and thirty seconds after that. */
async function measureRealTime(): Promise<string> {
  const behaviour = { pendingMs: 25_000, runningMsPerImage: 2_000, callsKept: 10 };
  const emulator = createEmulator({ credits: 1e9, clock: { speed: 1 }, behaviour });
  const { apiKey, baseUrl, fetch } = emulator.client;
  let inFlight = 0;
  let [mostInFlight, queries] = [0, 0];
  const counted = async (request: Request) => {
    queries++;
    mostInFlight = Math.max(mostInFlight, ++inFlight);
    return fetch(request).finally(() => inFlight--);
  };
  const media = createMediaGen({ apiKey, baseUrl, statuses: emulator.statuses, fetch: counted });
  const [model] = media.models.filter(({ kind, form }) => kind === "image" && form.required?.length === 1);
  const tasks: Task<"image">[] = [];
  // The cast: the model comes from the spec here, where the compiler cannot know its form.
  for (let count = 0; count < 10_000; count++) tasks.push(await media.image.generate(model?.model as "imgmodelz", { prompt: "A fox" }));
  queries = mostInFlight = 0;
  const before = { cpu: process.cpuUsage(), rss: process.memoryUsage().rss };
  let rss = before.rss;
  const ends = new Map<string, number>(emulator.tasks.map(({ taskid, createdAt }) => [taskid, createdAt + behaviour.pendingMs + behaviour.runningMsPerImage]));
  const delays: number[] = [];
  for await (const { task, record } of media.settle(tasks)) {
    if (record) delays.push(Date.now() - (ends.get(task.taskid) ?? Number.NaN));
    rss = Math.max(rss, process.memoryUsage.rss());
  }
  const waiting = cpuMs(before.cpu);
  const asked = queries;
  const bare = process.cpuUsage();
  for (const { taskid } of tasks.slice(0, 2_000)) await media.image.query(taskid);
  const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
  return [
    `- ${delays.length} of ${tasks.length} done, ${(asked / tasks.length).toFixed(2)} queries a task, ${(mean / 1_000).toFixed(2)} s mean delay`,
    `- at most ${mostInFlight} queries in flight`,
    `- CPU: ${(waiting / tasks.length).toFixed(2)} ms a task, ${(waiting / asked).toFixed(2)} ms a query with the emulator's share; a bare \`query\` costs ${(cpuMs(bare) / 2_000).toFixed(2)} ms`,
    `- memory: ${((rss - before.rss) / 1e6).toFixed(0)} MB more than before the waits`,
  ].join("\n");
}

function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

function drawn({ draw }: Model): Float64Array {
  const random = randomFrom(2);
  return Float64Array.from({ length: batches * tasksOfBatch }, () => draw(random()));
}

/** Mulberry32: a run can be repeated. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The share of a standard normal distribution below x (Abramowitz and Stegun 26.2.17). */
function normal(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const tail = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
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
