import { open, rename, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** Replaces a file atomically after `write` has written the new one. A killed process leaves a `.part` file. */
export async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  // A random name, because a link with a predictable name could point to another file.
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
