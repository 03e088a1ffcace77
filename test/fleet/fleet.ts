import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Order } from "../../docs/examples/fleet/order.ts";
import type { Engine } from "./engines.ts";
import { type Seen, startService } from "./service.ts";
import { type Strike, strike, splitUnknown, type UnknownSplit } from "./unknown.ts";
import { Workers } from "./workers.ts";

/** How much to run. */
export interface FleetRun {
  readonly orders: number;
  readonly workers: number;
  readonly perSecond: number;
  /** The share of all calls that meets a fault. */
  readonly faultyShare: number;
  /** How often a worker is killed with -9, and started again; 0 is never. */
  readonly killEveryMs: number;
  readonly print: (line: string) => void;
}

/** What came of it. Whatever should be empty and is not names what is wrong. */
export interface FleetReport {
  /** Orders with their file. */
  readonly done: number;
  /** Orders that are listed as of unknown outcome, by why they are. */
  readonly unknown: UnknownSplit;
  /** Orders that the service refused: they are listed with the reason, and were not paid. */
  readonly refused: number;
  readonly paidTwice: readonly string[];
  /** Orders that are neither done nor listed, and those that were refused and paid. */
  readonly lost: readonly string[];
  /** What was neither done nor refused once every unknown one had been settled by what the service shows, and run again. */
  readonly notDoneAtLast: readonly string[];
  readonly paidAtLast: number;
  readonly kills: number;
  /** For how long workers were killed. */
  readonly seconds: number;
  readonly faultyShare: number;
}

const printEveryMs = 3_000;
/** Some orders are refused, and of some the form never arrives. */
const mostOrders = 0.9;

/** Orders for a fleet: small pictures, whose prompts are the orders' ids. */
export function createOrders(count: number, from = 0): readonly Order[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `order-${from + index}`,
    model: "imgmodelz",
    form: { prompt: `order-${from + index}`, resolution: "256*256" },
  }));
}

/** Runs orders through a fleet on an engine, and looks at what became of each. */
export async function runFleet(engine: Engine, run: FleetRun): Promise<FleetReport> {
  const { orders: count, workers: size, perSecond, faultyShare, killEveryMs, print } = run;
  await using folder = await temporaryFolder();
  await using service = await startService();
  const { baseUrl } = service;
  const times = { deadAfterMs: 5_000, perSecond };
  const options = { ...times, url: engine.url, baseUrl, folder: folder.path, workers: size };
  await using workers = await Workers.start(engine.name, options);
  if (faultyShare > 0) await service.addFaults(faultyShare);
  const orders = createOrders(count);
  const from = performance.now();
  await engine.submit(orders);
  const generated = () => service.count();
  const draining = drain(engine, print);
  const strikes = killEveryMs > 0 ? await killWorkers(workers, engine, killEveryMs, { generated, orders: count }) : [];
  const seconds = (performance.now() - from) / 1_000;
  if (strikes.length > 0) print(`${strikes.length} kills in ${seconds.toFixed(0)} s`);
  await draining;

  const seen = await service.see();
  const paid = Map.groupBy(seen.tasks, ({ id }) => id);
  const unknown = await engine.unknown();
  const refused = new Set(await engine.refused());
  const [listed, done] = [new Set(unknown), await findDone(folder.path, orders, paid)];
  const lost = orders.filter(
    ({ id }) => !(listed.has(id) || (done.has(id) && paid.has(id)) || (refused.has(id) && !paid.has(id))),
  );
  const split = splitUnknown(unknown, strikes, seen);
  print(`${done.size} done, ${unknown.length} unknown, ${refused.size} refused; settles the unknown ones`);

  await service.clearFaults();
  for (const id of unknown) await engine.settle(baseUrl, id, paid.get(id)?.[0]?.taskid);
  await drain(engine, print);
  const last = await service.see();
  const paidAtLast = Map.groupBy(last.tasks, ({ id }) => id);
  const doneAtLast = await findDone(folder.path, orders, paidAtLast);
  return {
    done: done.size,
    unknown: split,
    refused: refused.size,
    paidTwice: [...paidAtLast].filter(([, tasks]) => tasks.length > 1).map(([id]) => id),
    lost: lost.map(({ id }) => id),
    notDoneAtLast: orders.filter(({ id }) => !doneAtLast.has(id) && !refused.has(id)).map(({ id }) => id),
    paidAtLast: last.charges,
    kills: strikes.length,
    faultyShare: seen.faultyShare,
    seconds,
  };
}

/** Creates a folder that is removed when it is disposed of. */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "mediagen-fleet-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

/**
 * Kills one of the workers now and then, until most orders are generated: what follows is only waiting. Between two kills an order is
 * generated, because on a busy machine workers might never get that far.
 */
async function killWorkers(
  workers: Workers,
  engine: Engine,
  everyMs: number,
  { generated, orders }: { readonly generated: () => Promise<number>; readonly orders: number },
): Promise<readonly Strike[]> {
  const strikes: Strike[] = [];
  let next = performance.now() + everyMs;
  for (let before = 0; (await engine.left()) > 0; await sleep(100)) {
    const [now, count] = [performance.now(), await generated()];
    if (count >= mostOrders * orders) break;
    const struck = now < next || count === before ? undefined : await strike(workers, engine.store);
    if (!struck) continue;
    strikes.push(struck);
    before = count;
    // At changing intervals: workers on both engines send in a rhythm of a second.
    next = Math.max(next, now - everyMs) + everyMs * (0.5 + ((strikes.length * 0.618) % 1));
  }
  return strikes;
}

/** Waits until the queue is drained. */
async function drain(engine: Engine, print: (line: string) => void): Promise<void> {
  let next = performance.now() + printEveryMs;
  for (let left = Infinity; (left = await engine.left()) > 0; await sleep(100)) {
    if (performance.now() < next) continue;
    print(`${left} jobs left`);
    next = performance.now() + printEveryMs;
  }
}

/** The orders whose files are those of a task that was paid for them. */
async function findDone(
  folder: string,
  orders: readonly Order[],
  paid: ReadonlyMap<string, Seen["tasks"]>,
): Promise<ReadonlySet<string>> {
  const done = new Set<string>();
  for (const { id } of orders) {
    const names = await readdir(join(folder, id)).catch(() => []);
    const complete = names.find((name) =>
      paid.get(id)?.some(({ taskid }) => name.startsWith(taskid) && name.endsWith(".png")),
    );
    if (complete && (await stat(join(folder, id, complete))).size > 60) done.add(id);
  }
  return done;
}
