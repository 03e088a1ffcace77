// #region job
import {
  checkStep,
  createMediaGen,
  download,
  fileStore,
  generateStep,
  type Form,
  type TaskJSON,
} from "@mediagen/sdk/node";

/** A job of the queue, as plain JSON. */
type Job =
  | { readonly do: "generate"; readonly order: string; readonly form: Form<"vidmodelv2"> }
  | { readonly do: "check"; readonly order: string; readonly task: TaskJSON };

/** The next job, and its delay. */
interface Next {
  readonly job: Job;
  readonly afterMs: number;
}

const media = createMediaGen({
  store: fileStore("generations"), // in your database, if the workers run on several machines
  statuses: { failed: [3] }, // what you have seen at the service; 3 is the emulator's
});
// #endregion job

// #region generate
/** Generates an order once, however often the queue runs this job. */
async function generate(job: Job & { readonly do: "generate" }): Promise<Next | undefined> {
  const { order, form } = job;
  const step = await generateStep(media, "vidmodelv2", form, { idempotencyKey: order });
  switch (step.outcome) {
    case "created":
      return { job: { do: "check", order, task: step.task }, afterMs: step.afterMs };
    case "again":
      return { job, afterMs: step.afterMs };
    case "creditsOut":
      return { job, afterMs: 60_000 };
    case "unknown": // A person looks at the service and calls media.resolve.
    case "rejected":
      console.log(`${order}: ${step.outcome}`);
      return undefined;
  }
}
// #endregion generate

// #region check
/** Checks a task once. It does not sleep, so it blocks no worker. */
async function check({ order, task: saved }: Job & { readonly do: "check" }): Promise<Next | undefined> {
  const task = media.task(saved);
  const step = await checkStep(task);
  if (step.state === "pending") return { job: { do: "check", order, task: step.task }, afterMs: step.afterMs };
  if (step.state === "succeeded") await download(task, `out/${order}`, { overwrite: true });
  console.log(`${order}: ${step.state}`);
  return undefined;
}
// #endregion check

// #region run
// A queue in a few lines, so that this program runs. Yours stores its jobs and runs them on many machines.
async function run(job: Job): Promise<void> {
  const next = await (job.do === "generate" ? generate(job) : check(job));
  if (next) setTimeout(() => void run(next.job), next.afterMs);
}

await run({ do: "generate", order: "order-1", form: { prompt: "A fox runs through snow" } });
await run({ do: "generate", order: "order-2", form: { prompt: "A lighthouse at dusk" } });
// #endregion run
