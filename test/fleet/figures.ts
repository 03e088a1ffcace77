import { cpus } from "node:os";
import type { GenerationRecord, TaskJSON } from "@mediagen/sdk/node";
import { type Engine, startBullmq, startPgBoss } from "./engines.ts";
import { createOrders, type FleetReport, runFleet } from "./fleet.ts";
import { measureFetch, measureRate, type Rate } from "./rates.ts";

/** The engines: where they run, and how they are started. */
export const engines = {
  bullmq: { title: "BullMQ on Redis", server: "Redis", start: startBullmq },
  "pg-boss": { title: "pg-boss on PostgreSQL", server: "PostgreSQL", start: startPgBoss },
} as const;
export type EngineName = keyof typeof engines;

/** Where and when something was measured. */
export interface Conditions {
  readonly at: string;
  readonly node: string;
  readonly machine: string;
}

/** What workers can do that have as many orders as they want. */
export interface Rates {
  /** CPU milliseconds of a POST by the `fetch` of Node. */
  readonly fetchMs: number;
  readonly rates: readonly Rate[];
}

/** What an order costs the queue's server. */
export interface Storage {
  /** Commands of a Redis, transactions of a PostgreSQL. */
  readonly requests: number;
  readonly logBytes: number;
  /** Bytes held for an order that waits, a check that is due later, and a record with its task. */
  readonly waitingBytes: number;
  readonly checkBytes: number;
  readonly recordBytes: number;
}

/** What became of orders while workers were killed, or calls failed. */
export type Rough = Pick<FleetReport, "unknown" | "kills" | "faultyShare" | "seconds"> & {
  readonly orders: number;
  readonly workers: number;
};

/** The runs that leave outcomes unknown. A worker on pg-boss has no setting for how many orders it generates at once. */
export const roughRuns = {
  kills: { faultyShare: 0, killEveryMs: 1_000 },
  few: { faultyShare: 0, killEveryMs: 1_000, atOnce: 5 },
  slow: { faultyShare: 0, killEveryMs: 1_000, generateLatencyMs: 500 },
  faults: { faultyShare: 0.1, killEveryMs: 0 },
  both: { faultyShare: 0.1, killEveryMs: 1_000 },
} as const;
export type RoughName = keyof typeof roughRuns;
export type Unknown = { readonly runs: Readonly<Partial<Record<RoughName, Rough>>> };

/** All figures, as they are kept. */
export interface Figures {
  readonly rates: Readonly<Partial<Record<EngineName, Rates & Conditions>>>;
  readonly storage: Readonly<Partial<Record<EngineName, Storage & Conditions>>>;
  readonly unknown: Readonly<Partial<Record<EngineName, Unknown & Conditions>>>;
}
export type Section = keyof Figures;

/** What to measure with, and how much. */
interface Run {
  readonly name: EngineName;
  readonly orders: number | undefined;
  readonly print: (line: string) => void;
}

/** Measures one section for one engine. */
export const measure: { readonly [S in Section]: (run: Run) => Promise<NonNullable<Figures[S][EngineName]>> } = {
  rates: async (run) => ({ ...conditions(), ...(await measureRates(run)) }),
  storage: async (run) => ({ ...conditions(), ...(await measureStorage(run)) }),
  unknown: async (run) => ({ ...conditions(), ...(await measureUnknown(run)) }),
};

function conditions(): Conditions {
  const at = new Date().toISOString().slice(0, 10);
  return { at, node: process.version, machine: `${cpus().length} cores, ${cpus()[0]?.model}` };
}

async function measureRates({ name, orders = 4_000, print }: Run): Promise<Rates> {
  const rates: Rate[] = [];
  const fetchMs = await measureFetch();
  for (const workers of [1, 2, 4, 8]) {
    await using engine = await engines[name].start();
    const told = (line: string) => print(`${workers} workers: ${line}`);
    const warmUp = Math.min(orders, 800) * workers;
    rates.push(await measureRate(engine, { workers, orders, warmUp, print: told }));
  }
  return { fetchMs, rates };
}

async function measureStorage({ name, orders = 2_000, print }: Run): Promise<Storage> {
  const quiet = { orders, workers: 2, perSecond: 2_000, faultyShare: 0, killEveryMs: 0, print };
  const cost = await (async () => {
    await using engine = await engines[name].start();
    const before = await engine.cost();
    await runFleet(engine, quiet);
    const after = await engine.cost();
    const [requests, logBytes] = [after.requests - before.requests, after.logBytes - before.logBytes];
    return { requests: requests / orders, logBytes: logBytes / orders };
  })();
  await using engine = await engines[name].start();
  const tasks = createOrders(orders).map(({ id }) => ({ id, task: taskOf(id) }));
  const waitingBytes = await growth(engine, () => engine.submit(createOrders(orders)));
  const checkBytes = await growth(engine, () => engine.park(tasks));
  const recordBytes = await growth(engine, async () => {
    for (const { id, task } of tasks) await engine.store.write(recordOf(id, task));
  });
  return {
    ...cost,
    waitingBytes: waitingBytes / orders,
    checkBytes: checkBytes / orders,
    recordBytes: recordBytes / orders,
  };
}

async function measureUnknown({ name, orders = 1_000, print }: Run): Promise<Unknown> {
  const workers = 4;
  const runs: Partial<Record<RoughName, Rough>> = {};
  for (const [what, how] of Object.entries(roughRuns)) {
    if (name === "pg-boss" && "atOnce" in how) continue;
    await using engine = await engines[name].start();
    const told = (line: string) => print(`${what}: ${line}`);
    const report = await runFleet(engine, { ...how, orders, workers, perSecond: 100, print: told });
    const { unknown, kills, faultyShare, seconds, paidTwice, lost, notDoneAtLast } = report;
    const wrong = [paidTwice, lost, notDoneAtLast].flat();
    if (wrong.length > 0) throw new Error(`orders were lost or paid twice: ${wrong.join(", ")}`);
    // The cast: these are the names.
    runs[what as RoughName] = { unknown, kills, faultyShare, seconds, orders, workers };
  }
  return { runs };
}

async function growth(engine: Engine, fill: () => Promise<void>): Promise<number> {
  const { bytes } = await engine.cost();
  await fill();
  return (await engine.cost()).bytes - bytes;
}

function taskOf(id: string): TaskJSON {
  const taskid = `image-${id}`;
  return {
    version: 2,
    kind: "image",
    model: "imgmodelz",
    taskid,
    origin: "https://media.example.com",
    resultCount: 1,
    createdAt: Date.now(),
  };
}

function recordOf(order: string, task: TaskJSON): GenerationRecord {
  const { kind, origin, resultCount } = task;
  const facts = { kind, origin, resultCount, model: "imgmodelz", digest: "0".repeat(64), idempotencyKey: order };
  const times = { createdAt: Date.now(), updatedAt: Date.now() };
  const attempt = crypto.randomUUID();
  return { version: 1, id: crypto.randomUUID(), revision: 1, attempt, state: "created", ...facts, ...times, task };
}
