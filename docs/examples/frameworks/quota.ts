import { DatabaseSync } from "node:sqlite";

const database = new DatabaseSync(process.env["QUOTA_FILE"] ?? "quota.sqlite", {
  timeout: 5_000,
});
database.exec(
  "create table if not exists quota (user text, key text, day text, primary key (user, key))",
);
const insert = database.prepare(`
  insert into quota select :user, :key, :day
  where (select count(*) from quota where user = :user and day = :day) < :most
  on conflict do nothing`);
const select = database.prepare(
  "select 1 from quota where user = :user and key = :key",
);

/**
 * Counts a generation of a user, and returns whether it is within the quota of the
 * day.
 */
export function isWithinQuota(user: string, key: string, most = 20): boolean {
  insert.run({ user, key, most, day: new Date().toISOString().slice(0, 10) });
  return select.get({ user, key }) !== undefined;
}
