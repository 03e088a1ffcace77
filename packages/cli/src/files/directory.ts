import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a directory, and those that it is in, level by level. Node's own recursive mkdir never ends below /proc, which says "no such
 * directory" about what it does not let anyone make.
 */
export async function makeDirectory(path: string, mode: number = 0o777): Promise<void> {
  if (await isDirectory(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeDirectory(parent, mode);
  try {
    await mkdir(path, mode);
  } catch (error) {
    // Another process may have been faster.
    if (await isDirectory(path)) return;
    const isFile = error instanceof Error && "code" in error && error.code === "EEXIST";
    throw isFile
      ? new Error(`${path.replace(/(?<=.)[\\/]+$/, "")} is a file, not a directory`, { cause: error })
      : error;
  }
}

/** Returns whether a directory of this name exists. */
export async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
