import { createMediaGen, download } from "@mediagen/sdk/node";

const media = createMediaGen(); // MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY

const task = await media.video.generate("vidmodelv2", { prompt: "A fox runs through snow", duration: 5 });

const video = await task.wait({ onUpdate: ({ state }) => console.log(state) });
console.log(video.url, await download(task, "out"));
