import type { GenerationRecord, GenerationStore } from "@mediagen/sdk/node";
import type { Pool } from "pg";

/** The table. The record is text, because jsonb rejects some texts. Nothing may remove rows but `forget`. */
export const table = `
  create table if not exists generation (
    id text primary key, revision int not null, attempt text not null, state text not null, keyed boolean not null, updated_at float8 not null, record text not null
  );
  create index if not exists generation_state on generation (state)`;
const insert = "insert into generation values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing";
const update = `
  update generation set revision = $2, attempt = $3, state = $4, keyed = $5, updated_at = $6, record = $7
  where id = $1 and revision = $2 - 1 and attempt = $8`;
const remove =
  "delete from generation where state in ('ended', 'notCreated') and (not keyed or $1) and updated_at < $2";

/** A store in PostgreSQL. The pool connects to the primary, and `synchronous_commit` stays on, which is the default. */
export function postgresStore(pool: Pool): GenerationStore {
  // The cast: the column holds what was written.
  const parse = (text: string) => JSON.parse(text) as GenerationRecord;
  async function get(id: string): Promise<GenerationRecord | undefined> {
    const { rows } = await pool.query<{ record: string }>("select record from generation where id = $1", [id]);
    return rows[0] && parse(rows[0].record);
  }

  return {
    async write(record) {
      const { id, revision, attempt, follows, state, idempotencyKey, updatedAt } = record;
      const keyed = idempotencyKey !== undefined;
      const values = [id, revision, attempt, state, keyed, updatedAt, JSON.stringify(record)];
      const { rowCount } = await (follows ? pool.query(update, [...values, follows]) : pool.query(insert, values));
      return rowCount === 1 ? { written: true } : { written: false, current: await get(id) };
    },
    get,
    async *list({ states }) {
      const query = "select id, record from generation where state = any($1)";
      for (const { id, record } of (await pool.query<{ id: string; record: string }>(query, [states])).rows) {
        try {
          yield parse(record);
        } catch (error) {
          yield { id, unreadable: String(error) };
        }
      }
    },
    async forget({ keyed = false, before = Infinity } = {}) {
      return (await pool.query(remove, [keyed, before])).rowCount ?? 0;
    },
  };
}
