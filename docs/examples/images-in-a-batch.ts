import { createMediaGen, download } from "@mediagen/sdk/node";

// #region client
let left = 5; // generations that this run may pay for

const media = createMediaGen({
  statuses: { failed: [3] }, // what you have seen at the service; 3 is the emulator's
  maxGenerationsInFlight: 2,
  beforeGenerate() {
    if (left-- <= 0) throw new Error("the ceiling of this run is reached");
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
const prompts = ["a lighthouse", "a red bicycle", "a paper boat", "a bowl of oranges", "a fox in the snow"];
const tasks = [];
const answers = await Promise.allSettled(
  prompts.map((prompt) => media.image.generate("imgmodelv4", { prompt, resolution: "1:1" })),
);
for (const [index, answer] of answers.entries()) {
  if (answer.status === "fulfilled") tasks.push(answer.value);
  else console.log(`${prompts[index]}: ${answer.reason}`);
}
// #endregion generate

// #region settle
for await (const { task, error } of media.settle(tasks)) {
  if (error) console.log(`${task.taskid}: ${error}`);
  else console.log(`${task.taskid}: ${(await download(task, "out")).map(({ path }) => path)}`);
}
// #endregion settle
