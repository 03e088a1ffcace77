import type { TaskJSON } from "@mediagen/sdk";
import type { Database } from "./d1-store.ts";
import type { Videos } from "./videos.ts";

/** The migration that creates the table. */
export const migration = "create table video (user text, id text, task text not null, primary key (user, id))";

/** Your table in Cloudflare D1. */
export function videosIn(database: Database): Videos {
  return {
    async get(user, order) {
      const select = database.prepare("select task from video where user = ? and id = ?");
      const row = await select.bind(user, order).first<{ task: string }>();
      // The cast: the column holds what was written.
      return row ? (JSON.parse(row.task) as TaskJSON) : undefined;
    },
    async set(user, order, task) {
      const upsert = database.prepare("insert or replace into video values (?, ?, ?)");
      await upsert.bind(user, order, JSON.stringify(task)).run();
    },
  };
}
