import { fileStore, type GenerationStore } from "@mediagen/sdk/node";

/** The stores that processes are killed over. */
export type StoreName = "file" | "sqlite" | "postgres" | "redis";

/**
 * Opens a store by its name and its path or URL. What only one of them needs is loaded only for it.
 */
export async function openStore(name: StoreName, at: string): Promise<GenerationStore> {
  switch (name) {
    case "file":
      return fileStore(at);
    case "sqlite": {
      const { sqliteStore } = await import("@mediagen/stores/sqlite");
      const { DatabaseSync } = await import("node:sqlite");
      return sqliteStore(new DatabaseSync(at));
    }
    case "postgres": {
      const { postgresStore, postgresTable } = await import("@mediagen/stores/postgres");
      const { default: pg } = await import("pg");
      const pool = new pg.Pool({ connectionString: at, max: 4 });
      // Two that make the table at once fail on its name.
      await pool.query(postgresTable).catch(() => pool.query(postgresTable));
      return postgresStore(pool);
    }
    case "redis": {
      const { redisStore } = await import("@mediagen/stores/redis");
      const { Redis } = await import("ioredis");
      return redisStore(new Redis(at, { maxRetriesPerRequest: null }));
    }
  }
}
