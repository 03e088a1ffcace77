import { DatabaseSync } from "node:sqlite";
import { createMediaGen } from "@mediagen/sdk/node";
import { createEmulator } from "@mediagen/emulator";
import { postgresStore } from "@mediagen/stores/postgres";
import { type RedisClient, redisStore } from "@mediagen/stores/redis";
import { sqliteStore } from "@mediagen/stores/sqlite";
import { afterEach, describe, expect, test, vi } from "vitest";

afterEach(() => void vi.restoreAllMocks());

// A store that forgets a generation pays for it again.

describe("a store inside somebody else's transaction", () => {
  test("sends nothing, and pays once after the rollback", async () => {
    const database = new DatabaseSync(":memory:");
    const emulator = createEmulator();
    const media = createMediaGen({ ...emulator.client, store: sqliteStore(database) });
    const generate = () =>
      media.image.generate("imgmodelz", { prompt: "A fox" }, { idempotencyKey: "order-1" });

    database.exec("begin");
    await expect(generate()).rejects.toThrow(/transaction/);
    database.exec("rollback");
    expect(emulator.charges).toHaveLength(0);

    await generate();
    await generate();
    expect(emulator.charges).toHaveLength(1);
  });

  test("is seen in better-sqlite3, too", async () => {
    const prepare = vi.fn<() => never>();
    const store = sqliteStore({ exec: () => undefined, prepare, inTransaction: true });
    await expect(
      createMediaGen({ ...createEmulator().client, store }).image.generate("imgmodelz", {
        prompt: "A fox",
      }),
    ).rejects.toThrow(/Give the store its own connection/);
    expect(prepare).not.toHaveBeenCalled();
  });

  test("is impossible with a client of a PostgreSQL pool", () => {
    const client = {
      query: () => Promise.reject(new Error("not reached")),
      release: () => undefined,
    };
    expect(() => postgresStore(client)).toThrow(/takes a Pool, not a client/);
  });
});

describe("a Redis that may forget", () => {
  const durable = "# Server\r\nmaxmemory_policy:noeviction\r\n# Persistence\r\naof_enabled:1\r\n";

  /** Generates an image with the store in a Redis whose `INFO` is this. */
  async function generateWith(info: string, allowVolatile?: boolean) {
    const emulator = createEmulator();
    const redis: RedisClient = {
      info: vi.fn<() => Promise<string>>(() => Promise.resolve(info)),
      eval: () => Promise.resolve([1]),
      hget: () => Promise.resolve(null),
      sunion: () => Promise.resolve([]),
    };
    const store = redisStore(redis, { allowVolatile });
    const media = createMediaGen({ ...emulator.client, store });
    const warn = vi.spyOn(process, "emitWarning").mockReturnValue();
    const generate = () => media.image.generate("imgmodelz", { prompt: "A fox" });
    return { emulator, generate, redis, warn };
  }

  test.for([
    ["appendonly is no", durable.replace("aof_enabled:1", "aof_enabled:0")],
    ["maxmemory-policy is allkeys-lru", durable.replace("noeviction", "allkeys-lru")],
  ] as const)("is rejected before it costs: %s", async ([reason, info]) => {
    const { emulator, generate } = await generateWith(info);
    await expect(generate()).rejects.toThrow(reason);
    expect(emulator.charges).toHaveLength(0);
  });

  test("is accepted with allowVolatile, without a question", async () => {
    const { emulator, generate, redis } = await generateWith("aof_enabled:0\r\n", true);
    await generate();
    expect(emulator.charges).toHaveLength(1);
    expect(redis.info).not.toHaveBeenCalled();
  });

  test("is warned of once if it does not say", async () => {
    const { generate, redis, warn } = await generateWith("redis_version:7.0.15\r\n");
    await generate();
    await generate();
    expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("allowVolatile"));
    expect(redis.info).toHaveBeenCalledTimes(1);
  });

  test("is nothing that a durable one is taken for", async () => {
    const { emulator, generate, warn } = await generateWith(durable);
    await generate();
    expect(emulator.charges).toHaveLength(1);
    expect(warn).not.toHaveBeenCalled();
  });
});
