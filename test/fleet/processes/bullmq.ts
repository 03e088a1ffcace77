// One worker of the fleet on BullMQ, with times so short that a test can wait for them.
import { Redis } from "ioredis";
import { work } from "../../../docs/examples/fleet/bullmq.ts";
import { redisStore } from "@mediagen/stores/redis";
import { createWorkerClient, readWorkerOptions } from "./worker.ts";

const { url, baseUrl, folder, perSecond, deadAfterMs } = readWorkerOptions();
const redis = new Redis(url, { maxRetriesPerRequest: null });
for (const worker of work(redis, createWorkerClient(baseUrl, redisStore(redis)), folder, {
  perSecond,
  deadAfterMs,
  creditsPauseMs: 0,
})) {
  // Locks of a worker that is too slow expire: another worker gets its job, which the store makes safe.
  worker.on("error", ({ message }) => /lock|missing key/i.test(message) || console.error(message));
}
process.send?.("at work");
