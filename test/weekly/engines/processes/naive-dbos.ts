// What a newcomer writes: a step that generates, without an idempotency key.
import { DBOS } from "@dbos-inc/dbos-sdk";
import { createMediaGen, type Form } from "@mediagen/sdk/node";

const media = createMediaGen({ retries: 0 });

async function makeVideo(form: Form<"vidmodelv2">): Promise<string> {
  const generate = async () => (await media.video.generate("vidmodelv2", form)).toJSON();
  const { taskid } = await DBOS.runStep(generate, { name: "generate", retriesAllowed: false });
  return taskid;
}

const workflow = DBOS.registerWorkflow(makeVideo, { name: "makeVideo" });
DBOS.setConfig({ name: "videos", systemDatabaseUrl: process.env["DATABASE_URL"] ?? "" });
await DBOS.launch();
const handle = await DBOS.startWorkflow(workflow, { workflowID: "order-1" })({ prompt: "A fox" });
console.log(await handle.getResult());
await DBOS.shutdown();
