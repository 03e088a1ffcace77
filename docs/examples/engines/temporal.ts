import { createMediaGen, fileStore, stepError, type Check, type Form, type TaskJSON } from "@mediagen/sdk/node";
import { ApplicationFailure } from "@temporalio/common";
import { Context } from "@temporalio/activity";

// On several machines, keep the store in your database.
const media = createMediaGen({ store: fileStore("generations"), retries: 0 });

/** An activity that generates once, however often Temporal runs it. */
export async function generateVideo(form: Form<"vidmodelv2">): Promise<TaskJSON> {
  const { workflowExecution, activityId } = Context.current().info;
  if (!workflowExecution) throw ApplicationFailure.nonRetryable("generateVideo was not called by a workflow");
  const idempotencyKey = `${workflowExecution.workflowId}/${activityId}`;
  try {
    return (await media.video.generate("vidmodelv2", form, { idempotencyKey })).toJSON();
  } catch (error) {
    const next = stepError(error);
    if (next?.outcome === "again")
      throw ApplicationFailure.create({ message: next.reason, nextRetryDelay: next.afterMs });
    if (next) throw ApplicationFailure.nonRetryable(next.reason, next.outcome);
    throw error;
  }
}

/** An activity that checks a task once. Sleep in the workflow between two checks. */
export async function checkVideo(task: TaskJSON): Promise<Check["state"]> {
  return (await media.task(task).check()).state;
}
