import type { Form, TaskJSON } from "@mediagen/sdk/node";
import { FatalError, getStepMetadata, sleep } from "workflow";
import * as steps from "./steps.ts";

/**
 * A step that generates once. The id of the step stays the same over its retries.
 */
async function generate(form: Form<"vidmodelv2">): Promise<TaskJSON> {
  "use step";
  return steps.generate(
    getStepMetadata().stepId,
    form,
    (reason) => new FatalError(reason),
  );
}

async function check(task: TaskJSON): ReturnType<typeof steps.check> {
  "use step";
  return steps.check(task);
}

/** Generates a video and waits for it. */
export async function makeVideo(
  form: Form<"vidmodelv2">,
): Promise<readonly string[]> {
  "use workflow";
  let task = await generate(form);
  for (;;) {
    const { state, url, afterMs, ...next } = await check(task);
    if (state === "succeeded") return url;
    if (state !== "pending") throw new FatalError(`Task ${task.taskid}: ${state}`);
    task = next.task;
    await sleep(afterMs);
  }
}
