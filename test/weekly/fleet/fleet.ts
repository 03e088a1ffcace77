import { setTimeout as sleep } from "node:timers/promises";
import type { FaultName, OwnResult } from "@mediagen/emulator/node";
import { generationIdOf } from "@mediagen/sdk/node";
import { openFleet } from "./out/fleet.ts";
import { readSettings } from "./out/settings.ts";
import { createDeployment, createOrders, type queues } from "./deployment.ts";

/** How much to run. */
export interface FleetRun {
  readonly queue: (typeof queues)[number];
  readonly orders: number;
  readonly workers: number;
  /** The share of all calls that meets a fault. */
  readonly faultyShare: number;
  /** How often a worker is killed with -9, and started again; 0 is never. */
  readonly killEveryMs: number;
  /**
   * What happens once in the middle: PostgreSQL is killed with -9, or the key is rejected for a
   * while.
   */
  readonly middle?: "crash" | "key";
}

/** On a busy machine a start takes seconds: a worker that has done nothing yet is not killed. */
const worksAtLeastMs = 3_000;
/**
 * The result of every task, a picture of one pixel: drawing pictures would take longer than
 * everything else.
 */
const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const pixel: OwnResult = {
  extension: "png",
  type: "image/png",
  bytes: async () => Uint8Array.from(Buffer.from(png, "base64")),
};
const emulated = {
  clock: { speed: 1 },
  credits: 1e9,
  limits: { calls: 20_000 },
  results: () => pixel,
};
const onCalls =
  "resetBefore resetAfter hang cutBody html brokenJson emptyBody failure rateLimited unavailable serverError";
// The cast: these are names of faults.
const faultsOn = Object.entries({
  generate: `${onCalls} slowBody wrongCode`,
  query: `${onCalls} wrongCode unknownStatus`,
  download:
    "resetBefore resetAfter hang cutBody downloadCut linkExpired html emptyBody rateLimited unavailable serverError",
}).map(([on, names]) => [on, names.split(" ") as FaultName[]] as const);
const settings = { PER_SECOND: "25", CONCURRENCY: "16", DEAD_AFTER_MS: "10000", PAUSE_MS: "3000" };
const timeouts = { GENERATE_TIMEOUT_MS: "6000", QUERY_TIMEOUT_MS: "3000" };

/**
 * Submits orders twice to a fleet, runs them, and looks at what became of each. What should be
 * empty names what is wrong.
 */
