import { DelayedError, Queue, UnrecoverableError, Worker, type Job } from "bullmq";
import { Redis } from "ioredis";
import type { MediaGen, TaskJSON } from "@mediagen/sdk/node";
import { redisStore } from "@mediagen/stores/redis";
import type { Engine, FailedStep } from "./engine.ts";
import type { Order, UnknownOrder } from "./order.ts";
import type { Settings } from "./settings.ts";
import { type Finding, readRecord, recordFinding } from "./settle.ts";
import { createSteps, type StepOptions } from "./steps.ts";

/** A task that is not finished. Its job's id is the order's. */
export type Pending = { readonly task: TaskJSON };
/** Options of a fleet. */
export interface FleetOptions extends Pick<StepOptions, "stop" | "onStep"> {
  /** The number of generations that all workers together send per second. */
  readonly perSecond?: number;
  /** The number of steps that one worker runs at once. */
  readonly atOnce?: number;
  /** The time without a sign of life after which a worker counts as dead. */
  readonly deadAfterMs?: number;
  /** The time in which nothing is sent when the credits are out. With 0, only the order itself waits. */
  readonly creditsPauseMs?: number;
}

/** Opens the queues: orders to generate, tasks to check, and unknown outcomes for a person. */
export function openQueues(redis: Redis) {
  // A step that throws is repeated for as long as it takes: after a second, and then later each time.
  const safe = { attempts: 1_000_000, backoff: { type: "upToOneMinute" }, removeOnComplete: true };
  const queues = {
    generate: new Queue<Order>("generate", { connection: redis, defaultJobOptions: safe }),
    check: new Queue<Pending>("check", { connection: redis, defaultJobOptions: safe }),
    unknown: new Queue<UnknownOrder>("unknown", { connection: redis }),
  };
  for (const queue of Object.values(queues)) queue.on("error", () => undefined); // The connection reports the same.
  return queues;
}
export type Queues = ReturnType<typeof openQueues>;

/** Adds orders as jobs under their own ids. BullMQ ignores an id that the queue still has. */
export async function submit({ generate }: Queues, orders: readonly Order[]): Promise<void> {
  await generate.addBulk(orders.map((order) => ({ name: order.model, data: order, opts: { jobId: order.id } })));
}

/** Settles an order of unknown outcome, and runs it again. */
export async function settle({ generate, unknown }: Queues, finding: Finding): Promise<void> {
  const jobId = finding.id;
  const job = await unknown.getJob(jobId);
  if (!job) return;
  await recordFinding(finding);
  await generate.add(job.data.order.model, job.data.order, { jobId });
  await unknown.remove(jobId);
  // A worker may have run it before its entry was removed. If it is unknown again, it is listed again.
  if ((await readRecord(finding))?.state === "unknown") await unknown.add("unknown", job.data, { jobId });
}

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
    settings: { backoffStrategy: (attempts: number) => Math.min(500 * 2 ** attempts, 60_000) },
  };
  // Of all workers together. It may be fewer than one in a second.
  const limiter = { max: Math.max(1, Math.round(perSecond)), duration: perSecond < 1 ? 1_000 / perSecond : 1_000 };
  return [
    new Worker<Order>("generate", createGenerate(queues, steps, creditsPauseMs), { ...options, limiter }),
    new Worker<Pending>("check", createCheck(steps), options),
  ];
}

/** Delays a job, and frees its worker until then. */
async function later(job: Job, token: string | undefined, afterMs: number): Promise<never> {
  await job.moveToDelayed(Date.now() + afterMs, token);
  throw new DelayedError();
}

/** Pauses all workers for a time. A longer pause stays as it is. */
async function pause(generate: Queues["generate"], ms: number): Promise<void> {
  if ((await generate.getRateLimitTtl()) < ms) await generate.rateLimit(ms);
}

type Steps = ReturnType<typeof createSteps>;

function createGenerate({ generate, check, unknown }: Queues, steps: Steps, creditsPauseMs: number) {
  return async (job: Job<Order>, token?: string): Promise<void> => {
    const order = job.data;
    const step = await steps.generate(order);
    switch (step.outcome) {
      case "created":
        await check.add("check", { task: step.task }, { jobId: order.id });
        await unknown.remove(order.id); // A worker that was only slow has settled it.
        await generate.removeGlobalConcurrency(); // There are credits: all orders may go on.
        return;
      case "unknown":
        await unknown.add("unknown", { order, reason: step.reason }, { jobId: order.id });
        return;
      case "creditsOut":
        // For all workers: nothing for a while, then one order at a time until one is accepted.
        if (creditsPauseMs > 0) await generate.setGlobalConcurrency(1);
        if (creditsPauseMs > 0) await pause(generate, creditsPauseMs);
        return later(job, token, Math.max(creditsPauseMs, 10_000));
      case "rejected":
        throw new UnrecoverableError(step.reason); // It stays among the failed jobs, with the reason.
    }
  };
}

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

/** Opens the queues for the programs of the fleet. */
export async function open(settings: Settings, onError: (error: Error) => void): Promise<Engine> {
  // Workers of BullMQ need a connection that repeats each command until Redis responds.
  const redis = new Redis(settings.queueUrl, { maxRetriesPerRequest: null });
  redis.on("error", onError); // It connects again.
  const queues = openQueues(redis);
  const steps = [queues.generate, queues.check];
  const store = redisStore(redis);
  return {
    store,
    submit: (orders) => submit(queues, orders),
    async work({ media, directory, stop, onStep }) {
      const { perSecond, concurrency: atOnce, deadAfterMs, creditsPauseMs } = settings;
      const options = { perSecond, atOnce, deadAfterMs, creditsPauseMs, stop, onStep };
      const workers = work(redis, media, directory, options);
      for (const worker of workers) worker.on("error", onError);
      return {
        throttle: (ms) => pause(queues.generate, ms),
        stop: () => Promise.all(workers.map((worker) => worker.close())),
      };
    },
    unknown: async () => (await queues.unknown.getJobs(["waiting"])).map(({ data }) => data),
    settle: (media, id, taskid) => settle(queues, { media, store, id, taskid }),
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
