import { createMediaGen, download, fileJournal, OutcomeUnknownError } from "@mediagen/sdk/node";

// #region once
const media = createMediaGen({ journal: fileJournal("journal.jsonl") });

try {
  const form = { prompt: "A fox runs through snow" };
  const task = await media.video.generate("vidmodelv2", form, { once: "order-42" });
  await task.wait();
  const [file] = await download(task, "out", { overwrite: true });
  console.log(`order-42 is ${task.taskid}, ${file?.path}`);
} catch (error) {
  if (!(error instanceof OutcomeUnknownError)) throw error;
  console.log(`order-42 may have been paid; it is ${error.id} in the journal`);
}
// #endregion once
