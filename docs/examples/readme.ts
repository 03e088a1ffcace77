// #region start
import { createMediaGen, download, fileStore } from "@mediagen/sdk/node";

const media = createMediaGen({ store: fileStore(".mediagen") }); // MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY
const task = await media.video.generate(
  "vidmodelv2", // the fields are typed by model
  { prompt: "A fox runs through snow", duration: 5 },
  { idempotencyKey: "fox-1" }, // run the program again: the same task, billed once
);
await task.wait({ onUpdate: ({ state, elapsedMs }) => console.log(state, elapsedMs) });
console.log(await download(task, "out"));
// #endregion start

// #region many
import { waitEach } from "@mediagen/sdk/node";

const tasks = [];
for (const prompt of ["A lighthouse at dusk", "A red bicycle"])
  tasks.push(await media.image.generate("imgmodelv4", { prompt }));
for await (const outcome of waitEach(tasks)) {
  // each one as it finishes
  if (outcome.ok) await download(outcome.task, "out");
  else console.error(outcome.task.taskid, outcome.error);
}
// #endregion many

// #region resume
const saved = JSON.stringify(task);
console.log((await media.task(JSON.parse(saved)).check()).state); // one poll, in any process, on any day

const { tasks: unfinished, unknown } = await media.recover(); // after a crash
for (const one of unfinished) await one.wait();
for (const { generationId, model } of unknown) console.log(generationId, model); // look for these in the service's console
// #endregion resume
