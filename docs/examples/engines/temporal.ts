import type { Form, TaskJSON } from "@mediagen/sdk/node";
import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { generate } from "./steps.ts";

/** An activity that generates once, however often Temporal runs it. */
export async function generateVideo(form: Form<"vidmodelv2">): Promise<TaskJSON> {
  const { workflowExecution, activityId } = Context.current().info;
  if (!workflowExecution)
    throw ApplicationFailure.nonRetryable(
      "generateVideo was not called by a workflow",
    );
  const key = `${workflowExecution.workflowId}/${activityId}`;
  return generate(key, form, (reason) => ApplicationFailure.nonRetryable(reason));
}

/**
 * An activity that checks a task once. Sleep in the workflow between two checks.
 */
export { check as checkVideo } from "./steps.ts";
