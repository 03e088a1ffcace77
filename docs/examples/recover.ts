import { createMediaGen, download, fileStore, waitEach } from "@mediagen/sdk/node";

const media = createMediaGen({ store: fileStore("generations") });

// node recover.ts GENERATION_ID ATTEMPT TASKID
// node recover.ts GENERATION_ID ATTEMPT notCreated
const [id, attempt, found] = process.argv.slice(2);
if (id && attempt && found === "notCreated")
  await media.resolve(id, "notCreated", { attempt });
else if (id && found) await media.resolve(id, { taskid: found }, { attempt });

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
for (const { generationId, attempt, model, idempotencyKey, at } of unknown) {
  const time = new Date(at).toISOString();
  console.log(
    `unknown: ${generationId} ${attempt}, ${model} for ${idempotencyKey} at ${time}`,
  );
}
for (const entry of unreadable)
  console.log(`unreadable: ${entry.id}, ${entry.unreadable}`);
if (tasks.length + finished.length + unknown.length + unreadable.length === 0)
  console.log("nothing to recover");
