import { readFile } from "node:fs/promises";
import pg from "pg";
import {
  createMediaGen,
  type Form,
  type Model,
  type OnEvent,
  type TaskJSON,
  validate,
} from "@mediagen/sdk/node";
import { postgresStore, postgresTable } from "@mediagen/stores/postgres";
import { logFailure, Rejection, within } from "./log.ts";
import type { Settings } from "./settings.ts";

/** A generation that you want, under your own id. It is plain JSON. */
export type Order = { readonly id: string } & {
  [M in Model]: { readonly model: M; readonly form: Form<M> };
}[Model];
export type OrderState = "waiting" | "pending" | "done" | "failed" | "unknown";
/** What is known of an order. */
type Known = Readonly<{
  reason: string | null;
  task: TaskJSON | null;
  results: readonly string[] | null;
}>;
type OrderRow = Order &
  Known & { readonly state: OrderState; readonly checked_at: Date | null };
/** An order is generated once, and its task is checked until it has ended. */
export type Step = "generate" | "check";
/**
 * Runs a step of an order. Resolves to the delay of the next check, if there is
 * one. A step that throws runs again.
 */
export type RunStep = (id: string) => Promise<number | undefined>;
/**
 * A queue of steps. It may run a step twice, or forget it: the stored orders decide
 * what a step does.
 */
export interface Queue {
  /** Adds a step for each order. A step that the queue has already is ignored. */
  add(step: Step, ids: readonly string[]): Promise<void>;
  work(step: Step, run: RunStep): Promise<void>;
  /** Rejects, or waits, while a server of its own does not respond. */
  ping?(): Promise<unknown>;
  /**
   * Takes no more steps, waits for those that run, and closes the connections of
   * the queue.
   */
  close(): Promise<void>;
}
export type OpenQueue = (settings: Settings, pool: pg.Pool) => Promise<Queue>;
export type Fleet = Awaited<ReturnType<typeof openFleet>>;
type Row = {
  readonly id: string;
  readonly state: string;
  readonly added: boolean;
  readonly differs: boolean;
};
const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id);
/**
 * Connects to PostgreSQL, and to Redis if there is a REDIS_URL. Your app does the
 * same, and calls `submit`.
 */
