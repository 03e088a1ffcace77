import type { GenerationEntry, GenerationStore } from "@mediagen/sdk";

/** The part of a `DatabaseSync` of `node:sqlite` that the store uses. */
export interface SqliteDatabase {
  /**
   * Runs statements without results.
   *
   * @param sql The statements.
   */
  exec(sql: string): unknown;
  /**
   * Prepares one statement.
   *
   * @param sql The statement.
   */
  prepare(sql: string): SqliteStatement;
  /** Whether a transaction is open, in `node:sqlite` of Node 22.16 or later. */
  readonly isTransaction?: boolean | undefined;
  /** The same in `better-sqlite3`. */
  readonly inTransaction?: boolean | undefined;
}

/** The part of a prepared statement that the store uses. */
export interface SqliteStatement {
  /**
   * Returns the first row.
   *
   * @param values The values of its placeholders.
   */
  get(...values: (string | number)[]): unknown;
  /**
   * Returns all rows.
   *
   * @param values The values of its placeholders.
   */
  all(...values: (string | number)[]): readonly unknown[];
  /**
   * Runs the statement, and counts the rows that it has changed.
   *
   * @param values The values of its placeholders.
   */
  run(...values: (string | number)[]): { readonly changes: number | bigint };
}

// Full: each commit is on the disk before it returns.
const setUp = `
  pragma busy_timeout = 5000;
  pragma synchronous = full;
  create table if not exists mediagen_generation_v1 (
    id text primary key, revision int not null, attempt text not null, state text not null, keyed int not null,
    updated_at real not null, entry text not null
  );
  create index if not exists mediagen_generation_v1_state on mediagen_generation_v1 (state)`;
const insert = `
  insert into mediagen_generation_v1 (revision, attempt, state, keyed, updated_at, entry, id) values (?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing`;
const update = `
  update mediagen_generation_v1 set revision = ?, attempt = ?, state = ?, keyed = ?, updated_at = ?, entry = ?
  where id = ? and revision = ? and attempt = ?`;
const select = "select id, entry from mediagen_generation_v1 where id = ?";
const list = `
  select id, entry from mediagen_generation_v1
  where state in (select value from json_each(?)) and (keyed <= ? or state <> 'ended')`;
const remove = `
  delete from mediagen_generation_v1 where state in ('ended', 'notCreated') and keyed <= ? and updated_at < ?`;

/**
 * Creates a store in a SQLite file, for the processes of one machine. It creates its table, whose
 * name contains the version of its columns, and sets `busy_timeout` and `synchronous = full` on the
 * connection. Nothing else may delete its rows. Inside a transaction `write` rejects, because a
 * rollback would forget a payment.
 *
 * @param database An open connection, such as a `DatabaseSync` of `node:sqlite` (Node 22.13 or
 * later).
 * @returns The store, for the option `store`.
 * @example
 * const database = new DatabaseSync("generations.sqlite");
 * const media = createMediaGen({ store: sqliteStore(database) });
 */
export function sqliteStore(database: SqliteDatabase): GenerationStore {
  database.exec(setUp);
  // The casts: the columns hold what was written.
  const parse = (row: unknown) =>
    JSON.parse((row as { readonly entry: string }).entry) as GenerationEntry;
  async function get(id: string): Promise<GenerationEntry | undefined> {
    const row = database.prepare(select).get(id);
    return row ? parse(row) : undefined;
  }

  return {
    async write(entry) {
      if (database.isTransaction || database.inTransaction) {
        throw new Error(
          "The connection of the store is inside a transaction, whose rollback would forget a payment. Give the store its own connection.",
        );
      }
      const { id, revision, attempt, follows, state, idempotencyKey, updatedAt } = entry;
      const keyed = idempotencyKey === undefined ? 0 : 1;
      const values = [revision, attempt, state, keyed, updatedAt, JSON.stringify(entry), id];
      const { changes } = follows
        ? database.prepare(update).run(...values, revision - 1, follows)
        : database.prepare(insert).run(...values);
      return Number(changes) === 1 ? { written: true } : { written: false, current: await get(id) };
    },
    get,
    async *list({ states, keyed = true }) {
      for (const row of database.prepare(list).all(JSON.stringify(states), keyed ? 1 : 0)) {
        try {
          yield parse(row);
        } catch (error) {
          yield { id: (row as { readonly id: string }).id, unreadable: String(error) };
        }
      }
    },
    async forget({ keyed = false, before = Infinity } = {}) {
      return Number(database.prepare(remove).run(keyed ? 1 : 0, before).changes);
    },
  };
}
