import {
  createMediaGen,
  download,
  fileJournal,
  OutcomeUnknownError,
  ServiceError,
  type Form,
  type TaskJSON,
} from "@mediagen/sdk/node";

// #region job
/** What a queue carries: plain JSON. */
type Job =
  | { readonly do: "generate"; readonly order: string; readonly form: Form<"vidmodelv2"> }
  | { readonly do: "check"; readonly order: string; readonly task: TaskJSON; readonly checks: number };

const media = createMediaGen({
  journal: fileJournal("journal.jsonl"), // in a table, where the workers are on several machines
  statuses: { failed: [3] }, // what you have seen at the service; 3 is the emulator's
});

/** Does one step of a job, and answers the next one with its delay. It never sleeps, so it holds no worker. */
async function step(job: Job): Promise<{ readonly next: Job; readonly inMs: number } | undefined> {
  if (job.do === "generate") {
    const { order, form } = job;
    const task = await media.video.generate("vidmodelv2", form, { once: order });
    return { next: { do: "check", order, task: task.toJSON(), checks: 0 }, inMs: 1_000 };
  }
  const { order, checks } = job;
  const task = media.task(job.task);
  const { state } = await task.check();
  if (state === "failed") throw new Error(`${order}: task ${task.taskid} failed`);
  if (state === "pending") {
    const next = { ...job, task: task.toJSON(), checks: checks + 1 };
    return { next, inMs: Math.min(1_000 * 1.5 ** checks, 30_000) };
  }
  await download(task, `out/${order}`, { overwrite: true });
  console.log(`${order} is done`);
  return undefined;
}
// #endregion job

// #region again
/** Whether your engine may run a step again after an error. With a journal and a key no step is paid twice. */
function mayRunAgain(job: Job, error: unknown): boolean {
  if (error instanceof OutcomeUnknownError) return false; // a person looks at the service, and resolves it
  return job.do === "check" || !(error instanceof ServiceError); // it would be refused again
}
// #endregion again

// An engine in a few lines, so that this program runs; yours keeps its jobs and runs them on many machines.
async function run(job: Job): Promise<void> {
  try {
    const more = await step(job);
    if (more) setTimeout(() => void run(more.next), more.inMs);
  } catch (error) {
    const name = error instanceof Error ? error.name : error;
    console.log(`${job.order}: ${name}, again: ${mayRunAgain(job, error)}`);
  }
}

await run({ do: "generate", order: "order-1", form: { prompt: "A fox runs through snow" } });
await run({ do: "generate", order: "order-2", form: { prompt: "A lighthouse at dusk" } });
