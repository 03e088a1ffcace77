import { setTimeout } from "node:timers/promises";
import { createMediaGen, type GenerationStore, type TaskJSON } from "@mediagen/sdk/node";
import { Redis } from "ioredis";
import pg from "pg";
import { PgBoss } from "pg-boss";
import * as onBullmq from "../../docs/examples/fleet/bullmq.ts";
import type { Order } from "../../docs/examples/fleet/order.ts";
import * as onPgBoss from "../../docs/examples/fleet/pg-boss.ts";
import { postgresStore } from "../../docs/examples/stores/postgres-store.ts";
import { redisStore } from "../../docs/examples/stores/redis-store.ts";
import { endPool, startPostgres, startRedis } from "./servers.ts";

/** A queue on a server of its own, as a test sees it. */
export interface Engine extends AsyncDisposable {
  /** The name of its program in docs/examples/fleet. */
  readonly name: string;
  /** The server's URL. */
  readonly url: string;
  /** The server's process. */
  readonly pid: number;
  submit(orders: readonly Order[]): Promise<void>;
  /** How many jobs are left to generate and to check. */
  left(): Promise<number>;
  /** The orders of unknown outcome. */
  unknown(): Promise<readonly string[]>;
  /** The orders that the service refused. */
  refused(): Promise<readonly string[]>;
  /** Settles an order of unknown outcome by its task at the service, if there is one. */
  settle(baseUrl: string, id: string, taskid: string | undefined): Promise<void>;
  /** Adds tasks that are to be checked in a day. */
  park(tasks: readonly { readonly id: string; readonly task: TaskJSON }[]): Promise<void>;
  readonly store: GenerationStore;
  cost(): Promise<Cost>;
}

/** What a queue has cost its server so far. */
export interface Cost {
  /** What it holds now: memory of a Redis, tables and their indexes of a PostgreSQL. */
  readonly bytes: number;
  /** What it has written to its log on the disk. */
  readonly logBytes: number;
  /** Commands of a Redis, transactions of a PostgreSQL. */
  readonly requests: number;
}

const dayMs = 86_400_000;

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
    pid: server.pid,
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
    async park(tasks) {
      await check.addBulk(
        tasks.map(({ id, task }) => ({ name: "check", data: { task }, opts: { jobId: id, delay: dayMs } })),
      );
    },
    store,
    async cost() {
      const info = await redis.info();
      const read = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(info)?.[1]);
      return {
        bytes: read("used_memory"),
        logBytes: read("aof_current_size"),
        requests: read("total_commands_processed"),
      };
    },
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
    pid: server.pid,
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
    async park(tasks) {
      const startAfter = new Date(Date.now() + dayMs);
      await boss.insert(
        "check",
        tasks.map(({ id, task }) => ({ data: { id, task }, singletonKey: id, startAfter })),
      );
    },
    store,
    async cost() {
      // Statistics are told a moment late.
      await setTimeout(1_500);
      const [row] = await select<Cost>(`select
        (select sum(pg_total_relation_size(oid))::float8 from pg_class where relkind = 'r' and (relnamespace = 'pgboss'::regnamespace or relname = 'generation')) as bytes,
        (pg_current_wal_lsn() - '0/0')::float8 as "logBytes",
        (select sum(xact_commit)::float8 from pg_stat_database) as requests`);
      if (!row) throw new Error("PostgreSQL told nothing of itself");
      return row;
    },
    async [Symbol.asyncDispose]() {
      await boss.stop();
      await endPool(pool);
      await server[Symbol.asyncDispose]();
    },
  };
}
