// #region provider
import { writeFile } from "node:fs/promises";
import { createMediaGenProvider } from "@mediagen/ai-sdk-provider";
import { createMediaGen, fileStore, OutcomeUnknownError } from "@mediagen/sdk/node";
import {
  APICallError,
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
  generateImage,
} from "ai";

const media = createMediaGen({ store: fileStore(".mediagen") });
const mediagen = createMediaGenProvider({
  media,
  onTask: (task) => console.log(`billed: ${task.taskid}`),
  onUpdate: ({ task, state, elapsedMs }) =>
    console.error(`${task.taskid}: ${state} after ${elapsedMs} ms`),
});
// #endregion provider

// #region images
const { images, warnings } = await generateImage({
  model: mediagen.image("imgmodelv4"),
  prompt: "A fox in the snow",
  aspectRatio: "16:9",
  n: 2,
});
for (const [index, { uint8Array, providerMetadata }] of images.entries()) {
  await writeFile(`fox-${index + 1}.png`, uint8Array);
  console.log(
    `fox-${index + 1}.png is of task ${providerMetadata?.["mediagen"]?.["taskid"]}`,
  );
}
for (const warning of warnings) console.log(warning);
// #endregion images

// #region video
try {
  const { video } = await generateVideo({
    model: mediagen.video("vidmodelv2"),
    prompt: "A fox runs through the snow",
    duration: 5,
    resolution: "1280x720",
    providerOptions: { mediagen: { return_last_frame: false } },
    // the same key is the same task, in any process
    headers: { "Idempotency-Key": "order-42" },
    abortSignal: AbortSignal.timeout(20 * 60_000),
  });
  await writeFile("fox.mp4", video.uint8Array);
} catch (error) {
  if (!APICallError.isInstance(error)) throw error;
  if (error.cause instanceof OutcomeUnknownError)
    console.log(`perhaps billed: ${error.message}`);
  else console.log(error.message);
}
// #endregion video

// #region later
const { operation } = await startVideo({
  model: mediagen.video("vidmodelv2fast"),
  prompt: { image: images[0]?.uint8Array ?? "", text: "It runs away" },
});
// any process can go on from here
await writeFile("operation.json", JSON.stringify(operation));

const status = await getVideoStatus(mediagen.video("vidmodelv2fast"), {
  operation,
});
console.log(status.status);
// #endregion later
