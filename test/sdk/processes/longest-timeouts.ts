// Uses every timeout at or beyond what one timer can take, on both entry points, and prints how many programs have succeeded.
import { createEmulator, listen } from "@mediagen/emulator/node";
import { blobs, createMediaGen } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";

const emulator = createEmulator({ behaviour: { queryMovesMs: 60_000 } });
const server = await listen(emulator);

async function program(create: typeof createNodeMediaGen, ms: number): Promise<number> {
  const options = {
    baseUrl: server.baseUrl,
    apiKey: emulator.client.apiKey,
    queryTimeoutMs: ms,
    generateTimeoutMs: ms,
    maxQueriesInFlight: Infinity,
  };
  const media = create(options);
  const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
  // One timer is set again and again to what is left of such a deadline, which no number holds exactly.
  await Promise.all(Array.from({ length: 20 }, (_, index) => task.wait({ waitTimeoutMs: ms + index * 0.37 })));
  await blobs(task, { stallTimeoutMs: ms });
  return 1;
}

const timeouts = [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 0.3, 1e12, Number.MAX_VALUE, Infinity];
const programs = timeouts.flatMap((ms) => [program(createMediaGen, ms), program(createNodeMediaGen, ms)]);
const succeeded = await Promise.all(programs);
await server.close();
console.log(succeeded.reduce((sum, one) => sum + one, 0));
