// #region imports
import { DelayedError, Queue, UnrecoverableError, Worker, type Job } from "bullmq";
import { Redis } from "ioredis";
import { generationIdOf, InvalidRequestError, type MediaGen, type TaskJSON } from "@mediagen/sdk/node";
import { redisStore } from "../stores/redis-store.ts";
import type { Engine, FailedStep } from "./engine.ts";
import type { Order, UnknownOrder } from "./order.ts";
import type { Settings } from "./settings.ts";
import { createSteps, type StepOptions } from "./steps.ts";

/** A task that is not finished. Its job's id is the order's. */
export type Pending = { readonly task: TaskJSON };
/** How a fleet runs. */
export interface FleetOptions extends Pick<StepOptions, "stop" | "onStep"> {
  /** How many generations all workers together send in a second. */
  readonly perSecond?: number;
  /** How many steps one worker runs at once. */
  readonly atOnce?: number;
  /** After how long without a sign of life a worker counts as dead. */
  readonly deadAfterMs?: number;
  /** For how long nothing is sent when the credits are out. With 0, only the order itself waits. */
  readonly creditsPauseMs?: number;
}
// #endregion imports

// #region queues
/** What to generate, what to check, and what a person has to look at. */
export function openQueues(redis: Redis) {
  const once = { attempts: 1, removeOnComplete: true };
  const backoff = { type: "exponential", delay: 1_000, maxDelay: 60_000 } as const;
  const safe = { attempts: 100, backoff, removeOnComplete: true };
  const queues = {
    generate: new Queue<Order>("generate", { connection: redis, defaultJobOptions: once }),
    check: new Queue<Pending>("check", { connection: redis, defaultJobOptions: safe }),
    unknown: new Queue<UnknownOrder>("unknown", { connection: redis }),
  };
  for (const queue of Object.values(queues)) queue.on("error", () => undefined); // The connection reports the same.
  return queues;
}
export type Queues = ReturnType<typeof openQueues>;

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
  // With a task's id, it is queried first: one that does not exist is rejected, and nothing is recorded.
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

// #region work
/** Runs one worker of the fleet. Results go to `directory`, with a directory for each order. */
export function work(redis: Redis, media: MediaGen, directory: string, given: FleetOptions = {}) {
  const { perSecond = 12, atOnce = 50, deadAfterMs = 30_000, creditsPauseMs = 60_000, stop, onStep } = given;
  const queues = openQueues(redis);
  const steps = createSteps({ media, directory, stop, onStep });
  const options = {
    connection: redis,
    concurrency: atOnce,
    lockDuration: deadAfterMs,
    stalledInterval: deadAfterMs,
    maxStalledCount: 1_000_000, // A step may be handed out again as often as its workers die.
  };
  // Of all workers together. It may be fewer than one in a second.
  const limiter = { max: Math.max(1, Math.round(perSecond)), duration: perSecond < 1 ? 1_000 / perSecond : 1_000 };
  return [
    new Worker<Order>("generate", createGenerate(queues, steps, creditsPauseMs), { ...options, limiter }),
    new Worker<Pending>("check", createCheck(steps), options),
  ];
}

/** Puts a job back for so long, and frees its worker until then. */
async function later(job: Job, token: string | undefined, afterMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + afterMs, token);
  throw new DelayedError();
}

type Steps = ReturnType<typeof createSteps>;
// #endregion work

// #region generate
function createGenerate({ generate, check, unknown }: Queues, steps: Steps, creditsPauseMs: number) {
  return async (job: Job<Order>, token?: string): Promise<void> => {
    const order = job.data;
    const step = await steps.generate(order);
    switch (step.outcome) {
      case "created":
        await check.add("check", { task: step.task }, { jobId: order.id, delay: step.afterMs });
        await unknown.remove(order.id); // A worker that was only slow has settled it.
        await generate.removeGlobalConcurrency(); // There are credits: all orders may go on.
        return;
      case "unknown":
        await unknown.add("unknown", { order, reason: step.reason }, { jobId: order.id });
        return;
      case "again":
        return later(job, token, step.afterMs);
      case "creditsOut":
        // For all workers: nothing for a while, then one order at a time until one is accepted.
        if (creditsPauseMs > 0) await generate.setGlobalConcurrency(1);
        if (creditsPauseMs > 0) await generate.rateLimit(creditsPauseMs);
        return later(job, token, Math.max(creditsPauseMs, 10_000));
      case "rejected":
        throw new UnrecoverableError(step.reason); // It stays among the failed jobs, with the reason.
    }
  };
}
// #endregion generate

// #region check
function createCheck(steps: Steps) {
  return async (job: Job<Pending>, token?: string): Promise<void> => {
    const { task } = job.data;
    const step = await steps.check(job.id ?? "", task);
    if (step.state === "pending") {
      await job.updateData({ task: step.task });
      return later(job, token, step.afterMs);
    }
    if (step.state !== "succeeded") throw new UnrecoverableError(`${task.taskid}: ${step.state}`);
  };
}
// #endregion check

// #region engine
/** Opens the queues for the programs of the fleet. */
export async function open(settings: Settings, onError: (error: Error) => void): Promise<Engine> {
  // A worker's connection waits for Redis as long as it takes, and gives no command up.
  const redis = new Redis(settings.queueUrl, { maxRetriesPerRequest: null });
  redis.on("error", onError); // It connects again.
  const queues = openQueues(redis);
  const steps = [queues.generate, queues.check];
  return {
    store: redisStore(redis),
    submit: (orders) => submit(redis, orders),
    async work({ media, directory, stop, onStep }) {
      const { perSecond, concurrency: atOnce, deadAfterMs, creditsPauseMs } = settings;
      const options = { perSecond, atOnce, deadAfterMs, creditsPauseMs, stop, onStep };
      const workers = work(redis, media, directory, options);
      for (const worker of workers) worker.on("error", onError);
      return {
        throttle: (ms) => queues.generate.rateLimit(ms),
        stop: () => Promise.all(workers.map((worker) => worker.close())),
      };
    },
    unknown: async () => (await queues.unknown.getJobs(["waiting"])).map(({ data }) => data),
    settle: (media, id, taskid) => settle(redis, media, id, taskid),
    failed: async () => (await Promise.all(steps.map(readFailed))).flat(),
    async retry(id) {
      const jobs = await Promise.all(steps.map((queue) => queue.getJob(id)));
      const states = await Promise.all(jobs.map((job) => job?.getState()));
      const failed = jobs.filter((_, index) => states[index] === "failed");
      await Promise.all(failed.map((job) => job?.retry("failed")));
      return failed.length > 0;
    },
    async depths() {
      const entries = Object.entries(queues).map(async ([name, queue]) => [name, await queue.getJobCounts()] as const);
      return Object.fromEntries(await Promise.all(entries));
    },
    isPaused: async () => (await queues.generate.getGlobalConcurrency()) === 1,
    ping: () => redis.ping(),
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
      redis.disconnect();
    },
  };
}

async function readFailed(queue: Queue): Promise<readonly FailedStep[]> {
  const jobs = await queue.getFailed();
  return jobs.map(({ id = "", failedReason: reason }) => ({ id, step: queue.name, reason }));
}
// #endregion engine
