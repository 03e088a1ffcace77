import { open, rename, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Replaces a file in one step, once `write` has written the new one. What a killed process leaves is a `.part` file. */
export async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  // A random name that must not exist: a link of a known name could point to another file.
  const part = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}.part`);
  const file = await open(part, "wx");
  try {
    await write(file);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}
