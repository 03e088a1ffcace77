import { DatabaseSync } from "node:sqlite"; // Node 22.13 or later
import type { GenerationRecord, GenerationStore } from "@mediagen/sdk/node";

const table = `
  create table if not exists generation (
    id text primary key, revision int not null, attempt text not null, state text not null, keyed int not null, updated_at real not null, record text not null
  );
  create index if not exists generation_state on generation (state)`;
const insert =
  "insert into generation values ($id, $revision, $attempt, $state, $keyed, $updatedAt, $record) on conflict do nothing";
const update = `
  update generation set revision = $revision, attempt = $attempt, state = $state, keyed = $keyed, updated_at = $updatedAt, record = $record
  where id = $id and revision = $revision - 1 and attempt = $follows`;
const remove = "delete from generation where state in ('ended', 'notCreated') and keyed <= ? and updated_at < ?";
const list = "select id, record from generation where state in (select value from json_each(?))";

/** A store in a SQLite file, for the processes of one machine. */
export function sqliteStore(path: string): GenerationStore {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  // Full: each commit is on the disk before it returns.
  database.exec(`pragma synchronous = full; ${table}`);
  // The cast: the column holds what was written.
  const parse = (text: unknown) => JSON.parse(String(text)) as GenerationRecord;
  const select = database.prepare("select record from generation where id = ?");
  async function get(id: string): Promise<GenerationRecord | undefined> {
    const row = select.get(id);
    return row && parse(row["record"]);
  }

  return {
    async write(record) {
      const { id, revision, attempt, follows, state, idempotencyKey, updatedAt } = record;
      const keyed = idempotencyKey === undefined ? 0 : 1;
      const values = { id, revision, attempt, state, keyed, updatedAt, record: JSON.stringify(record) };
      const { changes } = follows
        ? database.prepare(update).run({ ...values, follows })
        : database.prepare(insert).run(values);
      return changes === 1 ? { written: true } : { written: false, current: await get(id) };
    },
    get,
    async *list({ states }) {
      for (const { id, record } of database.prepare(list).all(JSON.stringify(states))) {
        try {
          yield parse(record);
        } catch (error) {
          yield { id: String(id), unreadable: String(error) };
        }
      }
    },
    async forget({ keyed = false, before = Infinity } = {}) {
      return Number(database.prepare(remove).run(keyed ? 1 : 0, before).changes);
    },
  };
}
