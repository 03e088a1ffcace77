import { stat } from "node:fs/promises";

/** Returns whether a directory of this name exists. */
export async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
