import {
  checkStep,
  createMediaGen,
  fileStore,
  stepError,
  type CheckStep,
  type Form,
  type TaskJSON,
} from "@mediagen/sdk/node";
import { FatalError, getStepMetadata, RetryableError, sleep } from "workflow";

// On several machines, keep the store in your database.
const createClient = () => createMediaGen({ store: fileStore("generations"), retries: 0 });

/** A step that generates once. The id of the step stays the same over its retries. */
async function generate(form: Form<"vidmodelv2">): Promise<TaskJSON> {
  "use step";
  const { stepId: idempotencyKey } = getStepMetadata();
  try {
    return (await createClient().video.generate("vidmodelv2", form, { idempotencyKey })).toJSON();
  } catch (error) {
    const next = stepError(error);
    if (next?.outcome === "again") throw new RetryableError(next.reason, { retryAfter: next.afterMs });
    if (next) throw new FatalError(next.reason);
    throw error;
  }
}

async function check(task: TaskJSON): Promise<CheckStep> {
  "use step";
  return checkStep(createClient().task(task));
}

/** Generates a video and waits for it. */
export async function makeVideo(form: Form<"vidmodelv2">): Promise<readonly string[]> {
  "use workflow";
  let task = await generate(form);
  for (;;) {
    const step = await check(task);
    if (step.state === "succeeded") return step.record.url;
    if (step.state !== "pending") throw new FatalError(`Task ${task.taskid}: ${step.state}`);
    task = step.task;
    await sleep(step.afterMs);
  }
}
