// One worker of the fleet on BullMQ, with times so short that a test can wait for them.
import { Redis } from "ioredis";
import { work } from "../../../docs/examples/fleet/bullmq.ts";
import { redisStore } from "../../../docs/examples/stores/redis-store.ts";
import { createWorkerClient, readWorkerOptions } from "./worker.ts";

const { url, baseUrl, folder, perSecond } = readWorkerOptions();
const redis = new Redis(url, { maxRetriesPerRequest: null });
for (const worker of work(redis, createWorkerClient(baseUrl, redisStore(redis)), folder, {
  perSecond,
  deadAfterMs: 5_000,
})) {
  worker.on("error", console.error);
}
process.send?.("at work");
