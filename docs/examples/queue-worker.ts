import {
  createMediaGen,
  download,
  fileStore,
  MediaGenError,
  type Form,
  type TaskJSON,
} from "@mediagen/sdk/node";

/** A job of the queue, as plain JSON. It has a task once the order is generated. */
interface Job {
  readonly order: string;
  readonly form: Form<"vidmodelv2">;
  readonly task?: TaskJSON;
}
/** The next job, and its delay. */
interface Next {
  readonly job: Job;
  readonly afterMs: number;
}

const media = createMediaGen({
  // in your database, if the workers run on several machines
  store: fileStore("generations"),
  // what you have seen at the service; 3 is the emulator's
  statuses: { failed: [3] },
});

/** Generates an order once, however often the queue runs this step. */
async function generate(job: Job): Promise<Next | undefined> {
  try {
    const task = await media.generate("vidmodelv2", job.form, {
      idempotencyKey: job.order,
    });
    return { job: { ...job, task: task.toJSON() }, afterMs: 0 };
  } catch (error) {
    // The queue repeats a step that throws.
    if (
      !(error instanceof MediaGenError) ||
      (error.billed === "no" && error.isRetryable)
    )
      throw error;
    console.log(
      `${job.order} is set aside, billed: ${error.billed}. ${error.message}`,
    ); // Save it for a person.
    return undefined;
  }
}

/** Checks a task once. It does not sleep, so it blocks no worker. */
async function check(job: Job, saved: TaskJSON): Promise<Next | undefined> {
  const task = media.task(saved);
  const { state, afterMs } = await task.check();
  const isOverdue = Date.now() - (task.createdAt ?? 0) > 30 * 60_000;
  if (state === "pending" && !isOverdue)
    return { job: { ...job, task: task.toJSON() }, afterMs };
  if (state === "succeeded")
    await download(task, `out/${job.order}`, { overwrite: true });
  console.log(`${job.order}: ${state}`);
  return undefined;
}

// A queue in a few lines, so that this program runs. Yours stores its jobs and runs
// them on many machines.
async function run(job: Job): Promise<void> {
  const next = await (job.task ? check(job, job.task) : generate(job)).catch(
    (error: unknown) => {
      console.log(`${job.order} runs again: ${String(error)}`);
      return { job, afterMs: 5_000 };
    },
  );
  if (next) setTimeout(() => void run(next.job), next.afterMs);
}

await run({ order: "order-1", form: { prompt: "A fox runs through snow" } });
await run({ order: "order-2", form: { prompt: "A lighthouse at dusk" } });
