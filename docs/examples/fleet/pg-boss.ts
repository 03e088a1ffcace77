import pg from "pg";
import { PgBoss, type Job, type JobResult } from "pg-boss";
import type { MediaGen, TaskJSON } from "@mediagen/sdk/node";
import { postgresStore, postgresTable } from "@mediagen/stores/postgres";
import type { Engine } from "./engine.ts";
import type { Order, UnknownOrder } from "./order.ts";
import { createPause, isPaused, type Mode, pauseTable } from "./pg-boss-pause.ts";
import type { Settings } from "./settings.ts";
import { type Finding, readRecord, recordFinding } from "./settle.ts";
import { createSteps, type StepOptions } from "./steps.ts";

/** An unfinished task, and the id of its order. */
export type Pending = { readonly id: string; readonly task: TaskJSON };
/** Options of a fleet. */
export interface FleetOptions extends Pick<StepOptions, "stop" | "onStep"> {
  /** The maximum number of generations that this worker sends per second. */
  readonly perSecond?: number;
  /** The number of loops that a worker runs for each queue. A slow response holds up only its own loop. */
  readonly loops?: number;
  /** The time in which nothing is sent when the credits are out. With 0, only the order itself waits. */
  readonly creditsPauseMs?: number;
}

/** Makes the queues and the tables, if they are not there. */
export async function prepare(boss: PgBoss, deadAfterSeconds = 30): Promise<void> {
  const kept = { retentionSeconds: 365 * 86_400 }; // Without it, pg-boss deletes what has waited for 14 days.
  const again = { retryLimit: 1_000_000, retryDelay: 1, retryBackoff: true, retryDelayMax: 60 };
  const safe = {
    ...kept,
    ...again,
    heartbeatSeconds: deadAfterSeconds,
    deleteAfterSeconds: 3_600,
    deadLetter: "failed",
  };
  await boss.createQueue("failed", kept);
  await boss.createQueue("unknown", { ...kept, policy: "short" });
  await boss.createQueue("generate", safe);
  await boss.createQueue("check", { ...safe, policy: "short" }); // One for each order waits.
  // Programs that start at once must not make the tables at once.
  await boss.getDb().executeSql(`select pg_advisory_xact_lock(4020); ${postgresTable}; ${pauseTable}`);
}

/** Adds orders as jobs. An order that is added twice is generated once, because of its id. */
export async function submit(boss: PgBoss, orders: readonly Order[]): Promise<void> {
  await boss.insert(
    "generate",
    orders.map((order) => ({ data: order })),
  );
}

/** Settles an order of unknown outcome, and runs it again. */
export async function settle(boss: PgBoss, finding: Finding): Promise<void> {
  const singletonKey = finding.id;
  const [job] = await boss.findJobs<UnknownOrder>("unknown", { key: singletonKey, queued: true });
  if (!job) return;
  await recordFinding(finding);
  await submit(boss, [job.data.order]);
  await boss.deleteJob("unknown", job.id);
  // A worker may have run it before its entry was deleted. If it is unknown again, it is listed again.
  if ((await readRecord(finding))?.state === "unknown") await boss.send("unknown", job.data, { singletonKey });
}

type Result = Omit<JobResult, "id">;
type Steps = ReturnType<typeof createSteps>;

/** Adds the next check of a task. */
async function checkLater(boss: PgBoss, { id, task }: Pending, afterMs: number): Promise<Result> {
  const startAfter = new Date(Date.now() + afterMs);
  await boss.send("check", { id, task }, { singletonKey: id, startAfter });
  return { status: "completed" };
}

function createGenerate(boss: PgBoss, steps: Steps, pause: ReturnType<typeof createPause>, creditsPauseMs: number) {
  return async (order: Order): Promise<Result> => {
    const step = await steps.generate(order);
    switch (step.outcome) {
      case "created":
        await pause.accepted();
        return checkLater(boss, { id: order.id, task: step.task }, 0);
      case "unknown":
        await boss.send("unknown", { order, reason: step.reason }, { singletonKey: order.id });
        return { status: "completed" };
      case "creditsOut":
        if (creditsPauseMs > 0) await pause.creditsOut(creditsPauseMs);
        return { status: "failed", output: step }; // It is handed out again, later each time.
      case "rejected":
        return { status: "deadletter", output: step }; // It goes to the failed jobs.
    }
  };
}

