import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, memoryStore } from "@mediagen/sdk/node";
import { Redis } from "ioredis";
import pg from "pg";
import { expect, test } from "vitest";
import { openQueues } from "../../docs/examples/fleet/bullmq.ts";
import { openEngine } from "../../docs/examples/fleet/engine.ts";
import { readSettings } from "../../docs/examples/fleet/settings.ts";
import { startPostgres, startRedis } from "./servers.ts";

/** Pauses a queue for a minute, and then for a second. */
async function pauseTwice(QUEUE_URL: string, look: () => Promise<number>): Promise<number> {
  const engine = await openEngine(readSettings({ QUEUE_URL }));
  const media = createMediaGen({ ...createEmulator().client, store: memoryStore() });
  const work = await engine.work({ media, directory: "out" });
  await work.throttle(60_000);
  await work.throttle(1_000);
  const left = await look();
  await work.stop();
  await engine.close();
  return left;
}

test("BullMQ: a short pause does not shorten a long one", async () => {
  await using server = await startRedis();
  const redis = new Redis(server.url, { maxRetriesPerRequest: null });
  const { generate } = openQueues(redis);
  expect(await pauseTwice(server.url, () => generate.getRateLimitTtl())).toBeGreaterThan(50_000);
  redis.disconnect();
});

test("pg-boss: a short pause does not shorten a long one", async () => {
  await using server = await startPostgres();
  const look = async () => {
    const client = new pg.Client(server.url);
    await client.connect();
    const text = "select extract(epoch from until - now())::float8 * 1000 as ms from fleet_pause";
    const { rows } = await client.query<{ ms: number }>(text);
    await client.end();
    return rows[0]?.ms ?? 0;
  };
  expect(await pauseTwice(server.url, look)).toBeGreaterThan(50_000);
});
