import type { GenerationEntry, GenerationStore } from "@mediagen/sdk";

/** The part of a `Pool` of the package `pg` that the store uses. */
export interface PostgresPool {
  /**
   * Runs one statement.
   *
   * @param sql The statement.
   * @param values The values of its placeholders.
   */
  query(
    sql: string,
    values?: unknown[],
  ): Promise<{ readonly rows: readonly unknown[]; readonly rowCount: number | null }>;
}

/**
 * The SQL that creates the table, if it does not exist. Run it once, before the first process
 * starts. The name of the table contains the version of its columns. Nothing else may delete its
 * rows.
 */
export const postgresTable: string = `
  create table if not exists mediagen_generation_v1 (
    id text primary key, revision int not null, attempt text not null, state text not null, keyed boolean not null,
    updated_at float8 not null, entry text not null
  );
  create index if not exists mediagen_generation_v1_state on mediagen_generation_v1 (state)`;

// The entry is text, because jsonb rejects some texts.
const insert =
  "insert into mediagen_generation_v1 values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing";
const update = `
  update mediagen_generation_v1 set revision = $2, attempt = $3, state = $4, keyed = $5, updated_at = $6, entry = $7
  where id = $1 and revision = $2 - 1 and attempt = $8`;
const select = "select entry from mediagen_generation_v1 where id = $1";
const list =
  "select id, entry from mediagen_generation_v1 where state = any($1) and (not keyed or $2 or state <> 'ended')";
// In batches, so that no statement holds many locks. Twice, because a row may be written in
// between. NaN is the largest number here.
const old =
  "state in ('ended', 'notCreated') and (not keyed or $1) and updated_at < nullif($2::float8, 'NaN')";
const remove = `
  delete from mediagen_generation_v1
  where ctid = any(array(select ctid from mediagen_generation_v1 where ${old} limit 10000)) and ${old}`;

interface Row {
  readonly id: string;
  readonly entry: string;
}

/**
 * Creates a store in PostgreSQL, for processes on any number of machines.
 *
 * @param pool Connects to the primary, with `synchronous_commit` on, which is the default. A client
 * of a pool is rejected, because it may be inside a transaction, whose rollback would forget a
 * payment.
 * @returns The store, for the option `store`.
 * @throws TypeError if it is a client
 * @example
 * const pool = new Pool();
 * await pool.query(postgresTable);
 * const media = createMediaGen({ store: postgresStore(pool) });
 */
export function postgresStore(pool: PostgresPool): GenerationStore {
  if ("release" in pool) {
    throw new TypeError(
      "postgresStore takes a Pool, not a client of it: a client may be inside a transaction, whose rollback would forget a payment.",
    );
  }
  // The casts: the columns hold what was written.
  const parse = (text: string) => JSON.parse(text) as GenerationEntry;
  const read = async (sql: string, ...values: unknown[]) =>
    (await pool.query(sql, values)).rows as readonly Row[];
  async function get(id: string): Promise<GenerationEntry | undefined> {
    const [row] = await read(select, id);
    return row && parse(row.entry);
  }

  return {
    async write(entry) {
      const { id, revision, attempt, follows, state, idempotencyKey, updatedAt } = entry;
      const keyed = idempotencyKey !== undefined;
      const values = [id, revision, attempt, state, keyed, updatedAt, JSON.stringify(entry)];
      const { rowCount } = await (follows
        ? pool.query(update, [...values, follows])
        : pool.query(insert, values));
      return rowCount === 1 ? { written: true } : { written: false, current: await get(id) };
    },
    get,
    async *list({ states, keyed = true }) {
      for (const { id, entry } of await read(list, states, keyed)) {
        try {
          yield parse(entry);
        } catch (error) {
          yield { id, unreadable: String(error) };
        }
      }
    },
    async forget({ keyed = false, before = Infinity } = {}) {
      let forgotten = 0;
      for (let last = 1; last > 0; forgotten += last)
        last = (await pool.query(remove, [keyed, before])).rowCount ?? 0;
      return forgotten;
    },
  };
}
