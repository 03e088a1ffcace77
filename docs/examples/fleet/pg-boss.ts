import { PgBoss } from "pg-boss";
import type { OpenQueue } from "./fleet.ts";
import { logFailure } from "./log.ts";

// A step that throws is repeated for as long as it takes. By default, pg-boss
// deletes what has waited for two weeks.
const again = {
  retryLimit: 1_000_000,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  expireInSeconds: 86_399,
};
const kept = { retentionSeconds: 365 * 86_400, deleteAfterSeconds: 300 };
// One job generates an order. One check of an order waits, even while another one
// runs.
const policies = { generate: "exclusive", check: "short" };
/** Opens a queue in the schema of the orders, with their connections. */
export const openQueue: OpenQueue = async (
  { prefix: schema, deadAfterMs, concurrency },
  pool,
) => {
  const db = {
    executeSql: (text: string, values?: unknown[]) => pool.query(text, values),
  };
  // How often pg-boss looks for dead workers, in seconds.
  const often = Math.ceil(deadAfterMs / 3_000);
  const intervals = {
    monitorIntervalSeconds: often,
    superviseIntervalSeconds: often,
    maintenanceIntervalSeconds: 300,
  };
  const boss = new PgBoss({ db, schema, ...intervals });
  boss.on("error", (error) => logFailure("queue", error));
  await boss.start();
  for (const [name, policy] of Object.entries(policies)) {
    const options = {
      ...again,
      ...kept,
      heartbeatSeconds: Math.ceil(deadAfterMs / 1_000),
    };
    await boss.createQueue(name, { ...options, policy });
    await boss.updateQueue(name, options); // DEAD_AFTER_MS may be another.
  }
  const jobOf = (id: string, ms = 0) => ({
    data: { id },
    singletonKey: id,
    startAfter: new Date(Date.now() + ms),
  });
  // A step that hangs holds up only the jobs of its batch.
  const localConcurrency = Math.min(4, concurrency);
  const batchSize = Math.max(1, Math.round(concurrency / localConcurrency));
  const batches = {
    localConcurrency,
    batchSize,
    pollingIntervalSeconds: 0.5,
    burstWhenBatchFull: true,
  };
  return {
    async add(step, ids) {
      // Sorted, so that no insert waits for the other forever.
      const jobs = ids.toSorted().map((id) => jobOf(id));
      for (let from = 0; from < jobs.length; from += 1_000)
        await boss.insert(step, jobs.slice(from, from + 1_000));
    },
    async work(step, run) {
      // A worker that replaces a dead one takes over its steps at once.
      await boss.supervise(step);
      await boss.work<{ readonly id: string }>(
        step,
        { ...batches, perJobResults: true },
        async (jobs) => {
          const next = new Map<string, number>();
          const results = jobs.map(async ({ id, data }) => {
            const result = await run(data.id).catch(String);
            if (typeof result === "string")
              return { id, status: "failed" as const, output: result };
            if (result !== undefined) next.set(data.id, result);
            return { id, status: "completed" as const };
          });
          const ended = await Promise.all(results);
          const checks = [...next.keys()]
            .sort()
            .map((id) => jobOf(id, next.get(id)));
          // First: if it fails, the steps run again.
          if (checks.length > 0) await boss.insert("check", checks);
          return ended;
        },
      );
    },
    close: () => boss.stop({ timeout: 600_000 }),
  };
};
