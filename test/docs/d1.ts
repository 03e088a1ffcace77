import { DatabaseSync } from "node:sqlite";
import type { Database, Statement } from "../../docs/examples/frameworks/d1-store.ts";

/** A database in memory with the methods of D1: D1 is SQLite behind them. */
export function createD1(...migrations: readonly string[]): Database {
  const database = new DatabaseSync(":memory:");
  for (const migration of migrations) database.exec(migration);
  return { prepare: (sql) => statementOf(database, sql, []) };
}

function statementOf(
  database: DatabaseSync,
  sql: string,
  values: readonly (string | number)[],
): Statement {
  const prepare = () => database.prepare(sql);
  return {
    bind: (...given) => statementOf(database, sql, given),
    run: async () => ({ meta: { changes: Number(prepare().run(...values).changes) } }),
    // The casts: the caller names the columns that it selects.
    first: async <Row>() => (prepare().get(...values) ?? null) as Row | null,
    all: async <Row>() => ({ results: prepare().all(...values) as Row[] }),
  };
}
