import { fileStore, type GenerationStore } from "@mediagen/sdk/node";

/** The stores that processes are killed over. */
export type StoreName = "file" | "sqlite" | "postgres" | "redis";

/** Opens a store by its name and its path or URL. What only one of them needs is loaded only for it. */
export async function openStore(name: StoreName, at: string): Promise<GenerationStore> {
  switch (name) {
    case "file":
      return fileStore(at);
    case "sqlite":
      return (await import("../../../docs/examples/stores/sqlite-store.ts")).sqliteStore(at);
    case "postgres": {
      const { postgresStore, table } = await import("../../../docs/examples/stores/postgres-store.ts");
      const { default: pg } = await import("pg");
      const pool = new pg.Pool({ connectionString: at, max: 4 });
      // Two that make the table at once fail on its name.
      await pool.query(table).catch(() => pool.query(table));
      return postgresStore(pool);
    }
    case "redis": {
      const { redisStore } = await import("../../../docs/examples/stores/redis-store.ts");
      const { Redis } = await import("ioredis");
      return redisStore(new Redis(at, { maxRetriesPerRequest: null }));
    }
  }
}
