import { readFile } from "node:fs/promises";
import pg from "pg";
import { createMediaGen, type Form, type MediaGen, type Model, type OnEvent } from "@mediagen/sdk/node";
import { type GenerationStore, type TaskJSON, validate } from "@mediagen/sdk/node";
import { postgresStore, postgresTable } from "@mediagen/stores/postgres";
import { logFailure, Rejection, within } from "./log.ts";
import type { Settings } from "./settings.ts";

/** A generation that you want, under your own id. It is plain JSON. */
export type Order = { readonly id: string } & { [M in Model]: { readonly model: M; readonly form: Form<M> } }[Model];
export type OrderState = "waiting" | "pending" | "done" | "failed" | "unknown";
export type OrderRow = Order & { readonly state: OrderState; readonly reason: string | null; readonly task?: TaskJSON };
/** An order is generated once, and its task is checked until it has ended. */
export type Step = "generate" | "check";
/** Runs a step of an order. Resolves to the delay of the next check, if there is one. A step that throws runs again. */
export type RunStep = (id: string) => Promise<number | undefined>;
/** A queue of steps. It may run a step twice, or forget it: the stored orders decide what a step does. */
export interface Queue {
  /** Adds a step for each order. A step that the queue has already is ignored. */
  add(step: Step, ids: readonly string[]): Promise<void>;
  work(step: Step, run: RunStep): Promise<void>;
  /** Returns the jobs of an order, such as "check active". */
  jobsOf(id: string): Promise<readonly string[]>;
  /** Takes no more steps, waits for those that run, and closes the connections of the queue. */
  close(): Promise<void>;
}
export type OpenQueue = (settings: Settings, pool: pg.Pool) => Promise<Queue>;
export type Fleet = Awaited<ReturnType<typeof openFleet>>;
type Row = { readonly id: string; readonly state: string | null; readonly differs: boolean };
const idsOf = (rows: readonly Row[]) => rows.map(({ id }) => id);
/** Connects to PostgreSQL, and to Redis if there is a REDIS_URL. Your app does the same, and calls `submit`. */
export async function openFleet(settings: Settings) {
  const { baseUrl, databaseUrl, redisUrl, prefix, allowVolatile } = settings;
  // All tables, also the ledger and those of pg-boss, are in the schema PREFIX.
  const pool = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${prefix}`, max: 12 });
  pool.on("error", (error) => logFailure("database", error)); // It connects again.
  // The cast: the columns of the statement.
  const query = async <R>(sql: string, ...values: unknown[]) => (await pool.query(sql, values)).rows as readonly R[];
  const lossy = `select string_agg(name, ', ') as off from pg_settings
    where setting = 'off' and name in ('fsync', 'full_page_writes', 'synchronous_commit')`;
  const server = `The PostgreSQL at ${new URL(databaseUrl).host}`;
  const [found] = await within(10_000, query<{ readonly off: string | null }>(lossy), server);
  if (found?.off && !allowVolatile)
    throw new Rejection(
      `${server} may lose entries: ${found.off} is off. Turn it on, or set ALLOW_VOLATILE_STORE=true.`,
    );
  // Programs that start at once must not make the tables at once.
  const begin = `select pg_advisory_xact_lock(4020); create schema if not exists ${prefix}`;
  const schema = await readFile(new URL("schema.sql", import.meta.url), "utf8");
  await pool.query([begin, postgresTable, schema].join(";"));
  // The id of an entry contains the origin: at another one, each order would be sent and billed again.
  const [other] = await query<{ readonly origin: string }>("select * from other_origin($1)", new URL(baseUrl).origin);
  if (other) throw new Rejection(`MEDIAGEN_BASE_URL: the ledger has orders of ${other.origin} that have not ended.`);
  const { openQueue } = redisUrl ? await import("./bullmq.ts") : await import("./pg-boss.ts");
  const queue = await openQueue(settings, pool);
  const read = async (where: string, value: string) =>
    (await query<Record<string, string>>(`select * from orders where ${where} order by id`, value)).map(
      // The cast: what was written.
      ({ body = "", task, ...row }) => ({ ...row, ...JSON.parse(body), task: task && JSON.parse(task) }) as OrderRow,
    );
  /** Adds the steps of orders. One that is new waits. */
  const addSteps = async (rows: readonly Row[]) => {
    await queue.add("generate", idsOf(rows.filter(({ state }) => (state ?? "waiting") === "waiting")));
    await queue.add("check", idsOf(rows.filter(({ state }) => state === "pending")));
    return rows;
  };
  return {
    query,
    queue,
    store: postgresStore(pool),
    get: async (id: string) => (await read("id = $1", id))[0],
    list: (state: OrderState) => read("state = $1", state),
    /** Adds orders, if the ids and the forms of all of them are valid. An id that was added before keeps its form. */
    async submit(orders: readonly Order[]): Promise<{ readonly added: number; readonly differing: readonly string[] }> {
      const mistakes = findMistakes(orders);
      if (mistakes.length > 0) throw new Rejection([...mistakes, "No order was added."].join(" "));
      const bodies = Object.fromEntries(orders.map(({ id, model, form }) => [id, JSON.stringify({ model, form })]));
      const sql = "select * from add_orders($1, $2)";
      const rows = await addSteps(await query<Row>(sql, Object.keys(bodies), Object.values(bodies)));
      const added = rows.filter(({ state }) => state === null).length;
      return { added, differing: idsOf(rows.filter(({ differs }) => differs)) };
    },
    /** Changes the state of an order. Returns false if it is in none of the states in `from`. */
    async move(id: string, from: readonly OrderState[], to: OrderState, reason?: string, task?: TaskJSON) {
      const values = [id, from, to, reason, task && JSON.stringify(task)];
      return (await query<{ readonly ok: boolean }>("select move_order($1, $2, $3, $4, $5) as ok", ...values))[0]?.ok;
    },
    /** Runs failed orders again. One that has a task is not billed again. */
    retry: async (ids: readonly string[] | null, reason: string) =>
      idsOf(await addSteps(await query<Row>("select * from retry_orders($1, $2)", ids, reason))),
    /** Adds the steps that the queue may have forgotten. */
    repair: async (ageMs: number) => addSteps(await query<Row>("select * from take_stale_orders($1)", ageMs)),
    async close(): Promise<void> {
      await queue.close();
      await pool.end();
    },
  };
}
// It names a directory, and a job. BullMQ has no jobs whose names are integers.
const isId = /^(?!-?\d+$)[\w-][\w.-]{0,99}$/;
/** Names the ids and the fields that are not valid. */
function findMistakes(orders: readonly Order[]): readonly string[] {
  if (!Array.isArray(orders)) return ["Orders are a JSON array."];
  const bodies = new Map<unknown, string>();
  return orders.flatMap((order: unknown) => {
    const { id, model, form } = Object(order) as Order; // The cast: it is checked here.
    const [body, mistakes] = [JSON.stringify([model, form]), validate(model, form).map(({ message }) => `${message}.`)];
    if (typeof id !== "string" || !isId.test(id))
      mistakes.unshift('an id is 1 to 100 letters, digits, "-", "_" or ".", and no number.');
    else if ((bodies.get(id) ?? body) !== body) mistakes.unshift("two different orders have this id.");
    bodies.set(id, body);
    return mistakes.map((mistake) => `${id}: ${mistake}`);
  });
}
/** Creates the client. Pass `statuses` here once you have seen which status means failure. */
export function createClient(settings: Settings, store: GenerationStore, onEvent?: OnEvent): MediaGen {
  const { baseUrl, apiKey, generateTimeoutMs, queryTimeoutMs, allowHttp } = settings;
  // The queue repeats what can be repeated, so that no worker sleeps.
  return createMediaGen({ baseUrl, apiKey, store, retries: 0, generateTimeoutMs, queryTimeoutMs, allowHttp, onEvent });
}
