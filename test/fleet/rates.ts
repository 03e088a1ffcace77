import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { cpuMsOf } from "./cpu.ts";
import type { Engine } from "./engines.ts";
import { createOrders, temporaryFolder } from "./fleet.ts";
import { type Service, startService } from "./service.ts";
import { Workers } from "./workers.ts";

/** How much to measure. */
export interface RateRun {
  readonly workers: number;
  /** The orders that are measured. */
  readonly orders: number;
  /** The orders before them: a worker takes a second of CPU time until its code is compiled. */
  readonly warmUp: number;
  readonly print: (line: string) => void;
}

/** What uses CPU time. */
export const parts = ["workers", "server", "service", "driver"] as const;
/** CPU milliseconds of each part. */
export type CpuMs = Readonly<Record<(typeof parts)[number], number>>;

/** What workers did that had as many orders as they could do. */
export interface Rate {
  readonly workers: number;
  readonly orders: number;
  readonly perSecond: number;
  /** CPU milliseconds for an order. */
  readonly cpuMs: CpuMs;
  readonly queriesPerOrder: number;
}

/** How many orders are under way at once, waiting ones included. */
const underWay = 1_000;
const printEveryMs = 3_000;
/** More than these machines can do. */
const perSecond = 2_000;

/**
 * Measures workers without faults. A new order follows each one that is done, so that the queue is never empty, and as many are generated
 * as are checked.
 */
export async function measureRate(engine: Engine, run: RateRun): Promise<Rate> {
  const { workers: size, orders, warmUp, print } = run;
  await using folder = await temporaryFolder();
  await using service = await startService();
  const times = { deadAfterMs: 30_000, perSecond };
  const options = { ...times, url: engine.url, baseUrl: service.baseUrl, folder: folder.path, workers: size };
  await using workers = await Workers.start(engine.name, options);
  const pids = { workers: workers.pids, server: [engine.pid], service: [service.pid] };
  const snapshot = async () => {
    const { user, system } = process.cpuUsage();
    const cpuMs: CpuMs = {
      workers: cpuMsOf(pids.workers),
      server: cpuMsOf(pids.server),
      service: cpuMsOf(pids.service),
      driver: (user + system) / 1_000,
    };
    return { at: performance.now(), cpuMs, counts: await service.count() };
  };

  const feed = createFeed(engine, service, print);
  await feed(warmUp);
  const before = await snapshot();
  await feed(warmUp + orders);
  const after = await snapshot();

  const done = after.counts.downloads - before.counts.downloads;
  return {
    workers: size,
    orders: done,
    perSecond: (1_000 * done) / (after.at - before.at),
    // The cast: they are the same parts.
    cpuMs: Object.fromEntries(
      parts.map((part) => [part, (after.cpuMs[part] - before.cpuMs[part]) / done]),
    ) as unknown as CpuMs,
    queriesPerOrder: (after.counts.queries - before.counts.queries) / done,
  };
}

/** Returns what submits orders until so many are done. */
function createFeed(engine: Engine, service: Service, print: (line: string) => void) {
  let submitted = 0;
  let told = { at: performance.now(), downloads: 0 };
  return async (until: number): Promise<void> => {
    for (;;) {
      const { downloads } = await service.count();
      const now = performance.now();
      if (now > told.at + printEveryMs) {
        const rate = (1_000 * (downloads - told.downloads)) / (now - told.at);
        print(`${downloads} of ${until} done, ${rate.toFixed(0)} a second`);
        told = { at: now, downloads };
      }
      if (downloads >= until) return;
      const missing = underWay - (submitted - downloads);
      if (missing > 0) await engine.submit(createOrders(missing, submitted));
      submitted += Math.max(0, missing);
      await sleep(100);
    }
  };
}

/** Returns how many CPU milliseconds one POST takes with the `fetch` of Node, warm: a unit that other machines have as well. */
export async function measureFetch(): Promise<number> {
  await using service = await startService();
  const child = fork(fileURLToPath(new URL("processes/fetch.ts", import.meta.url)), [service.baseUrl]);
  // The cast: this is what the process sends.
  const [ms] = (await once(child, "message")) as [number];
  await once(child, "exit");
  return ms;
}
