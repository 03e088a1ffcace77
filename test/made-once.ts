import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { disk } from "@mediagen/sdk/kit";

/**
 * Returns a directory that a later run finds. Of the processes that want it, the first makes it, as
 * `part`, and the others wait.
 */
export async function madeOnce(
  directory: string,
  make: (part: string) => Promise<unknown>,
): Promise<string> {
  const part = `${directory}.part`;
  await mkdir(dirname(directory), { recursive: true });
  while (!existsSync(directory)) {
    const { owner, release } = disk.lockFile(`${directory}.lock`);
    try {
      if (owner) await setTimeout(200); // Another process makes it.
      if (owner || existsSync(directory)) continue;
      await rm(part, { recursive: true, force: true });
      await mkdir(part);
      await make(part);
      await rename(part, directory);
    } finally {
      release();
    }
  }
  return directory;
}
