import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, isLinkUnsupported } from "./error-code.ts";
import { isRunning, machineId } from "./process-info.ts";

/** Matches the name of a part file. Others see by its process and its machine when it is left over. */
const partName = /^\..+\.(?<pid>\d+)-(?<machine>[0-9a-f]{8})-[0-9a-f]{8}\.part$/;
/** The longest pause of a download. After a longer one it has ended, wherever its process was. */
const longestPauseMs = 60 * 60_000;

/** Returns the path of a file that this process writes one result to, next to where it belongs. */
export function partPath(directory: string, name: string): string {
  return join(directory, `.${name}.${process.pid}-${ownMachine()}-${randomUUID().slice(0, 8)}.part`);
}

function ownMachine(): string {
  return createHash("sha256").update(machineId()).digest("hex").slice(0, 8);
}

/** The directory that was swept last. A batch, which has many thousand files in one, downloads into it again and again. */
let swept: string | undefined;

/** Removes the part files of processes that have ended. */
export async function sweep(directory: string): Promise<void> {
  if (directory === swept) return;
  swept = directory;
  for (const name of await readdir(directory)) {
    const { pid, machine } = partName.exec(name)?.groups ?? {};
    if (pid === undefined) continue;
    const path = join(directory, name);
    const hasEnded = machine === ownMachine() && !isRunning(Number(pid));
    const found = await stat(path).catch(() => undefined);
    // Another process may have the id of a killed one by now, in a container always the same.
    // If the part of a running process is removed, it is only downloaded again: no file of it is published.
    if (hasEnded || (found && Date.now() - found.mtimeMs > longestPauseMs)) await rm(path, { force: true });
  }
}

/**
 * Gives a complete file its name, unless another file has it. A hard link fails if the name exists, which a rename does not.
 *
 * @returns whether it has the name
 */
export async function publish(part: string, path: string): Promise<boolean> {
  try {
    await link(part, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    if (!isLinkUnsupported(error)) throw error;
  }
  const reserved = await open(path, "wx").catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
  await reserved?.close();
  // A process that was killed between these two steps leaves an empty file.
  if ((await stat(path)).size > 0) return false;
  await rename(part, path);
  return true;
}

/** Returns whether a file has these bytes. */
export async function hasBytes(path: string, expected: { bytes: number; sha256: string }): Promise<boolean> {
  const found = await stat(path);
  if (!found.isFile() || found.size !== expected.bytes) return false;
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest("hex") === expected.sha256;
}
