import {
  createMediaGen,
  download,
  fileStore,
  OutcomeUnknownError,
} from "@mediagen/sdk/node";

const media = createMediaGen({ store: fileStore("generations") });

try {
  const form = { prompt: "A fox runs through snow" };
  const task = await media.video.generate("vidmodelv2", form, {
    idempotencyKey: "order-42",
  });
  await task.wait();
  const [file] = await download(task, "out", { overwrite: true });
  console.log(`order-42 is ${task.taskid}, ${file?.path}`);
} catch (error) {
  if (!(error instanceof OutcomeUnknownError)) throw error;
  const { generationId, attempt } = error;
  console.log(`order-42 may have been billed: resolve ${generationId} ${attempt}`);
}
