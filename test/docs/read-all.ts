import { glob, readFile } from "node:fs/promises";

/** The files of a pattern in the order of their names, each with its text. */
export async function readAll(pattern: string): Promise<readonly { readonly file: string; readonly text: string }[]> {
  const files = (await Array.fromAsync(glob(pattern))).sort();
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(file, "utf8") })));
}
