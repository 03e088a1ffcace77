import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createMediaGen, fileFrom, MediaGenError, type SourceFile, type WaitUpdate } from "@mediagen/sdk/node";
import { startMock } from "./mock.ts";
import { specFile } from "./read-spec.ts";

/** The main job from a prompt: one video and one image, generated through the SDK on the mock. */
export default async function run(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { image: { type: "string", multiple: true, default: [] } },
  });
  const prompt = positionals.join(" ") || "A fox runs through snow";
  try {
    const sourceImage = await Promise.all(values.image.map((path) => fileFrom(path)));
    const mock = await startMock(await readFile(specFile, "utf8"));
    try {
      await generateBoth(mock.baseUrl, prompt, sourceImage);
    } finally {
      await mock.close();
    }
  } catch (error) {
    if (!(error instanceof MediaGenError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}

async function generateBoth(baseUrl: string, prompt: string, sourceImage: readonly SourceFile[]): Promise<void> {
  const media = createMediaGen({ apiKey: "any-key-will-do", baseUrl });
  const [file] = sourceImage;
  console.log(`The mock of the service listens on ${baseUrl}. It answers the examples of openapi/openapi.yaml.\n`);

  console.log(`1. A video from "${prompt}"${file ? ` and ${sourceImage.map(({ name }) => name).join(", ")}` : ""}`);
  const video = await media.video.generate("vidmodelv2", { prompt, duration: 5, ...(file ? { sourceImage } : {}) });
  console.log(`   created task ${video.taskid}`);
  console.log(await video.wait({ onUpdate: show }));

  console.log(`\n2. An image from "${prompt}"${file ? ` and ${file.name}` : ""}`);
  const image = await media.image.generate("imgmodelv45", { prompt, resolution: "16:9", ...(file ? { sourceImage: file } : {}) });
  console.log(`   created task ${image.taskid}`);
  console.log(await image.wait({ onUpdate: show }));
}

function show({ state, status, elapsedMs, error }: WaitUpdate): void {
  console.log(error ? `   query failed: ${String(error)}` : `   ${state} (status ${status}) after ${elapsedMs} ms; the record:`);
}
