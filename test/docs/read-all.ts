import { glob, readFile } from "node:fs/promises";

/** The files of a pattern in the order of their names, each with its text. */
export async function readAll(
  pattern: string,
): Promise<readonly { readonly file: string; readonly text: string }[]> {
  const files: string[] = [];
  for await (const file of glob(pattern)) files.push(file);
  return Promise.all(
    files.sort().map(async (file) => ({ file, text: await readFile(file, "utf8") })),
  );
}
