import { DBOS } from "@dbos-inc/dbos-sdk";
import type { Form } from "@mediagen/sdk/node";
import { check, generate } from "./steps.ts";

class Final extends Error {}

/**
 * Generates a video and waits for it. The id of the workflow is the idempotency
 * key.
 */
async function makeVideo(form: Form<"vidmodelv2">): Promise<object> {
  const key = DBOS.workflowID ?? "";
  const retries = { retriesAllowed: true, maxAttempts: 10 };
  const once = {
    name: "generate",
    ...retries,
    shouldRetry: (error: unknown) => !(error instanceof Final),
  };
  let task = await DBOS.runStep(
    () => generate(key, form, (reason) => new Final(reason)),
    once,
  );
  for (;;) {
    const { state, url, afterMs, ...next } = await DBOS.runStep(() => check(task), {
      name: "check",
      ...retries,
    });
    if (state !== "pending") return { state, taskid: task.taskid, url };
    task = next.task;
    await DBOS.sleep(afterMs);
  }
}

const workflow = DBOS.registerWorkflow(makeVideo, { name: "makeVideo" });
DBOS.setConfig({
  name: "videos",
  systemDatabaseUrl: process.env["DATABASE_URL"] ?? "",
});
await DBOS.launch(); // It resumes the workflows of a process that has died.
const [order = "order-1"] = process.argv.slice(2);
const handle = await DBOS.startWorkflow(workflow, { workflowID: order })({
  prompt: "A fox runs through snow",
});
console.log(await handle.getResult());
await DBOS.shutdown();
