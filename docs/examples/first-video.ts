import { createMediaGen, download } from "@mediagen/sdk/node";

const media = createMediaGen(); // reads MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY

const task = await media.video.generate("vidmodelv2", {
  prompt: "A fox runs through snow",
  ratio: "16:9",
  duration: 5,
  generate_audio: true,
});
console.log(`task ${task.taskid}`);

const video = await task.wait({
  onUpdate: ({ state = "poll failed", elapsedMs }) =>
    console.log(`${state} after ${Math.round(elapsedMs)} ms`),
});
console.log(video.url);

for (const { path, bytes, type } of await download(task, "out")) {
  console.log(`${path}: ${bytes} bytes of ${type}`);
}