export async function openFleet(settings: Settings, onEvent?: OnEvent) {
  const { databaseUrl, redisUrl, prefix, allowVolatile } = settings;
  // All tables, also those of the store and of pg-boss, are in the schema PREFIX.
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    options: `-c search_path=${prefix}`,
    max: 12,
  });
  pool.on("error", (error) => logFailure("database", error)); // It connects again.
  const store = postgresStore(pool);
  // The queue repeats what can be repeated. Pass `statuses` here once you have seen
  // which status means failure.
  const { baseUrl, apiKey, allowHttp, generateTimeoutMs, queryTimeoutMs } =
    settings;
  const client = {
    baseUrl,
    apiKey,
    allowHttp,
    generateTimeoutMs,
    queryTimeoutMs,
    onEvent,
  };
  const media = createMediaGen({ ...client, store, retries: 0 });
  // The cast: the columns of the statement.
  const query = async <R>(sql: string, ...values: unknown[]) =>
    (await pool.query(sql, values)).rows as readonly R[];
  const lossy = `select string_agg(name, ', ') as off from pg_settings
    where setting = 'off' and name in ('fsync', 'full_page_writes', 'synchronous_commit')`;
  const server = `The PostgreSQL at ${new URL(databaseUrl).host}`;
  const [{ off } = {}] = await within(
    10_000,
    query<{ readonly off?: string }>(lossy),
    server,
  );
  if (off && !allowVolatile)
    throw new Rejection(
      `${server} may lose entries: ${off} is off. Turn it on, or set ALLOW_VOLATILE_STORE=true.`,
    );
  // Programs that start at once must not make the tables at once.
  const begin = `select pg_advisory_xact_lock(4020); create schema if not exists ${prefix}`;
  const schema = await readFile(new URL("schema.sql", import.meta.url), "utf8");
  await pool.query([begin, postgresTable, schema].join(";"));
  // The id of an entry contains the origin: at another one, each order would be
  // sent and billed again.
  const elsewhere = `select entry::json->>'origin' as origin from mediagen_generation_v1
    where state in ('claimed', 'sending', 'created', 'unknown') and entry::json->>'origin' <> $1 limit 1`;
  const [other] = await query<{ readonly origin: string }>(elsewhere, media.origin);
  if (other)
    throw new Rejection(
      `MEDIAGEN_BASE_URL: the store has orders of ${other.origin} that have not ended.`,
    );
  const { openQueue } = redisUrl
    ? await import("./bullmq.ts")
    : await import("./pg-boss.ts");
  const queue = await openQueue(settings, pool);
  const read = async (where: string, value: string) =>
    (
      await query<Record<string, string>>(
        `select * from orders where ${where} order by id`,
        value,
      )
    ).map(
      // The cast: what was written.
      ({ body = "", task, ...row }) =>
        ({
          ...row,
          ...JSON.parse(body),
          task: task && JSON.parse(task),
        }) as OrderRow,
    );
  /** Changes orders, and adds their steps. */
  const queryAndAdd = async (sql: string, ...values: unknown[]) => {
    const rows = await query<Row>(sql, ...values);
    await queue.add(
      "generate",
      idsOf(rows.filter(({ state }) => state === "waiting")),
    );
    await queue.add(
      "check",
      idsOf(rows.filter(({ state }) => state === "pending")),
    );
    return rows;
  };
  /**
   * Deletes in batches, so that no statement holds many locks. Looks twice, because
   * an order may be retried in between.
   */
  async function remove(
    table: string,
    isOld: string,
    before: Date,
  ): Promise<number> {
    const some = `ctid = any(array(select ctid from ${table} where ${isOld} limit 10000))`;
    let count = 0;
    for (let last = 1; last > 0; count += last)
      last =
        (
          await pool.query(`delete from ${table} where ${some} and ${isOld}`, [
            before,
          ])
        ).rowCount ?? 0;
    return count;
  }
  return {
    query,
    queue,
    store,
    media,
    get: async (id: string) => (await read("id = $1", id))[0],
    list: (state = "") => read("state = $1", state),
    /**
     * Adds orders, if the ids and the forms of all of them are valid. An id that
     * was added before keeps its form.
     */
    async submit(
      orders: readonly Order[],
    ): Promise<{ readonly added: number; readonly differing: readonly string[] }> {
      const bodies = readOrders(orders);
      const adding = queryAndAdd(
        statements.add,
        [...bodies.keys()],
        [...bodies.values()],
      );
      const rows = await adding.catch((cause: unknown) => {
        throw new Error(
          `${String(cause)}. Submit the same orders again: none is added twice.`,
          { cause },
        );
      });
      const differing = idsOf(rows.filter(({ differs }) => differs));
      return { added: rows.filter(({ added }) => added).length, differing };
    },
    /** Changes the state of an order, if it is in one of the states in `from`. */
    async move(
      id: string,
      from: readonly OrderState[],
      to: OrderState,
      { reason, task, results }: Partial<Known>,
    ) {
      await query(
        statements.move,
        id,
        from,
        to,
        reason,
        task && JSON.stringify(task),
        results,
      );
    },
    /**
     * Runs orders again: those that are given or, for null, all. One that has a
     * task is checked, and not billed again.
     */
    retry: async (
      state: "failed" | "unknown",
      ids: readonly string[] | null,
      why = "",
    ) => idsOf(await queryAndAdd(statements.retry, state, ids, why)),
    /**
     * Adds the steps that the queue may have forgotten. Workers get different ones.
     */
    repair: (ageMs: number) => queryAndAdd(statements.takeStale, ageMs),
    /** Deletes what your app no longer needs. */
    forget: async (before: Date) => ({
      // The entries first: while its row is there, an order is not generated again.
      entries: await store.forget({ keyed: true, before: before.getTime() }),
      orders: await remove(
        "orders",
        "state in ('done', 'failed') and touched_at < $1",
        before,
      ),
      outbox: await remove("outbox", "at < $1", before),
    }),
    async close(): Promise<void> {
      await queue.close();
      await pool.end();
    },
  };
}
const statements = {
  // Calls that add the same orders at once do so in the same order, so that none
  // waits for the other forever.
  add: `with given as (select * from unnest($1::text[], $2::text[]) as given (id, body)),
      added as (insert into orders (id, body) select * from given order by id on conflict do nothing returning id)
    select id, coalesce(state, 'waiting') as state, id in (select id from added) as added, known.body <> given.body as differs
    from given left join orders known using (id)`,
  // An order that ends gets its row in the outbox in the same statement. Only
  // checks move a pending one.
  move: `with moved as (
      update orders set state = $3, reason = $4, task = coalesce($5, task), results = coalesce($6, results),
        checked_at = case state when 'pending' then now() else checked_at end,
        touched_at = case state when $3 then touched_at else now() end
      where id = $1 and state = any($2) returning id, state
    ), told as (
      insert into outbox (id, state) select * from moved where state in ('done', 'failed', 'unknown') returning id
    )
    select pg_notify(current_schema() || '_outbox', id) from told`,
  retry: `update orders set state = case when task is null then 'waiting' else 'pending' end, reason = null, touched_at = now()
    where state = $1 and ($2::text[] is null or id = any($2)) and strpos(coalesce(reason, ''), $3) > 0
    returning id, state`,
  takeStale: `update orders set touched_at = now() where id in (
      select id from orders where state in ('waiting', 'pending') and touched_at < now() - $1 * interval '1 ms'
      order by touched_at limit 1000 for update skip locked
    ) returning id, state`,
};
// It names a directory, and a job. BullMQ has no jobs whose names are integers.
const isId = /^(?!-?\d+$)[\w-][\w.-]{0,99}$/;
/**
 * Returns the bodies of orders by their ids. Throws all ids and fields that are not
 * valid.
 */
function readOrders(orders: unknown): ReadonlyMap<string, string> {
  if (!Array.isArray(orders))
    throw new Rejection("Orders are a JSON array. No order was added.");
  const bodies = new Map<string, string>();
  const mistakes = orders.flatMap((order: unknown) => {
    // The cast: it is checked here.
    const { id, model, form } = Object(order) as Order;
    const body = JSON.stringify({ model, form });
    const issues = validate(model, form).map(({ message }) => `${message}.`);
    if (typeof id !== "string" || !isId.test(id))
      issues.unshift(
        'an id is 1 to 100 letters, digits, "-", "_" or ".", and no number.',
      );
    else if ((bodies.get(id) ?? body) !== body)
      issues.unshift("two different orders have this id.");
    bodies.set(id, body);
    return issues.map((issue) => `${id}: ${issue}`);
  });
  if (mistakes.length > 0)
    throw new Rejection([...mistakes, "No order was added."].join(" "));
  return bodies;
}
