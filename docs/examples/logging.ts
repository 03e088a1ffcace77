import { createMediaGen } from "@mediagen/sdk/node";

/** Writes each entry as one line of JSON. */
const logger = { info: (entry: object) => console.log(JSON.stringify(entry)) };
const media = createMediaGen({ onEvent: (event) => logger.info(event) });

await (
  await media.video.generate("vidmodelv2", { prompt: "A fox runs through snow" })
).wait();
