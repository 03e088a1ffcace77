import { createMediaGen, download, fileStore } from "@mediagen/sdk/node";

// Reads MEDIAGEN_BASE_URL and MEDIAGEN_API_KEY.
const media = createMediaGen({ store: fileStore(".mediagen") });
const task = await media.video.generate(
  "vidmodelv2", // each model has its own types
  { prompt: "A fox runs through snow", duration: 5 },
  // Run it again: same task, billed once. A new prompt needs a new key.
  { idempotencyKey: "fox-1" },
);
await task.wait({
  onUpdate: ({ state = "poll failed", elapsedMs }) => console.log(state, elapsedMs),
});
console.log(await download(task, "out"));
