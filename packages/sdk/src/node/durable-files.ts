import { mkdir, open, readdir } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "./error-code.ts";

/** Returns the names in a directory; none if there is no directory. */
export function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
}

/** Writes a new file and makes sure that its bytes outlive a power failure; its name does once its directory is synced. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  await file
    .writeFile(text)
    .then(() => file.sync())
    .finally(() => file.close());
}

/** Makes a directory, and makes sure that it and each one made above it outlive a power failure. */
export async function makeDurably(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let path = dirname(directory); path.length >= dirname(first).length; path = dirname(path)) {
    await syncDirectory(path);
    if (path === dirname(path)) return;
  }
}

/** Makes sure that the names in a directory outlive a power failure. Windows opens no directories, and keeps them in sync by itself. */
export function syncDirectory(path: string): Promise<void> {
  return sync(path, "r", () => process.platform === "win32");
}

/** Makes sure that the bytes of a file outlive a power failure; nothing if it is gone by now. */
export function syncFile(path: string): Promise<void> {
  return sync(path, "r+", (error) => codeOf(error) === "ENOENT");
}

async function sync(path: string, flags: string, isIgnored: (error: unknown) => boolean): Promise<void> {
  const file = await open(path, flags).catch((error: unknown) => {
    if (!isIgnored(error)) throw error;
  });
  await file?.sync().finally(() => file.close());
}
