import { createMediaGen, type GenerationStore } from "@mediagen/sdk/node";
import { Redis } from "ioredis";
import pg from "pg";
import { PgBoss } from "pg-boss";
import * as onBullmq from "../../docs/examples/fleet/bullmq.ts";
import type { Order } from "../../docs/examples/fleet/order.ts";
import * as onPgBoss from "../../docs/examples/fleet/pg-boss.ts";
import { postgresStore } from "@mediagen/stores/postgres";
import { redisStore } from "@mediagen/stores/redis";
import { endPool, startPostgres, startRedis } from "./servers.ts";

/** A queue on a server of its own, as a test sees it. */
export interface Engine extends AsyncDisposable {
  /** The name of its program in docs/examples/fleet. */
  readonly name: string;
  /** The server's URL. */
  readonly url: string;
  submit(orders: readonly Order[]): Promise<void>;
  /** How many jobs are left to generate and to check. */
  left(): Promise<number>;
  /** The orders of unknown outcome. */
  unknown(): Promise<readonly string[]>;
  /** The orders that the service refused. */
  refused(): Promise<readonly string[]>;
  /** Settles an order of unknown outcome by its task at the service, if there is one. */
  settle(baseUrl: string, id: string, taskid: string | undefined): Promise<void>;
  readonly store: GenerationStore;
}

/** BullMQ on a Redis of its own. */
export async function startBullmq(): Promise<Engine> {
  const server = await startRedis();
  const redis = new Redis(server.url, { maxRetriesPerRequest: null });
  const store = redisStore(redis);
  const queues = onBullmq.openQueues(redis);
  const { generate, check, unknown } = queues;
  return {
    name: "bullmq",
    url: server.url,
    submit: (orders) => onBullmq.submit(queues, orders),
    async left() {
      const counts = await Promise.all(
        [generate, check].map((queue) => queue.getJobCountByTypes("active", "delayed", "prioritized", "waiting")),
      );
      return counts.reduce((sum, one) => sum + one, 0);
    },
    unknown: async () => (await unknown.getJobs(["waiting"])).map(({ data }) => data.order.id),
    refused: async () => (await generate.getJobs(["failed"])).map(({ data }) => data.id),
    settle: (baseUrl, id, taskid) =>
      onBullmq.settle(queues, { media: createMediaGen({ baseUrl, apiKey: "emulator-key", store }), store, id, taskid }),
    store,
    async [Symbol.asyncDispose]() {
      await Promise.all([generate, check, unknown].map((queue) => queue.close()));
      redis.disconnect();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** pg-boss on a PostgreSQL of its own. */
export async function startPgBoss(): Promise<Engine> {
  const server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url });
  const store = postgresStore(pool);
  const boss = new PgBoss({ connectionString: server.url });
  boss.on("error", console.error);
  await boss.start();
  await onPgBoss.prepare(boss, 10);
  const select = async <Row>(text: string) => (await boss.getDb().executeSql(text)).rows as readonly Row[];
  return {
    name: "pg-boss",
    url: server.url,
    submit: (orders) => onPgBoss.submit(boss, orders),
    async left() {
      const [row] = await select<{ left: number }>(
        "select count(*)::int as left from pgboss.job where name in ('generate', 'check') and state < 'completed'",
      );
      return row?.left ?? 0;
    },
    unknown: async () =>
      (
        await select<{ id: string }>(
          "select data->'order'->>'id' as id from pgboss.job where name = 'unknown' and state = 'created'",
        )
      ).map(({ id }) => id),
    refused: async () =>
      (
        await select<{ id: string }>(
          "select data->>'id' as id from pgboss.job where name = 'generate' and state = 'failed'",
        )
      ).map(({ id }) => id),
    settle: (baseUrl, id, taskid) =>
      onPgBoss.settle(boss, { media: createMediaGen({ baseUrl, apiKey: "emulator-key", store }), store, id, taskid }),
    store,
    async [Symbol.asyncDispose]() {
      await boss.stop();
      await endPool(pool);
      await server[Symbol.asyncDispose]();
    },
  };
}
