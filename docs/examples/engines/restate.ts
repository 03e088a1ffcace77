import { checkStep, createMediaGen, fileStore, stepError, type Form, type TaskJSON } from "@mediagen/sdk/node";
import * as restate from "@restatedev/restate-sdk";

// On several machines, keep the store in your database.
const media = createMediaGen({ store: fileStore("generations"), retries: 0 });

/** Generates an order once. Restate retries every error that is not terminal. */
async function generate(idempotencyKey: string, form: Form<"vidmodelv2">): Promise<TaskJSON> {
  try {
    return (await media.video.generate("vidmodelv2", form, { idempotencyKey })).toJSON();
  } catch (error) {
    const next = stepError(error);
    if (next?.outcome === "again") throw new restate.RetryableError(next.reason, { retryAfter: next.afterMs });
    if (next) throw new restate.TerminalError(next.reason);
    throw error;
  }
}

/** Generates a video and waits for it. The key of the workflow is the idempotency key. */
export async function run(context: restate.WorkflowContext, form: Form<"vidmodelv2">): Promise<readonly string[]> {
  let task = await context.run("generate", () => generate(context.key, form));
  for (;;) {
    const step = await context.run("check", () => checkStep(media.task(task)));
    if (step.state === "succeeded") return step.record.url;
    if (step.state !== "pending") throw new restate.TerminalError(`Task ${task.taskid}: ${step.state}`);
    task = step.task;
    await context.sleep(step.afterMs);
  }
}

if (import.meta.main) {
  const video = restate.workflow({ name: "video", handlers: { run } });
  await restate.serve({ services: [video], port: Number(process.env["PORT"] ?? 9080) });
}
