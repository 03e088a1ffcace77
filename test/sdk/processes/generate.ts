// Generates one task for each key, with the key in the prompt, and prints what came of it. At the
// second key it kills itself in a state.
import { createMediaGen, fileStore } from "@mediagen/sdk/node";

const { baseUrl, directory, keys, killedAt } = JSON.parse(process.argv[2] ?? "") as {
  baseUrl: string;
  directory: string;
  keys: string[];
  killedAt?: string;
};
const file = fileStore(directory);
const write: typeof file.write = async (entry) => {
  const result = await file.write(entry);
  if (entry.idempotencyKey === keys[1] && entry.state === killedAt)
    process.kill(process.pid, "SIGKILL");
  return result;
};
const media = createMediaGen({ baseUrl, apiKey: "emulator-key", store: { ...file, write } });
for (const idempotencyKey of keys) {
  const result = await media.image
    .generate("imgmodelz", { prompt: idempotencyKey }, { idempotencyKey })
    .then(
      ({ taskid }) => taskid,
      (error: unknown) => (error instanceof Error ? error.name : String(error)),
    );
  console.log(result);
}
