import { DelayedError, type Job, Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import type { OpenQueue } from "./fleet.ts";
import { logFailure, Rejection, within } from "./log.ts";

type Data = { readonly id: string };
const advice =
  "Set appendonly yes and maxmemory-policy noeviction, or ALLOW_VOLATILE_STORE=true.";
/**
 * Opens a queue in Redis. Orders and store are in PostgreSQL, so that a Redis that
 * forgets costs time and no money.
 */
export const openQueue: OpenQueue = async ({
  redisUrl,
  prefix,
  deadAfterMs,
  concurrency,
  allowVolatile,
}) => {
  // Workers of BullMQ need a connection that repeats each command until Redis
  // responds.
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  // It connects again.
  connection.on("error", (error) => logFailure("queue", error));
  const info = await within(
    10_000,
    connection.info(),
    `The Redis at ${new URL(redisUrl).host}`,
  );
  const keeps =
    info.includes("\naof_enabled:1\r") &&
    info.includes("\nmaxmemory_policy:noeviction\r");
  if (!keeps && !allowVolatile)
    throw new Rejection(`Redis may lose jobs. ${advice}`);
  // It would print what was checked above.
  const shared = { connection, prefix, skipVersionCheck: true };
  const defaultJobOptions = {
    attempts: 1_000_000,
    backoff: { type: "upToOneMinute" },
    removeOnComplete: true,
  };
  const open = (name: string) => {
    const queue = new Queue<Data>(name, { ...shared, defaultJobOptions });
    return queue.on("error", () => undefined); // The connection reports the same.
  };
  const queues = { generate: open("generate"), check: open("check") };
  const workers: Worker<Data>[] = [];
  const options = {
    ...{
      ...shared,
      concurrency,
      lockDuration: deadAfterMs,
      stalledInterval: deadAfterMs,
    },
    // A step may be handed out again as often as its workers die.
    maxStalledCount: 1_000_000,
    settings: {
      backoffStrategy: (attempts: number) => Math.min(500 * 2 ** attempts, 60_000),
    },
  };
  return {
    async add(step, ids) {
      // BullMQ ignores an id that the queue still has.
      await queues[step].addBulk(
        ids.map((id) => ({ name: step, data: { id }, opts: { jobId: id } })),
      );
    },
    async work(step, run) {
      const process = async (job: Job<Data>, token?: string) => {
        const delay = await run(job.data.id);
        if (delay === undefined) return;
        if (step === "generate")
          return void (await queues.check.add("check", job.data, {
            jobId: job.data.id,
            delay,
          }));
        await job.moveToDelayed(Date.now() + delay, token);
        throw new DelayedError();
      };
      workers.push(
        new Worker(step, process, options).on("error", (error) =>
          logFailure("queue", error),
        ),
      );
    },
    ping: () => connection.ping(),
    async close() {
      await Promise.all(
        [...workers, ...Object.values(queues)].map((one) => one.close()),
      );
      connection.disconnect();
    },
  };
};
