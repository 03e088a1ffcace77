import { PgBoss, type Job, type JobResult } from "pg-boss";
import {
  checkStep,
  createMediaGen,
  download,
  generateStep,
  type Form,
  type GenerationMark,
  type MediaGen,
  type Model,
  type TaskJSON,
} from "@mediagen/sdk/node";

/** What is to be made, under an id of yours. It is plain JSON. */
export type Order = { readonly id: string } & { [M in Model]: { readonly model: M; readonly form: Form<M> } }[Model];
/** A task that is not finished, and whose it is. */
export type Pending = { readonly id: string; readonly task: TaskJSON };
/** An order of unknown outcome. */
export type Unknown = { readonly order: Order; readonly why: string };

/** How a fleet runs. */
export interface FleetOptions {
  /** How many generations this worker sends in a second, at most. */
  readonly perSecond?: number;
  /** How many loops a worker runs for each queue: as many slow answers hold up nothing. */
  readonly loops?: number;
}

// #region queues
/** Makes the queues and the table of marks, where they are not there. */
export async function prepare(boss: PgBoss, deadAfterSeconds = 30): Promise<void> {
  const safe = { retryLimit: 1_000_000, retryDelay: 1, retryBackoff: true, retryDelayMax: 60, heartbeatSeconds: deadAfterSeconds };
  await boss.createQueue("generate", { ...safe, deleteAfterSeconds: 3_600 });
  await boss.createQueue("check", { ...safe, deleteAfterSeconds: 3_600, policy: "short" });
  await boss.createQueue("unknown", { retentionSeconds: 365 * 86_400, policy: "short" });
  await boss.getDb().executeSql("create table if not exists mark (id text primary key, begins int not null default 1, task jsonb)");
}

/** Orders are jobs. One that is sent twice is generated once, by its mark. */
export async function submit(boss: PgBoss, orders: readonly Order[]): Promise<void> {
  await boss.insert("generate", orders.map((order) => ({ data: order })));
}
// #endregion queues

// #region mark
/** The mark of an order: one row, which one statement makes or reads. */
export function markOf(boss: PgBoss, id: string): GenerationMark {
  const query = (text: string, ...values: unknown[]) => boss.getDb().executeSql(text, [id, ...values]);
  return {
    async begin() {
      const again = "on conflict (id) do update set begins = mark.begins + 1 returning begins, task";
      const { rows } = await query(`insert into mark (id) values ($1) ${again}`);
      // The cast: these are the table's columns.
      const [{ begins, task }] = rows as [{ begins: number; task: TaskJSON | null }];
      return begins === 1 ? undefined : (task ?? "begun");
    },
    keep: async (task) => void (await query("update mark set task = $2 where id = $1", task)),
    clear: async () => void (await query("delete from mark where id = $1")),
  };
}
// #endregion mark

// #region settle
/** Settles an order of unknown outcome by the task that a person found at the service, or by there being none. */
export async function settle(boss: PgBoss, id: string, found: TaskJSON | "not created"): Promise<void> {
  const [job] = await boss.findJobs<Unknown>("unknown", { key: id, queued: true });
  const mark = markOf(boss, id);
  if (!job || (await mark.begin()) !== "begun") return; // Whoever sent it has settled it meanwhile.
  await (found === "not created" ? mark.clear() : mark.keep(found));
  await submit(boss, [job.data.order]);
  await boss.deleteJob("unknown", job.id);
}
// #endregion settle

/** Runs one worker of the fleet. What was made is in `folder`, one folder for each order. */
export async function work(boss: PgBoss, media: MediaGen, folder: string, { perSecond = 12, loops = 4 }: FleetOptions = {}): Promise<void> {
  const options = { perJobResults: true, localConcurrency: loops } as const;

  const checkLater = ({ id, task }: Pending, afterMs: number) =>
    boss.send("check", { id, task }, { singletonKey: id, startAfter: new Date(Date.now() + afterMs) });

  // #region generate
  // A loop looks once a second and takes a batch: that is the rate limit.
  await boss.work("generate", { ...options, pollingIntervalSeconds: 1, batchSize: Math.max(1, Math.round(perSecond / loops)) }, each(async (order: Order) => {
    const step = await generateStep(media, order.model, order.form, { mark: markOf(boss, order.id) });
    switch (step.outcome) {
      case "created":
        await checkLater({ id: order.id, task: step.task }, step.afterMs);
        return { status: "completed" };
      case "unknown":
        await boss.send("unknown", { order, why: step.why }, { singletonKey: order.id });
        return { status: "completed" };
      case "again":
      case "creditsOut":
        return { status: "failed", output: step }; // The queue hands it out again, later each time.
      case "refused":
        return { status: "deadletter", output: step }; // It stays among the failed jobs, with the reason.
    }
  }));
  // #endregion generate

  // #region check
  await boss.work("check", { ...options, pollingIntervalSeconds: 0.5, batchSize: 50, burstWhenBatchFull: true }, each(async ({ id, task: saved }: Pending) => {
    const task = media.task(saved);
    const step = await checkStep(task);
    if (step.state === "pending") await checkLater({ id, task: step.task }, step.afterMs);
    else if (step.state === "succeeded") await download(task, `${folder}/${id}`, { overwrite: true });
    else return { status: "deadletter", output: step };
    return { status: "completed" };
  }));
  // #endregion check
}

// #region each
/** Does a step for each job of a batch; one that throws is handed out again, and holds up no other. */
function each<T>(step: (data: T) => Promise<Omit<JobResult, "id">>): (jobs: Job<T>[]) => Promise<JobResult[]> {
  const one = ({ id, data }: Job<T>) => step(data).catch((error: unknown) => ({ status: "failed" as const, output: String(error) })).then((result) => ({ id, ...result }));
  return (jobs) => Promise.all(jobs.map(one));
}
// #endregion each

// `node pg-boss.ts submit < orders.json` adds orders, `node pg-boss.ts` runs a worker until it is stopped.
if (import.meta.main) {
  const boss = new PgBoss({ connectionString: process.env["DATABASE_URL"] ?? "postgres://127.0.0.1/media", monitorIntervalSeconds: 10, superviseIntervalSeconds: 10 });
  boss.on("error", console.error);
  await boss.start();
  await prepare(boss);
  if (process.argv[2] === "submit") {
    await submit(boss, JSON.parse(await new Response(process.stdin as never).text()) as Order[]);
    await boss.stop();
  } else {
    await work(boss, createMediaGen({ retries: 0 }), "out");
    process.once("SIGTERM", () => void boss.stop());
  }
}
