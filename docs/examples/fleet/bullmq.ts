import { json } from "node:stream/consumers";
import { DelayedError, Queue, UnrecoverableError, Worker, type Job } from "bullmq";
import { Redis } from "ioredis";
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
import { redisStore } from "../stores/redis-store.ts";
import type { Order, UnknownOrder } from "./order.ts";

/** A task that is not finished. Its job's id is the order's. */
export type Pending = { readonly task: TaskJSON };
/** How a fleet runs. */
export interface FleetOptions {
  /** How many generations all workers together send in a second. */
  readonly perSecond?: number;
  /** How many steps one worker runs at once. */
  readonly atOnce?: number;
  /** After how long without a sign of life a worker counts as dead. */
  readonly deadAfterMs?: number;
}

// #region queues
/** What to generate, what to check, and what a person has to look at. */
export function openQueues(redis: Redis) {
  const once = { attempts: 1, removeOnComplete: true };
  const backoff = { type: "exponential", delay: 1_000, maxDelay: 60_000 } as const;
  const safe = { attempts: 100, backoff, removeOnComplete: true };
  return {
    generate: new Queue<Order>("generate", { connection: redis, defaultJobOptions: once }),
    check: new Queue<Pending>("check", { connection: redis, defaultJobOptions: safe }),
    unknown: new Queue<UnknownOrder>("unknown", { connection: redis }),
  };
}

/** Orders are jobs under their own ids: one that is sent twice while it is there is taken once. */
export async function submit(redis: Redis, orders: readonly Order[]): Promise<void> {
  const { generate } = openQueues(redis);
  await generate.addBulk(orders.map((order) => ({ name: order.model, data: order, opts: { jobId: order.id } })));
}
// #endregion queues

// #region settle
/** Settles an order of unknown outcome by the task that a person found at the service, or by none, and runs it again. */
export async function settle(redis: Redis, media: MediaGen, id: string, taskid: string | undefined): Promise<void> {
  const { generate, unknown } = openQueues(redis);
  const job = await unknown.getJob(id);
  if (!job) return;
  const { order } = job.data;
  const generationId = await generationIdOf(media.origin, order.id);
  const resolved = taskid ? media.resolve(generationId, { taskid }) : media.resolve(generationId, "notCreated");
  await resolved.catch((error: unknown) => {
    // A worker that was only slow has recorded its task since: then that is the one.
    const isKnown = error instanceof InvalidRequestError && error.issues.some(({ field }) => field === "generationId");
    if (!isKnown) throw error;
  });
  await generate.add(order.model, order, { jobId: id });
  await job.remove();
}
// #endregion settle

/** Runs one worker of the fleet. Results go to `directory`, with a directory for each order. */
export function work(redis: Redis, media: MediaGen, directory: string, given: FleetOptions = {}) {
  const { perSecond = 12, atOnce = 50, deadAfterMs = 30_000 } = given;
  const queues = openQueues(redis);
  // #region worker
  const options = {
    connection: redis,
    concurrency: atOnce,
    lockDuration: deadAfterMs,
    stalledInterval: deadAfterMs,
    maxStalledCount: 1_000_000, // A step may be handed out again as often as its workers die.
  };
  const limiter = { max: perSecond, duration: 1_000 }; // of all workers together
  // #endregion worker

  // #region generate
  /** Puts a job back for so long, and frees its worker until then. */
  async function later(job: Job, token: string | undefined, afterMs: number): Promise<never> {
    await job.moveToDelayed(Date.now() + afterMs, token);
    throw new DelayedError();
  }

  async function generate(job: Job<Order>, token?: string): Promise<void> {
    const order = job.data;
    const step = await generateStep(media, order.model, order.form, { idempotencyKey: order.id });
    switch (step.outcome) {
      case "created": {
        const options = { jobId: order.id, delay: step.afterMs };
        await queues.check.add("check", { task: step.task }, options);
        await queues.unknown.remove(order.id); // A worker that was only slow has settled it.
        return;
      }
      case "unknown":
        await queues.unknown.add("unknown", { order, reason: step.reason }, { jobId: order.id });
        return;
      case "again":
        return later(job, token, step.afterMs);
      case "creditsOut":
        return later(job, token, 60_000);
      case "rejected":
        throw new UnrecoverableError(step.reason); // It stays among the failed jobs, with the reason.
    }
  }
  // #endregion generate

  // #region check
  async function check(job: Job<Pending>, token?: string): Promise<void> {
    const task = media.task(job.data.task);
    const step = await checkStep(task);
    if (step.state === "pending") {
      await job.updateData({ task: step.task });
      return later(job, token, step.afterMs);
    }
    if (step.state !== "succeeded") throw new UnrecoverableError(`${task.taskid}: ${step.state}`);
    await download(task, `${directory}/${job.id}`, { overwrite: true });
  }
  // #endregion check

  return [
    new Worker<Order>(queues.generate.name, generate, { ...options, limiter }),
    new Worker<Pending>(queues.check.name, check, options),
  ];
}

// `node bullmq.ts submit < orders.json` adds orders; `node bullmq.ts` works until it is stopped.
if (import.meta.main) {
  // A worker's connection waits for Redis as long as it takes, and gives no command up.
  const url = process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379";
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  if (process.argv[2] === "submit") {
    await submit(redis, (await json(process.stdin)) as Order[]);
    redis.disconnect();
  } else {
    const workers = work(redis, createMediaGen({ retries: 0, store: redisStore(redis) }), "out");
    for (const worker of workers) {
      worker.on("error", console.error);
      worker.on("failed", (job, error) => console.error(job?.id, error.message));
    }
    process.once("SIGTERM", async () => {
      await Promise.all(workers.map((worker) => worker.close()));
      redis.disconnect();
    });
  }
}
