import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blobs, createMediaGen, type MediaGen, type MediaGenOptions } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen, download } from "@mediagen/sdk/node";

/** Both entry points. */
export const entries = { "@mediagen/sdk/node": createNodeMediaGen, "@mediagen/sdk": createMediaGen } as const;

/** Base URLs that no mocking library can confuse: secure and not, with a port and without. */
export const baseUrls = [
  "https://media.example.com",
  "https://media.example.com:8443",
  "http://media.example.com:8080",
];

export const png: Buffer = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
export const finished = (baseUrl: string): object => ({
  code: 1000,
  msg: "",
  data: { taskid: "t-1", url: [`${baseUrl}/1.png`] },
});

const file = () => new File([new Uint8Array(png)], "fox.png", { type: "image/png" });

export function clientAt(entry: keyof typeof entries, baseUrl: string, options: MediaGenOptions = {}): MediaGen {
  return entries[entry]({ baseUrl, allowHttp: true, apiKey: "key", retries: 0, ...options });
}

/** Generates with two files, waits, and fetches the result in two ways. Returns the sizes of what came. */
export async function generateAndFetch(media: MediaGen): Promise<readonly number[]> {
  const task = await media.video.generate("vidmodelv2", { prompt: "A fox", sourceImage: [file(), file()] });
  await task.wait();
  const [blob] = await blobs(task);
  const folder = await mkdtemp(join(tmpdir(), "mediagen-"));
  try {
    const [downloaded] = await download(task, folder);
    return [blob?.size ?? 0, downloaded?.bytes ?? 0];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Returns the name of the error that a generation without files ends with. */
export async function failureOf(media: MediaGen): Promise<string> {
  return media.video.generate("vidmodelv2", { prompt: "A fox" }).then(
    () => "none",
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
}
