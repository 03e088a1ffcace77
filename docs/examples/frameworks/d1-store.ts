import type { GenerationEntry, GenerationStore } from "@mediagen/sdk";

/** The part of Cloudflare's `D1Database` that the store uses. */
export interface Database {
  prepare(sql: string): Statement;
}

/** The part of a `D1PreparedStatement` that the store uses. */
export interface Statement {
  bind(...values: (string | number)[]): Statement;
  run(): Promise<{ readonly meta: { readonly changes: number } }>;
  first<Row>(): Promise<Row | null>;
  all<Row>(): Promise<{ readonly results: readonly Row[] }>;
}

/** The migration that creates the table. */
export const migration = `
create table generation (
  account text not null, id text not null, revision int not null, attempt text not null, state text not null, keyed int not null,
  updated_at real not null, entry text not null, primary key (account, id)
)`;
const insert =
  "insert into generation values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) on conflict do nothing";
const update = `
  update generation set revision = ?3, attempt = ?4, state = ?5, keyed = ?6, updated_at = ?7, entry = ?8
  where account = ?1 and id = ?2 and revision = ?3 - 1 and attempt = ?9`;
const remove = `
  delete from generation where account = ?1 and state in ('ended', 'notCreated') and keyed <= ?2 and updated_at < ?3`;
const page = `
  select id, entry from generation
  where account = ?1 and state in (select value from json_each(?2)) and id > ?3 order by id limit 500`;

/**
 * A store in Cloudflare D1, for the Workers of one database. Each account of the
 * service has its own entries.
 */
export function d1Store(database: Database, account: string): GenerationStore {
  // The cast: the column holds what was written.
  const parse = (text: string) => JSON.parse(text) as GenerationEntry;
  const select = "select entry from generation where account = ?1 and id = ?2";
  async function get(id: string): Promise<GenerationEntry | undefined> {
    const row = await database
      .prepare(select)
      .bind(account, id)
      .first<{ entry: string }>();
    return row ? parse(row.entry) : undefined;
  }

  return {
    async write(entry) {
      const { id, revision, attempt, follows, state, idempotencyKey, updatedAt } =
        entry;
      const keyed = idempotencyKey === undefined ? 0 : 1;
      const values = [
        account,
        id,
        revision,
        attempt,
        state,
        keyed,
        updatedAt,
        JSON.stringify(entry),
      ];
      const statement = follows
        ? database.prepare(update).bind(...values, follows)
        : database.prepare(insert).bind(...values);
      const { meta } = await statement.run();
      return meta.changes === 1
        ? { written: true }
        : { written: false, current: await get(id) };
    },
    get,
    async *list({ states }) {
      for (let last: string | undefined = ""; last !== undefined;) {
        const statement = database
          .prepare(page)
          .bind(account, JSON.stringify(states), last);
        const { results } = await statement.all<{ id: string; entry: string }>();
        for (const { id, entry } of results) {
          try {
            yield parse(entry);
          } catch (error) {
            yield { id, unreadable: String(error) };
          }
        }
        last = results.at(-1)?.id;
      }
    },
    async forget({ keyed = false, before = Number.MAX_VALUE } = {}) {
      const statement = database
        .prepare(remove)
        .bind(account, keyed ? 1 : 0, before);
      return (await statement.run()).meta.changes;
    },
  };
}
