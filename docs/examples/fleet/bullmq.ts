import { DelayedError, Queue, UnrecoverableError, Worker, type Job } from "bullmq";
import { Redis } from "ioredis";
import {
  checkStep,
  createMediaGen,
  download,
  generateStep,
  type Form,
  type GenerationMark,
  type MediaGen,
  type Model,
  type TaskJSON,
} from "@mediagen/sdk/node";

/** What is to be made, under an id of yours. It is plain JSON. */
export type Order = { readonly id: string } & { [M in Model]: { readonly model: M; readonly form: Form<M> } }[Model];

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
/** The fleet's queues: what to generate, what to check, and what a person has to look at. */
export function openQueues(redis: Redis) {
  const again = { attempts: 20, backoff: { type: "exponential", delay: 1_000, maxDelay: 60_000 } } as const;
  const kept = { removeOnComplete: true };
  return {
    generate: new Queue<Order>("generate", { connection: redis, defaultJobOptions: { attempts: 1, ...kept } }),
    check: new Queue<{ readonly task: TaskJSON }>("check", { connection: redis, defaultJobOptions: { ...again, ...kept } }),
    unknown: new Queue<{ readonly order: Order; readonly why: string }>("unknown", { connection: redis }),
  };
}

/** Orders are jobs under their own ids: one that is sent twice while it is under way is taken once. */
export async function submit(redis: Redis, orders: readonly Order[]): Promise<void> {
  await openQueues(redis).generate.addBulk(orders.map((order) => ({ name: order.model, data: order, opts: { jobId: order.id } })));
}
// #endregion queues

// #region mark
/** The mark of an order: one key, which Redis sets and reads in one act. */
export function markOf(redis: Redis, id: string): GenerationMark {
  const key = `mark:${id}`;
  return {
    async begin() {
      const found = await redis.set(key, '"begun"', "NX", "GET");
      // The cast: the key holds what this mark has set.
      return found === null ? undefined : (JSON.parse(found) as "begun" | TaskJSON);
    },
    keep: async (task) => void (await redis.set(key, JSON.stringify(task))),
    clear: async () => void (await redis.del(key)),
  };
}
// #endregion mark

// #region settle
/** Settles an order of unknown outcome by the task that a person found at the service, or by there being none. */
export async function settle(redis: Redis, id: string, found: TaskJSON | "not created"): Promise<void> {
  const { generate, unknown } = openQueues(redis);
  const job = await unknown.getJob(id);
  const mark = markOf(redis, id);
  if (!job || (await mark.begin()) !== "begun") return; // Whoever sent it has settled it meanwhile.
  await (found === "not created" ? mark.clear() : mark.keep(found));
  await generate.add(job.data.order.model, job.data.order, { jobId: id });
  await job.remove();
}
// #endregion settle

/** Runs one worker of the fleet. What was made is in `folder`, one folder for each order. */
export function work(redis: Redis, media: MediaGen, folder: string, { perSecond = 12, atOnce = 50, deadAfterMs = 30_000 }: FleetOptions = {}) {
  const queues = openQueues(redis);
  const options = {
    connection: redis,
    concurrency: atOnce,
    lockDuration: deadAfterMs,
    stalledInterval: deadAfterMs,
    maxStalledCount: 1_000, // A step may be handed out again as often as its workers die.
  };

  /** Puts a job back until later, and frees its worker meanwhile. */
  async function later(job: Job, token: string | undefined, afterMs: number): Promise<never> {
    await job.moveToDelayed(Date.now() + afterMs, token);
    throw new DelayedError();
  }

  // #region generate
  const generate = new Worker<Order>(
    queues.generate.name,
    async (job, token) => {
      const order = job.data;
      const step = await generateStep(media, order.model, order.form, { mark: markOf(redis, order.id) });
      switch (step.outcome) {
        case "created":
          await queues.check.add("check", { task: step.task }, { jobId: order.id, delay: step.afterMs });
          await queues.unknown.remove(order.id); // A worker that was only slow has settled it.
          return;
        case "unknown":
          await queues.unknown.add("unknown", { order, why: step.why }, { jobId: order.id });
          return;
        case "again":
          return later(job, token, step.afterMs);
        case "creditsOut":
          return later(job, token, 60_000);
        case "refused":
          throw new UnrecoverableError(step.why); // It is among the failed jobs, with the reason.
      }
    },
    { ...options, limiter: { max: perSecond, duration: 1_000 } },
  );
  // #endregion generate

  // #region check
  const check = new Worker<{ readonly task: TaskJSON }>(
    queues.check.name,
    async (job, token) => {
      const task = media.task(job.data.task);
      const step = await checkStep(task);
      if (step.state === "pending") {
        await job.updateData({ task: step.task });
        return later(job, token, step.afterMs);
      }
      if (step.state !== "succeeded") throw new UnrecoverableError(`${task.taskid}: ${step.state}`);
      await download(task, `${folder}/${job.id}`, { overwrite: true });
    },
    options,
  );
  // #endregion check
  return [generate, check];
}

// `node bullmq.ts submit < orders.json` adds orders, `node bullmq.ts` runs a worker until it is stopped.
if (import.meta.main) {
  // The workers' connections wait for Redis as long as it takes; they never give a command up.
  const redis = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379", { maxRetriesPerRequest: null });
  if (process.argv[2] === "submit") {
    await submit(redis, JSON.parse(await new Response(process.stdin as never).text()) as Order[]);
    redis.disconnect();
  } else {
    const workers = work(redis, createMediaGen({ retries: 0 }), "out");
    for (const worker of workers) worker.on("error", console.error).on("failed", (job, error) => console.error(job?.id, error.message));
    process.once("SIGTERM", () => void Promise.all(workers.map((worker) => worker.close())).then(() => process.exit()));
  }
}
