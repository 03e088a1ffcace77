// Generates one task for each key, with the key in the prompt, and prints what came of it. At the second key it dies at the point
// that it is given; with `at` it begins each key at a common time, so that processes race.
import { setTimeout as pause } from "node:timers/promises";
import { createMediaGen, fileStore, type GenerationStore } from "@mediagen/sdk/node";

const { baseUrl, directory, keys, point, at } = JSON.parse(process.argv[2] ?? "") as {
  baseUrl: string;
  directory: string;
  keys: string[];
  point?: string;
  at?: number;
};
let key = "";

function reach(reached: string): void {
  if (key === keys[1] && reached === point) process.kill(process.pid, "SIGKILL");
}

const file = fileStore(directory);
const store: GenerationStore = {
  ...file,
  async write(record) {
    reach(`before ${record.state}`);
    const result = await file.write(record);
    reach(`after ${record.state}`);
    return result;
  },
};
const media = createMediaGen({
  baseUrl,
  apiKey: "emulator-key",
  store,
  async fetch(url, init) {
    const response = await fetch(url, init);
    reach("after the response");
    return response;
  },
});
for (const [index, next] of keys.entries()) {
  key = next;
  if (at !== undefined) await pause(Math.max(0, at + index * 40 - Date.now()));
  const result = await media.image.generate("imgmodelz", { prompt: key }, { idempotencyKey: key }).then(
    ({ taskid }) => taskid,
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
  console.log(result);
}
