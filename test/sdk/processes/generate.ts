// Generates one task for each key, with the key in the prompt, and prints what came of it. At the second key it kills itself at `point`.
import { createMediaGen, fileStore, type GenerationStore } from "@mediagen/sdk/node";

const { baseUrl, directory, keys, point } = JSON.parse(process.argv[2] ?? "") as {
  baseUrl: string;
  directory: string;
  keys: string[];
  point?: string;
};
let key = "";

function reach(reached: string): void {
  if (key === keys[1] && reached === point) process.kill(process.pid, "SIGKILL");
}

const file = fileStore(directory);
const store: GenerationStore = {
  ...file,
  async write(record) {
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
for (key of keys) {
  const result = await media.image.generate("imgmodelz", { prompt: key }, { idempotencyKey: key }).then(
    ({ taskid }) => taskid,
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
  console.log(result);
}
