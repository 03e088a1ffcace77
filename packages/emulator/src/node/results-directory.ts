import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { ResultSource } from "../service/own-result.ts";

/** The media types of files that can be results, by kind and extension. */
const types: Readonly<Record<"video" | "image", Readonly<Record<string, string>>>> = {
  video: { mp4: "video/mp4", webm: "video/webm", mov: "video/quicktime" },
  image: {
    png: "image/png",
    jpg: "image/jpeg",
    jpeg: "image/jpeg",
    webp: "image/webp",
    gif: "image/gif",
  },
};

/**
 * Returns the files of a directory as results, for the option `results`. A file is used if all
 * words of its name occur in the model or the prompt, as in `fox.mp4`, `red-fox.png` and
 * `imgmodelv4 fox.png`. The one with the most words is used. `default.mp4` matches every prompt,
 * and `fox.2.png` only the second result. If no file matches, the emulator makes the result.
 *
 * @param directory The path of the directory. It is read once.
 * @returns The option `results` of `createEmulator`.
 * @throws An error of the file system, if the directory cannot be read
 * @example const emulator = createEmulator({ results: await resultsFrom("test/results") });
 */
export async function resultsFrom(directory: string): Promise<ResultSource> {
  const files = (await readdir(directory)).sort().map((name) => {
    const extension = extname(name).slice(1).toLowerCase();
    const [, stem = "", number] = /^(.*?)(?:\.(\d+))?\.[^.]*$/.exec(name) ?? [];
    return {
      path: join(directory, name),
      extension,
      number,
      words: stem === "default" ? [] : wordsOf(stem),
    };
  });
  return ({ model, prompt, plan }, number) => {
    const known = types[plan.video ? "video" : "image"];
    const words = new Set(wordsOf(`${model} ${prompt}`));
    const [best] = files
      .filter(
        (file) =>
          Object.hasOwn(known, file.extension) &&
          (file.number === undefined || Number(file.number) === number),
      )
      .filter((file) => file.words.every((word) => words.has(word)))
      .sort(
        (a, b) => b.words.length - a.words.length || Number(b.number ?? 0) - Number(a.number ?? 0),
      );
    if (!best) return undefined;
    const { path, extension } = best;
    return {
      extension,
      type: known[extension] ?? "",
      bytes: async () => new Uint8Array(await readFile(path)),
    };
  };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}