function createCheck(boss: PgBoss, steps: Steps) {
  return async ({ id, task }: Pending): Promise<Result> => {
    const step = await steps.check(id, task);
    if (step.state === "pending") return checkLater(boss, { id, task: step.task }, step.afterMs);
    if (step.state === "succeeded") return { status: "completed" };
    return { status: "deadletter", output: { reason: `${task.taskid}: ${step.state}` } };
  };
}

/** Runs a step for each job of a batch. pg-boss hands out a job again if its step throws. */
const each =
  <T>(step: (data: T) => Promise<Result>) =>
  async (jobs: readonly Job<T>[]) =>
    Promise.all(
      jobs.map(async ({ id, data }): Promise<JobResult> => {
        const failed = (error: unknown) => ({ status: "failed" as const, output: String(error) });
        return { id, ...(await step(data).catch(failed)) };
      }),
    );

/** Runs one worker of the fleet. Results go to `directory`, with a directory for each order. */
export async function work(boss: PgBoss, media: MediaGen, directory: string, given: FleetOptions = {}) {
  const { perSecond = 12, loops = 4, creditsPauseMs = 60_000, stop, onStep } = given;
  const steps = createSteps({ media, directory, stop, onStep });
  const options = { perJobResults: true, localConcurrency: loops } as const;
  // The rate limit: each loop takes this many orders, once a second.
  const batchSize = Math.max(1, Math.round(perSecond / loops));
  const limit = { pollingIntervalSeconds: Math.max(1, (loops * batchSize) / perSecond), batchSize };
  const modes: Readonly<Record<Mode, object | undefined>> = {
    all: limit,
    one: { ...limit, batchSize: 1, localConcurrency: 1 },
    none: undefined,
  };
  const pause = createPause(boss, async (mode) => {
    await boss.offWork("generate", { wait: false });
    if (modes[mode]) await boss.work("generate", { ...options, ...modes[mode] }, each(generate));
  });
  const generate = createGenerate(boss, steps, pause, creditsPauseMs);
  await boss.work("generate", { ...options, ...limit }, each(generate));
  const fast = { pollingIntervalSeconds: 0.5, batchSize: 10, burstWhenBatchFull: true };
  await boss.work("check", { ...options, ...fast }, each(createCheck(boss, steps)));
  return {
    throttle: pause.throttle,
    /** Takes no more jobs, and resolves when those in flight have ended. */
    async stop(): Promise<void> {
      pause.stop();
      await Promise.all(["generate", "check"].map((name) => boss.offWork(name)));
    },
  };
}

/** Opens the queues for the programs of the fleet. */
export async function open(settings: Settings, onError: (error: Error) => void): Promise<Engine> {
  const { queueUrl: connectionString, deadAfterMs, perSecond, concurrency: loops, creditsPauseMs } = settings;
  const pool = new pg.Pool({ connectionString });
  // How often pg-boss looks for dead workers.
  const often = { monitorIntervalSeconds: 10, superviseIntervalSeconds: 10 };
  const boss = new PgBoss({ connectionString, ...often });
  pool.on("error", onError); // It connects again.
  boss.on("error", onError);
  await boss.start();
  await prepare(boss, Math.ceil(deadAfterMs / 1_000));
  const failed = () => boss.findJobs<Order | Pending>("failed", { queued: true });
  const store = postgresStore(pool);
  return {
    store,
    submit: (orders) => submit(boss, orders),
    work: ({ media, directory, ...options }) =>
      work(boss, media, directory, { perSecond, loops, creditsPauseMs, ...options }),
    unknown: async () => (await boss.findJobs<UnknownOrder>("unknown", { queued: true })).map(({ data }) => data),
    settle: (media, id, taskid) => settle(boss, { media, store, id, taskid }),
    failed: async () =>
      (await failed()).map(({ data, sourceName, sourceOutput }) => {
        const { reason = "" } = (sourceOutput ?? {}) as { readonly reason?: string };
        return { id: data.id, step: sourceName ?? "", reason };
      }),
    async retry(id) {
      const jobs = (await failed()).filter(({ data }) => data.id === id);
      return jobs.length > 0 && (await boss.redrive("failed", { ids: jobs.map((job) => job.id) })) > 0;
    },
    async depths() {
      const queues = await boss.getQueues(["generate", "check", "unknown", "failed"]);
      return Object.fromEntries(
        queues.map(({ name, readyCount: waiting, deferredCount: delayed, activeCount: active }) => [
          name,
          { waiting, delayed, active },
        ]),
      );
    },
    isPaused: () => isPaused(boss),
    ping: () => pool.query("select 1"),
    async close() {
      await boss.stop();
      await pool.end();
    },
  };
}
