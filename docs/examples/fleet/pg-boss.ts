import { json } from "node:stream/consumers";
import pg from "pg";
import { PgBoss, type Job, type JobResult } from "pg-boss";
import {
  checkStep,
  createMediaGen,
  download,
  generateStep,
  generationIdOf,
  InvalidRequestError,
  type MediaGen,
  type TaskJSON,
} from "@mediagen/sdk/node";
import { postgresStore, table } from "../stores/postgres-store.ts";
import type { Order, UnknownOrder } from "./order.ts";

/** A task that is not finished, and whose it is. */
export type Pending = { readonly id: string; readonly task: TaskJSON };
/** How a fleet runs. */
export interface FleetOptions {
  /** How many generations this worker sends in a second, at most. */
  readonly perSecond?: number;
  /** How many loops a worker runs for each queue: as many slow answers hold up nothing. */
  readonly loops?: number;
}

// #region queues
/** Makes the queues and the table of the store, if they are not there. */
export async function prepare(boss: PgBoss, deadAfterSeconds = 30): Promise<void> {
  const again = { retryLimit: 1_000_000, retryDelay: 1, retryBackoff: true, retryDelayMax: 60 };
  const safe = { ...again, heartbeatSeconds: deadAfterSeconds, deleteAfterSeconds: 3_600 };
  await boss.createQueue("generate", safe);
  await boss.createQueue("check", { ...safe, policy: "short" }); // One for each order waits.
  await boss.createQueue("unknown", { retentionSeconds: 365 * 86_400, policy: "short" });
  await boss.getDb().executeSql(table);
}

/** Orders are jobs. One that is sent twice is generated once, by its id. */
export async function submit(boss: PgBoss, orders: readonly Order[]): Promise<void> {
  await boss.insert(
    "generate",
    orders.map((order) => ({ data: order })),
  );
}
// #endregion queues

// #region settle
/** Settles an order of unknown outcome by the task that a person found at the service, or by none, and runs it again. */
export async function settle(boss: PgBoss, media: MediaGen, id: string, taskid: string | undefined): Promise<void> {
  const [job] = await boss.findJobs<UnknownOrder>("unknown", { key: id, queued: true });
  if (!job) return;
  const { order } = job.data;
  const generationId = await generationIdOf(media.origin, order.id);
  const resolved = taskid ? media.resolve(generationId, { taskid }) : media.resolve(generationId, "notCreated");
  await resolved.catch((error: unknown) => {
    // A worker that was only slow has recorded its task since: then that is the one.
    const isKnown = error instanceof InvalidRequestError && error.issues.some(({ field }) => field === "generationId");
    if (!isKnown) throw error;
  });
  await submit(boss, [order]);
  await boss.deleteJob("unknown", job.id);
}
// #endregion settle

type Result = Omit<JobResult, "id">;

/** Runs one worker of the fleet. Results go to `directory`, with a directory for each order. */
export async function work(
  boss: PgBoss,
  media: MediaGen,
  directory: string,
  { perSecond = 12, loops = 4 }: FleetOptions = {},
): Promise<void> {
  // #region generate
  async function checkLater(id: string, task: TaskJSON, afterMs: number): Promise<Result> {
    const startAfter = new Date(Date.now() + afterMs);
    await boss.send("check", { id, task }, { singletonKey: id, startAfter });
    return { status: "completed" };
  }

  async function generate(order: Order): Promise<Result> {
    const step = await generateStep(media, order.model, order.form, { idempotencyKey: order.id });
    switch (step.outcome) {
      case "created":
        return checkLater(order.id, step.task, step.afterMs);
      case "unknown":
        await boss.send("unknown", { order, reason: step.reason }, { singletonKey: order.id });
        return { status: "completed" };
      case "again":
      case "creditsOut":
        return { status: "failed", output: step }; // It is handed out again, later each time.
      case "rejected":
        return { status: "deadletter", output: step }; // It stays among the failed jobs.
    }
  }
  // #endregion generate

  // #region check
  async function check({ id, task: saved }: Pending): Promise<Result> {
    const task = media.task(saved);
    const step = await checkStep(task);
    if (step.state === "pending") return checkLater(id, step.task, step.afterMs);
    if (step.state !== "succeeded") return { status: "deadletter", output: step };
    await download(task, `${directory}/${id}`, { overwrite: true });
    return { status: "completed" };
  }
  // #endregion check

  // #region worker
  /** Does a step for each job of a batch. One that throws is handed out again by itself. */
  const each =
    <T>(step: (data: T) => Promise<Result>) =>
    async (jobs: readonly Job<T>[]) =>
      Promise.all(
        jobs.map(async ({ id, data }): Promise<JobResult> => {
          const failed = (error: unknown) => ({ status: "failed" as const, output: String(error) });
          return { id, ...(await step(data).catch(failed)) };
        }),
      );

  const options = { perJobResults: true, localConcurrency: loops } as const;
  // A loop that looks once a second for so many orders is the rate limit.
  const batchSize = Math.max(1, Math.round(perSecond / loops));
  const limit = { pollingIntervalSeconds: 1, batchSize };
  await boss.work("generate", { ...options, ...limit }, each(generate));
  const fast = { pollingIntervalSeconds: 0.5, batchSize: 10, burstWhenBatchFull: true };
  await boss.work("check", { ...options, ...fast }, each(check));
  // #endregion worker
}

// `node pg-boss.ts prepare` makes the tables, `... submit < orders.json` adds orders, and
// `node pg-boss.ts` works until it is stopped.
if (import.meta.main) {
  const connectionString = process.env["DATABASE_URL"] ?? "postgres://127.0.0.1/media";
  const pool = new pg.Pool({ connectionString });
  pool.on("error", console.error);
  const boss = new PgBoss({
    connectionString,
    monitorIntervalSeconds: 10, // How often it is looked for dead workers.
    superviseIntervalSeconds: 10,
  });
  boss.on("error", console.error);
  await boss.start();
  const [, , verb] = process.argv;
  if (verb === "prepare") await prepare(boss);
  else if (verb === "submit") await submit(boss, (await json(process.stdin)) as Order[]);
  else await work(boss, createMediaGen({ retries: 0, store: postgresStore(pool) }), "out");
  const stop = async () => {
    await boss.stop();
    await pool.end();
  };
  if (verb) await stop();
  else process.once("SIGTERM", stop);
}
