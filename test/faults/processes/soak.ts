// Generates, waits and downloads under the keys order-0, order-1, ... until each is a file or of unknown outcome. It may be
// killed at any moment: whoever starts it again goes on. It prints a key when it is done with it.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createMediaGen, download, fileFrom, fileStore, MediaGenError, OutcomeUnknownError } from "@mediagen/sdk/node";

const { baseUrl, folder, generations } = JSON.parse(process.argv[2] ?? "") as {
  baseUrl: string;
  folder: string;
  generations: number;
};
/** How many keys are worked on at once. */
const atOnce = 24;
const limits = { queryTimeoutMs: 2_000, generateTimeoutMs: 2_000 };
const media = createMediaGen({
  baseUrl,
  apiKey: "emulator-key",
  store: fileStore(join(folder, "store")),
  ...limits,
});

/** Does again what is safe to do again, as a caller would: all but a generation of unknown outcome. */
async function insist<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (error instanceof OutcomeUnknownError || !(error instanceof MediaGenError)) throw error;
    }
  }
}

async function finish(number: number): Promise<void> {
  const idempotencyKey = `order-${number}`;
  const path = join(folder, `${idempotencyKey}.png`);
  if (existsSync(path)) return;
  const task = await insist(async () => {
    // Every tenth has a source image, streamed from disk.
    if (number % 10 > 0)
      return media.image.generate("imgmodelz", { prompt: idempotencyKey, resolution: "256*256" }, { idempotencyKey });
    return media.image.generate(
      "imgmodelv4",
      { prompt: idempotencyKey, sourceImage: await fileFrom(join(folder, "source.gif")) },
      { idempotencyKey },
    );
  });
  await insist(() => task.wait());
  await insist(() => download(task, path, { stallTimeoutMs: 1_000 }));
}

const numbers = Array.from({ length: generations }, (_, index) => index).values();
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (const number of numbers) {
      await finish(number).catch((error: unknown) => {
        if (!(error instanceof OutcomeUnknownError)) throw error;
      });
      console.log(`order-${number}`);
    }
  }),
);
