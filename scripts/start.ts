import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createEmulator, listen } from "@mediagen/emulator/node";
import {
  createMediaGen,
  download,
  fileFrom,
  MediaGenError,
  type Kind,
  type MediaGen,
  type Task,
  type WaitUpdate,
} from "@mediagen/sdk/node";
import { byKind, exampleOf, type KindOfSpec, readSpec, specFile } from "./spec.ts";

const out = fileURLToPath(new URL("../out/", import.meta.url));

/**
 * Generates a batch of images and a video from a prompt on the embedded emulator, and saves them to
 * disk.
 */
async function start(prompt: string): Promise<void> {
  const emulator = createEmulator({ clock: { speed: 4 }, seed: Date.now() });
  const server = await listen(emulator);
  const { apiKey, statuses } = emulator.client;
  const media = createMediaGen({ baseUrl: server.baseUrl, apiKey, statuses });
  try {
    console.log(`The emulator is running at ${server.baseUrl}\n`);
    await generateBoth(media, prompt);
    console.log(`\n${emulator.charges.length} generations. No money was spent.`);
  } catch (error) {
    if (!(error instanceof MediaGenError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
  await server.close();
}

async function generateBoth(media: MediaGen, prompt: string): Promise<void> {
  const spec = byKind(readSpec(await readFile(specFile, "utf8")));
  console.log(`Images of "${prompt}"`);
  const pictures = await finish(await generateFirst(media, spec, "image", { prompt }));

  const sourceImage = await fileFrom(pictures[0] ?? "");
  console.log(`\nA video of "${prompt}" from ${sourceImage.name}`);
  await finish(await generateFirst(media, spec, "video", { prompt, sourceImage }));
}

/**
 * Generates with the first model of a kind in the spec, with the spec's example and these fields.
 */
async function generateFirst(
  media: MediaGen,
  spec: readonly KindOfSpec[],
  kind: Kind,
  fields: object,
): Promise<Task> {
  const [[model, operation] = []] = spec.find((one) => one.kind === kind)?.generate ?? [];
  if (!model || !operation) throw new Error(`the spec has no ${kind} model`);
  return media.generate(model, { ...exampleOf(operation), ...fields });
}

async function finish(task: Task): Promise<readonly string[]> {
  const line = progressLine();
  await task.wait({ onUpdate: line.show });
  const files = await download(task, out);
  line.end();
  for (const { path, bytes } of files) console.log(`  ${path} (${Math.ceil(bytes / 1000)} kB)`);
  return files.map(({ path }) => path);
}

/** Shows progress: on a terminal in one line, in a pipe as a line for each change. */
function progressLine() {
  let last = "";
  return {
    show({ task, state, status, elapsedMs, error }: WaitUpdate): void {
      const text = error ? `query failed: ${String(error)}` : `${state} (status ${status})`;
      if (process.stdout.isTTY)
        process.stdout.write(`\r\x1b[K  ${task.taskid} ${text} ${(elapsedMs / 1000).toFixed(1)} s`);
      else if (text !== last)
        console.log(`  ${task.taskid} ${text} ${(elapsedMs / 1000).toFixed(1)} s`);
      last = text;
    },
    end: () => void (process.stdout.isTTY && process.stdout.write("\n")),
  };
}

await start(process.argv.slice(2).join(" ") || "A fox runs through snow");
