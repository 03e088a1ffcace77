import { createMediaGen, download } from "@mediagen/sdk/node";

const media = createMediaGen(); // URL and key: environment

const task = await media.video.generate("vidmodelv2", {
  prompt: "A fox runs through snow",
  duration: 5,
});

await task.wait();
console.log(await download(task, "out"));
