import { join } from "node:path";
import { readdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { generationIdOf } from "@mediagen/sdk/node";
import { createClient, openFleet } from "../../docs/examples/fleet/fleet.ts";
import { readSettings } from "../../docs/examples/fleet/settings.ts";
import { createDeployment, createOrders, type queues, type Worker } from "./deployment.ts";
import { startService } from "./service.ts";

/** How much to run. */
export interface FleetRun {
  readonly queue: (typeof queues)[number];
  readonly orders: number;
  readonly workers: number;
  /** The share of all calls that meets a fault. */
  readonly faultyShare: number;
  /** How often a worker is killed with -9, and started again; 0 is never. */
  readonly killEveryMs: number;
  /** Whether PostgreSQL is killed with -9 in the middle. */
  readonly crashesPostgres?: boolean;
  /** Whether the key is rejected in the middle, for a while. */
  readonly rotatesKey?: boolean;
}

/** What came of it. Whatever should be empty and is not names what is wrong. */
export interface FleetReport {
  readonly states: Readonly<Record<string, number>>;
  readonly paidTwice: readonly string[];
  /** Orders that were paid and are failed, that have no row, or that are done without their file. */
  readonly lost: readonly string[];
  readonly deliveredAndUnknown: readonly string[];
  readonly unknownPaid: number;
  /** Orders that are neither done nor failed once each unknown one was resolved by what the service shows. */
  readonly notDoneAtLast: readonly string[];
  readonly paidAtLast: number;
  readonly outbox: number;
  readonly kills: number;
  readonly seconds: number;
  readonly faultyShare: number;
}

/** On a busy machine a start takes seconds: a worker that has done nothing yet is not killed. */
const worksAtLeastMs = 3_000;

/** Submits orders twice to a fleet, runs them, and looks at what became of each. */
export async function runFleet(run: FleetRun): Promise<FleetReport> {
  await using service = await startService();
  const env = { PER_SECOND: "25", DEAD_AFTER_MS: "10000", GENERATE_TIMEOUT_MS: "6000", QUERY_TIMEOUT_MS: "3000" };
  await using fleet = await createDeployment(run.queue, service.baseUrl, {
    ...env,
    KEY_PAUSE_MS: "3000",
    CONCURRENCY: "16",
  });
  const orders = createOrders(run.orders);
  const workers = await Promise.all(Array.from({ length: run.workers }, begin));
  async function begin(): Promise<{ readonly worker: Worker; readonly since: number }> {
    return { worker: await fleet.startWorker(), since: performance.now() };
  }
  if (run.faultyShare > 0) await service.addFaults(run.faultyShare);
  const from = performance.now();
  // At once, as by an app that does not know whether its first call arrived.
  await Promise.all([fleet.submit(orders), fleet.submit(orders)]);
  let [kills, next, before, beginning] = [0, performance.now() + run.killEveryMs, 0, Promise.resolve()];
  let middle = run.crashesPostgres || run.rotatesKey;
  for (let printAt = 0; ; await sleep(200)) {
    const generated = await service.count();
    const open = await fleet.query<{ n: number }>(
      "select count(*)::int n from orders where state in ('waiting', 'pending')",
    );
    if (open[0]?.n === 0) break;
    const now = performance.now();
    if (now > printAt)
      console.log(`${Math.round((now - from) / 1_000)} s: ${generated} paid, ${open[0]?.n} open, ${kills} kills`);
    if (now > printAt) printAt = now + 10_000;
    if (middle && generated > run.orders * 0.4) {
      middle = false;
      if (run.crashesPostgres) await fleet.postgres.crash();
      if (run.rotatesKey) await rotate();
    }
    const oldest = workers.findIndex(({ since }) => now - since > worksAtLeastMs);
    if (run.killEveryMs === 0 || now < next || oldest < 0 || generated > run.orders * 0.9) continue;
    // Between two kills an order is paid, because on a busy machine workers might never get that far.
    if (generated === before) continue;
    before = generated;
    workers.splice(oldest, 1)[0]?.worker.kill("SIGKILL");
    beginning = beginning.then(async () => void workers.push(await begin()));
    // At changing intervals: workers send in a rhythm.
    next = now + run.killEveryMs * (0.5 + ((++kills * 0.618) % 1));
  }
  await beginning;
  async function rotate(): Promise<void> {
    await fleet.writeKey("another-key");
    for (const { worker } of workers) while ((await worker.get("/ready"))[0] !== 503) await sleep(100);
    const [paid, calls] = [await service.count(), performance.now()];
    await sleep(5_000);
    if ((await service.count()) !== paid) throw new Error("an order was paid with a rejected key");
    await fleet.writeKey("emulator-key");
    for (const { worker } of workers) while ((await worker.get("/ready"))[0] !== 200) await sleep(100);
    console.log(`the key was wrong for ${Math.round(performance.now() - calls)} ms`);
  }

  const seconds = Math.round((performance.now() - from) / 1_000);
  const states = await fleet.states();
  const seen = await service.see();
  const paid = Map.groupBy(seen.tasks, ({ id }) => id);
  const rows = await fleet.query<{ id: string; state: string }>("select id, state from orders");
  const stateOf = new Map(rows.map(({ id, state }) => [id, state]));
  const files = new Set(await fleet.files());
  const lost = orders.filter(({ id }) => {
    const state = stateOf.get(id);
    return state === "done"
      ? !files.has(id) || !paid.has(id)
      : state !== "unknown" && (state !== "failed" || paid.has(id));
  });
  const unknown = rows.filter(({ state }) => state === "unknown").map(({ id }) => id);

  await service.clearFaults();
  await resolveAll();
  const last = await service.see();
  const [outbox] = await fleet.query<{ n: number }>(
    "select count(distinct id)::int n from outbox where state = 'done'",
  );
  const final = await fleet.query<{ id: string }>("select id from orders where state not in ('done', 'failed')");
  await Promise.all(workers.map(({ worker }) => worker.end()));
  const idOf = ({ id }: { readonly id: string }) => id;
  const paidAtLast = Map.groupBy(last.tasks, ({ id }) => id);
  return {
    ...{ states, lost: lost.map(idOf), deliveredAndUnknown: unknown.filter((id) => files.has(id)) },
    paidTwice: [...paidAtLast].filter(([, tasks]) => tasks.length > 1).map(([id]) => id),
    unknownPaid: unknown.filter((id) => paid.has(id)).length,
    ...{ notDoneAtLast: final.map(idOf), paidAtLast: last.charges, outbox: outbox?.n ?? 0 },
    ...{ kills, seconds, faultyShare: seen.faultyShare },
  };

  /** Does what `operate.ts unknown resolve` does, without a process for each order. */
  async function resolveAll(): Promise<void> {
    const given = {
      DATABASE_URL: fleet.postgres.url,
      REDIS_URL: fleet.redis?.url ?? "",
      MEDIAGEN_API_KEY: "emulator-key",
    };
    const settings = readSettings({ ...given, MEDIAGEN_BASE_URL: service.baseUrl });
    const opened = await openFleet(settings);
    const media = createClient(settings, opened.store);
    for (const id of unknown) {
      const taskid = paid.get(id)?.[0]?.taskid;
      await media.resolve(await generationIdOf(media.origin, id), taskid ? { taskid } : "notCreated");
      await opened.move(id, ["unknown"], "waiting");
      await opened.queue.add("generate", [id]);
    }
    for (let open = 1; open > 0; await sleep(200))
      open = (await opened.list("waiting")).length + (await opened.list("pending")).length;
    await opened.close();
  }
}

/** Returns the names of an order's files. */
export const filesOf = (directory: string, id: string): Promise<readonly string[]> =>
  readdir(join(directory, "out", id)).catch(() => []);
