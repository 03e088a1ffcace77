import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite"; // Node 22.13 or later
import { createMediaGen, fileStore, type MediaGen, type TaskJSON } from "@mediagen/sdk/node";
import { type User, userOf } from "./users.ts";
import type { Account, Videos } from "./videos.ts";

const directory = process.env["DATA_DIRECTORY"] ?? "data";
mkdirSync(directory, { recursive: true });
const database = new DatabaseSync(join(directory, "videos.sqlite"), { timeout: 5_000 });
database.exec("create table if not exists video (user text, id text, task text not null, primary key (user, id))");
const select = database.prepare("select task from video where user = ? and id = ?");
const upsert = database.prepare("insert or replace into video values (?, ?, ?)");

const videos: Videos = {
  async get(user, order) {
    const row = select.get(user, order);
    // The cast: the column holds what was written.
    return row && (JSON.parse(String(row["task"])) as TaskJSON);
  },
  async set(user, order, task) {
    upsert.run(user, order, JSON.stringify(task));
  },
};

const clients = new Map<string, MediaGen>();

/** Returns a user's client. Each account of the service has its own store. */
function clientOf({ id, apiKey }: User): MediaGen {
  const client = clients.get(id) ?? createMediaGen({ apiKey, store: fileStore(join(directory, "generations", id)) });
  clients.set(id, client);
  return client;
}

/** Returns the account of the user who sent a request, or undefined if nobody is signed in. */
export function accountOf(authorization: string | null | undefined): Account | undefined {
  const user = userOf(authorization, process.env["USERS"]);
  return user && { user: user.id, media: clientOf(user), videos };
}
