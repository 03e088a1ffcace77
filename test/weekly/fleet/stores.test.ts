import { join } from "node:path";
import type { GenerationStore } from "@mediagen/sdk/node";
import { checkStore } from "@mediagen/stores/check";
import { postgresStore, postgresTable } from "@mediagen/stores/postgres";
import { redisStore } from "@mediagen/stores/redis";
import { Cluster, Redis } from "ioredis";
import pg from "pg";
import { expect, test } from "vitest";
import { freePort } from "../../free-port.ts";
import { killWhileGenerating } from "../../sdk/killing.ts";
import { openStore, type StoreName } from "../../sdk/processes/open-store.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { durable, endPool, startPostgres, startRedis } from "./servers.ts";

/** A storage of its own, and handles on it. */
interface Storage extends AsyncDisposable {
  /** Its path or URL. */
  readonly at: string;
  create(): Promise<GenerationStore>;
}

async function inDirectory(name: "file" | "sqlite"): Promise<Storage> {
  const at = join(await temporaryDirectory(), "store");
  return { at, create: () => openStore(name, at), [Symbol.asyncDispose]: () => Promise.resolve() };
}

async function onPostgres(): Promise<Storage> {
  const server = await startPostgres();
  const pools: pg.Pool[] = [];
  const open = () => {
    const pool = new pg.Pool({ connectionString: server.url });
    pools.push(pool);
    return pool;
  };
  await open().query(postgresTable);
  return {
    at: server.url,
    create: async () => postgresStore(open()),
    async [Symbol.asyncDispose]() {
      await Promise.all(pools.map(endPool));
      await server[Symbol.asyncDispose]();
    },
  };
}

async function onRedis(): Promise<Storage> {
  const server = await startRedis();
  const clients: Redis[] = [];
  return {
    at: server.url,
    async create() {
      const redis = new Redis(server.url);
      clients.push(redis);
      return redisStore(redis);
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) client.disconnect();
      await server[Symbol.asyncDispose]();
    },
  };
}

const storages: Readonly<Record<StoreName, () => Promise<Storage>>> = {
  file: () => inDirectory("file"),
  sqlite: () => inDirectory("sqlite"),
  postgres: onPostgres,
  redis: onRedis,
};
// The cast: these are the names.
const names = Object.keys(storages) as readonly StoreName[];

test.for(names)("checkStore passes the %s store", async (name) => {
  await using storage = await storages[name]();
  expect((await checkStore(() => storage.create())).failures).toEqual([]);
});

test("checkStore passes the redis store with a keyPrefix", async () => {
  await using server = await startRedis();
  const clients: Redis[] = [];
  const { failures } = await checkStore(() => {
    const redis = new Redis(server.url, { keyPrefix: "app:" });
    clients.push(redis);
    return redisStore(redis);
  });
  expect(failures).toEqual([]);
  expect((await clients[0]?.keys("*"))?.every((key) => key.startsWith("app:"))).toBe(true);
  for (const client of clients) client.disconnect();
});

test("checkStore passes the redis store in a cluster, with a keyPrefix", async () => {
  const cluster = ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"];
  const bus = ["--cluster-port", `${await freePort()}`];
  await using server = await startRedis([...durable, ...cluster, ...bus]);
  const { hostname: host, port } = new URL(server.url);
  const setUp = new Redis(server.url);
  await setUp.cluster("ADDSLOTSRANGE", 0, 16_383);
  await expect.poll(() => setUp.cluster("INFO"), { timeout: 20_000 }).toContain("cluster_state:ok");
  setUp.disconnect();

  const clients: Cluster[] = [];
  const { failures } = await checkStore(() => {
    const redis = new Cluster([{ host, port: Number(port) }], { keyPrefix: "app:" });
    clients.push(redis);
    return redisStore(redis);
  });
  expect(failures).toEqual([]);
  for (const client of clients) client.disconnect();
});

test("the redis store sends nothing on Redis's own settings, which forget", async () => {
  await using server = await startRedis([]);
  const redis = new Redis(server.url);
  await expect(checkStore(() => redisStore(redis))).resolves.toMatchObject({
    failures: expect.arrayContaining([expect.stringContaining("appendonly is no")]) as unknown,
  });
  redis.disconnect();
});

test.for(names)(
  "%s: five processes, killed and paused at random, pay for each of 3,000 keys once",
  async (name) => {
    await using storage = await storages[name]();
    const print = (line: string) => console.log(`${name}: ${line}`);
    const store = await storage.create();
    const report = await killWhileGenerating({
      name,
      at: storage.at,
      store,
      keys: 3_000,
      strikes: 200,
      print,
    });
    print(JSON.stringify(report));
    expect(report).toMatchObject({ sentTwice: [], lost: [], unlisted: [], changed: [] });
    expect(report.sent).toBeGreaterThan(2_500);
    for (const figure of [report.kills, report.pauses]) expect(figure).toBeGreaterThan(30);
    for (const figure of [report.late, report.takeOvers, report.unknown])
      expect(figure).toBeGreaterThan(0);
  },
);
