import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, generationIdOf, memoryStore } from "@mediagen/sdk/node";
import { Redis } from "ioredis";
import { PgBoss } from "pg-boss";
import { expect, test } from "vitest";
import * as onBullmq from "../../docs/examples/fleet/bullmq.ts";
import type { Order } from "../../docs/examples/fleet/order.ts";
import * as onPgBoss from "../../docs/examples/fleet/pg-boss.ts";
import { recordFinding } from "../../docs/examples/fleet/settle.ts";
import { createSteps } from "../../docs/examples/fleet/steps.ts";
import { createOrders } from "./fleet.ts";
import { startPostgres, startRedis } from "./servers.ts";

const [order] = createOrders(1) as [Order];
const entry = { order, reason: "the response was lost" };

function open() {
  const emulator = createEmulator();
  const store = memoryStore();
  const media = createMediaGen({ ...emulator.client, store, retries: 0 });
  const steps = createSteps({ media, directory: "out" });
  /** Generates the order, and loses the response. */
  const lose = async () => {
    emulator.next({ fault: "resetAfter", on: "generate" });
    expect(await steps.generate(order)).toMatchObject({ outcome: "unknown" });
  };
  return { emulator, store, media, steps, lose };
}

test("what a person found is recorded only for an order that the store knows", async () => {
  const { emulator, store, media, lose } = open();
  const finding = { media, store, id: order.id, taskid: "image-1" };
  await expect(recordFinding(finding)).rejects.toThrow("is not in the store");
  await lose();
  const taskid = emulator.tasks[0]?.taskid;
  await recordFinding({ ...finding, taskid });
  // Again, as after a crash between the record and the queue.
  await recordFinding({ ...finding, taskid });
  const record = await store.get(await generationIdOf(media.origin, order.id));
  expect(record).toMatchObject({ state: "created", task: { taskid } });
  expect(emulator.charges).toHaveLength(1);
});

test("a finding gives way to the task that a slow worker has recorded since", async () => {
  const { store, media, steps, emulator } = open();
  const step = await steps.generate(order);
  for (const taskid of [undefined, "image-1"]) await recordFinding({ media, store, id: order.id, taskid });
  expect(await steps.generate(order)).toMatchObject({
    outcome: "created",
    task: { taskid: emulator.tasks[0]?.taskid },
  });
  expect(step.outcome).toBe("created");
});

test("BullMQ: an order that is unknown again before its entry is removed stays listed", async () => {
  await using server = await startRedis();
  const redis = new Redis(server.url, { maxRetriesPerRequest: null });
  const queues = onBullmq.openQueues(redis);
  const { store, media, lose } = open();
  await lose();
  await queues.unknown.add("unknown", entry, { jobId: order.id });
  const add = queues.generate.add.bind(queues.generate);
  // A worker that is faster than the command.
  queues.generate.add = async (...job) => {
    await lose();
    await queues.unknown.add("unknown", entry, { jobId: order.id });
    return add(...job);
  };
  await onBullmq.settle(queues, { media, store, id: order.id, taskid: undefined });
  expect((await queues.unknown.getJobs(["waiting"])).map(({ data }) => data)).toEqual([entry]);
  await Promise.all(Object.values(queues).map((queue) => queue.close()));
  redis.disconnect();
});

test("pg-boss: an order that is unknown again before its entry is removed stays listed", async () => {
  await using server = await startPostgres();
  const boss = new PgBoss({ connectionString: server.url });
  boss.on("error", console.error);
  await boss.start();
  await onPgBoss.prepare(boss, 10);
  const { store, media, lose } = open();
  await lose();
  await boss.send("unknown", entry, { singletonKey: order.id });
  const insert = boss.insert.bind(boss);
  // A worker that is faster than the command.
  boss.insert = async (...jobs: Parameters<typeof insert>) => {
    await lose();
    await boss.send("unknown", entry, { singletonKey: order.id });
    return insert(...jobs);
  };
  await onPgBoss.settle(boss, { media, store, id: order.id, taskid: undefined });
  expect((await boss.findJobs("unknown", { queued: true })).map(({ data }) => data)).toEqual([entry]);
  await boss.stop();
});
