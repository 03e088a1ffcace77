import { createMediaGen, download, fileStore, waitEach } from "@mediagen/sdk/node";

const media = createMediaGen({ store: fileStore("generations") });

// node recover.ts GENERATION_ID TASKID, or node recover.ts GENERATION_ID notCreated
const [id, found] = process.argv.slice(2);
if (id && found === "notCreated") await media.resolve(id, "notCreated");
else if (id && found) await media.resolve(id, { taskid: found });

const { tasks, finished, unknown, unreadable } = await media.recover();

for await (const outcome of waitEach([...tasks, ...finished])) {
  const { taskid } = outcome.task;
  if (!outcome.ok) {
    console.log(`${taskid}: ${outcome.error}`);
    continue;
  }
  const files = await download(outcome.task, "out", { overwrite: true });
  console.log(`${taskid}: ${files.map(({ path }) => path)}`);
}
for (const { generationId, model, idempotencyKey, at } of unknown) {
  console.log(
    `unknown: ${generationId}, ${model} for ${idempotencyKey} at ${new Date(at).toISOString()}`,
  );
}
for (const entry of unreadable)
  console.log(`unreadable: ${entry.id}, ${entry.unreadable}`);
if (tasks.length + finished.length + unknown.length + unreadable.length === 0)
  console.log("nothing to recover");
