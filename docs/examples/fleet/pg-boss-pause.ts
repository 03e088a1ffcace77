import { randomUUID } from "node:crypto";
import type { PgBoss } from "pg-boss";

/** The table of the pause: it has one row while there is one. */
export const pauseTable = `
  create table if not exists fleet_pause (
    one bool primary key default true check (one), until timestamptz not null, is_credits bool not null, holder text
  )`;
// A longer pause stays as it is. While one order at a time is tried, "until" is no pause, but the time its holder may be silent.
const pause = `
  insert into fleet_pause (until, is_credits) values (now() + $1 * interval '1 ms', $2)
  on conflict (one) do update set
    until = case when fleet_pause.holder is null then greatest(fleet_pause.until, excluded.until) else excluded.until end,
    is_credits = fleet_pause.is_credits or excluded.is_credits, holder = null`;
// After the pause, the first worker to claim the row tries one order at a time, and renews its claim each second. If it dies,
// another worker claims the row.
const claim = `
  update fleet_pause set until = now() + interval '10 s', holder = $1
  where is_credits and (holder = $1 or until <= now())`;
const read = "select until > now() as waits, is_credits, holder from fleet_pause";
const resume = "delete from fleet_pause where is_credits";

/** The number of orders that workers take: all they can, one at a time, or none. */
export type Mode = "all" | "one" | "none";

/** A pause of all workers, in the database: pg-boss itself cannot pause a queue. */
export function createPause(boss: PgBoss, setMode: (mode: Mode) => Promise<void>) {
  const worker = randomUUID();
  const sql = (text: string, values: unknown[] = []) => boss.getDb().executeSql(text, values);
  let mode: Mode = "all";
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    await sql(claim, [worker]);
    const [row] = (await sql(read)).rows as readonly { readonly waits: boolean; readonly holder: string | null }[];
    const next = !row?.waits ? "all" : row.holder === worker ? "one" : "none";
    if (next === mode || !timer) return;
    await setMode(next);
    mode = next;
  }
  // One after the other. One that fails is tried again in a second.
  const lookInTurn = () => (last = last.then(look).catch(() => undefined));
  const again = () => {
    timer = setTimeout(() => void lookInTurn().then(() => timer && again()), 1_000);
  };
  again();
  async function begin(ms: number, isCredits: boolean): Promise<void> {
    await sql(pause, [ms, isCredits]);
    await lookInTurn(); // This worker stops at once, the others within a second.
  }

  return {
    /** Takes no orders on any worker for a time. */
    throttle: (ms: number) => begin(ms, false),
    /** Takes no orders on any worker for a time, then one at a time until one is accepted. */
    creditsOut: (ms: number) => begin(ms, true),
    /** Ends the pause for credits, on all workers, once an order was accepted. */
    async accepted(): Promise<void> {
      if (mode === "one") await sql(resume);
    },
    stop(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** Returns whether the credits are out. */
export async function isPaused(boss: PgBoss): Promise<boolean> {
  const { rows } = await boss.getDb().executeSql("select 1 from fleet_pause where is_credits");
  return rows.length > 0;
}
