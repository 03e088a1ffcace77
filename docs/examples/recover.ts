import { createMediaGen, download, fileJournal } from "@mediagen/sdk/node";

const media = createMediaGen({ journal: fileJournal("journal.jsonl") });

// #region resolve
// node recover.ts ID TASKID, or node recover.ts ID "not created"
const [id, found] = process.argv.slice(2);
if (id && found === "not created") await media.resolve(id, "not created");
else if (id && found) await media.resolve(id, { taskid: found });
// #endregion resolve

// #region recover
const { tasks, finished, unknown } = await media.recover();

for await (const { task, error } of media.settle([...tasks, ...finished])) {
  const files = error ? [] : await download(task, "out", { overwrite: true });
  console.log(`${task.taskid}: ${error ?? files.map(({ path }) => path)}`);
}
for (const { id, model, once, at } of unknown) {
  console.log(`unknown: ${id}, ${model} for ${once} at ${new Date(at).toISOString()}`);
}
// #endregion recover