export async function runFleet(run: FleetRun) {
  await using fleet = await createDeployment(run.queue, { ...settings, ...timeouts }, emulated);
  const { emulator, baseUrl, postgres, redis } = fleet;
  // While PostgreSQL is down, a worker ends at its start, and is started again.
  const start = () => fleet.startWorker().catch(() => sleep(2_000).then(() => fleet.startWorker()));
  const begin = async () => ({ worker: await start(), since: performance.now() });
  const workers = await Promise.all(Array.from({ length: run.workers }, begin));
  for (const [on, faults] of run.faultyShare > 0 ? faultsOn : []) {
    // Each call is offered one fault after the other.
    const share = 1 - (1 - run.faultyShare) ** (1 / faults.length);
    for (const fault of faults) emulator.next({ fault, on, share, retryAfter: "1" });
  }
  const openOrders = async () =>
    (
      await fleet
        .query("select from orders where state in ('waiting', 'pending')")
        .catch(() => [{}])
    ).length;
  const orders = createOrders(run.orders);
  const from = performance.now();
  // At once, as by an app that does not know whether its first call arrived.
  await Promise.all([fleet.submit(orders), fleet.submit(orders)]);
  let kills = 0;
  let next = from + run.killEveryMs;
  let before = 0;
  let printAt = 0;
  let beginning = Promise.resolve();
  let { middle } = run;
  for (let open = 1; open > 0; await sleep(200)) {
    open = await openOrders();
    const now = performance.now();
    const paid = emulator.charges.length;
    if (now > printAt)
      console.log(
        `${Math.round((now - from) / 1_000)} s: ${paid} paid, ${open} open, ${kills} kills`,
      );
    if (now > printAt) printAt = now + 10_000;
    if (middle && paid > run.orders * 0.4) {
      await (middle === "crash" ? postgres.crash() : rotateKey());
      middle = undefined;
    }
    const oldest = workers.findIndex(({ since }) => now - since > worksAtLeastMs);
    // Between two kills an order is paid, because on a busy machine workers might never get that
    // far.
    if (
      run.killEveryMs === 0 ||
      now < next ||
      oldest < 0 ||
      paid > run.orders * 0.9 ||
      paid === before
    )
      continue;
    before = paid;
    workers.splice(oldest, 1)[0]?.worker.kill("SIGKILL");
    beginning = beginning.then(async () => void workers.push(await begin()));
    // At changing intervals: workers send in a rhythm.
    next = now + run.killEveryMs * (0.5 + ((++kills * 0.618) % 1));
  }
  await beginning;
  const seconds = Math.round((performance.now() - from) / 1_000);
  const faultyShare =
    emulator.calls.filter(({ fault }) => fault !== undefined).length / emulator.calls.length;
  const states = await fleet.states();
  const paid = tasksByOrder();
  const rows = await fleet.query<{ id: string; state: string }>("select id, state from orders");
  const files = new Set(await fleet.files());
  const isLost = (id: string, state: string | undefined) =>
    state === "done"
      ? !files.has(id) || !paid.has(id)
      : state !== "unknown" && (state !== "failed" || paid.has(id));
  const stateOf = new Map(rows.map(({ id, state }) => [id, state]));
  const lost = orders.filter(({ id }) => isLost(id, stateOf.get(id)));
  const unknown = rows.filter(({ state }) => state === "unknown").map(({ id }) => id);

  const headers = { "content-type": "application/json" };
  await fetch(`${baseUrl}/_emulator/clear-faults`, { method: "POST", body: "{}", headers });
  await resolveAll();
  const [sent] = await fleet.query<{ n: number }>(
    "select count(distinct id)::int n from outbox where state = 'done'",
  );
  await Promise.all(workers.map(({ worker }) => worker.end()));
  return {
    ...{ states, lost, deliveredAndUnknown: unknown.filter((id) => files.has(id)) },
    paidTwice: [...tasksByOrder()].filter(([, tasks]) => tasks.length > 1).map(([id]) => id),
    unknownPaid: unknown.filter((id) => paid.has(id)).length,
    ...{
      paidAtLast: emulator.charges.length,
      statesAtLast: await fleet.states(),
      reported: sent?.n,
    },
    ...{ kills, seconds, faultyShare },
  };

  /** The paid tasks of each order. */
  function tasksByOrder() {
    const charged = new Set(emulator.charges.map(({ taskid }) => taskid));
    return Map.groupBy(
      emulator.tasks.filter(({ taskid }) => charged.has(taskid)),
      ({ prompt }) => prompt,
    );
  }
  /** Does what `operate.ts unknown resolve` does, without a process for each order. */
  async function resolveAll(): Promise<void> {
    const servers = {
      DATABASE_URL: postgres.url,
      REDIS_URL: redis?.url,
      MEDIAGEN_BASE_URL: baseUrl,
    };
    const { media, ...opened } = await openFleet(
      readSettings({ ...servers, MEDIAGEN_API_KEY: "emulator-key" }),
    );
    for (const id of unknown) {
      const taskid = paid.get(id)?.[0]?.taskid;
      await media.resolve(
        await generationIdOf(media.origin, id),
        taskid ? { taskid } : "notCreated",
      );
    }
    await opened.retry("unknown", unknown);
    while ((await openOrders()) > 0) await sleep(200);
    await opened.close();
  }
  async function rotateKey(): Promise<void> {
    const becomes = async (status: number) => {
      for (const { worker } of workers)
        while ((await worker.get("/ready"))[0] !== status) await sleep(100);
    };
    await fleet.writeKey("another-key");
    const since = performance.now();
    await becomes(503);
    const paid = emulator.charges.length;
    await sleep(5_000);
    if (emulator.charges.length !== paid) throw new Error("an order was paid with a rejected key");
    await fleet.writeKey("emulator-key");
    await becomes(200);
    console.log(
      `the key was wrong, and workers paused, for ${Math.round(performance.now() - since)} ms`,
    );
  }
}
