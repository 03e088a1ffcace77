// #region client
import { createMediaGen, download, waitEach } from "@mediagen/sdk/node";

let left = 8; // as many results as this run may pay for

const media = createMediaGen({
  // what you have seen at the service; 3 is the emulator's
  statuses: { failed: [3] },
  beforeGenerate(_form, { model, resultCount }) {
    if (resultCount > left)
      throw new Error(`${model}: the limit of this run is reached`);
    left -= resultCount;
  },
});
// #endregion client

// #region several
const four = await media.image.generate("imgmodelv45", {
  prompt: "An astronaut reading under a tree",
  batchsize: 4,
  resolution: "3:4",
});
await four.wait();
console.log(`${(await download(four, "out/astronaut")).length} images of one task`);
// #endregion several

// #region generate
const prompts = [
  "a lighthouse",
  "a red bicycle",
  "a paper boat",
  "a bowl of oranges",
  "a fox in the snow",
];
const tasks = [];
const results = await Promise.allSettled(
  prompts.map((prompt) =>
    media.image.generate("imgmodelv4", { prompt, resolution: "1:1" }),
  ),
);
for (const [index, result] of results.entries()) {
  if (result.status === "fulfilled") tasks.push(result.value);
  else console.log(`${prompts[index]}: ${result.reason}`);
}
// #endregion generate

// #region wait
for await (const outcome of waitEach(tasks)) {
  const { taskid } = outcome.task;
  if (outcome.ok)
    console.log(
      `${taskid}: ${(await download(outcome.task, "out")).map(({ path }) => path)}`,
    );
  else console.log(`${taskid}: ${outcome.error}`);
}
// #endregion wait
