import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { link, open, rename, stat } from "node:fs/promises";
import { codeOf, isLinkUnsupported } from "./error-code.ts";

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
    if (isLinkUnsupported(error)) return publishWithoutLink(part, path);
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function publishWithoutLink(part: string, path: string): Promise<boolean> {
  try {
    await (await open(path, "wx")).close();
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    // A process that was killed between these two steps leaves an empty file.
    if ((await stat(path)).size > 0) return false;
  }
  await rename(part, path);
  return true;
}

/** Returns whether a file has these bytes. */
export async function hasBytes(path: string, bytes: number, sha256: string): Promise<boolean> {
  const found = await stat(path);
  if (!found.isFile() || found.size !== bytes) return false;
  const hash = createHash("sha256");
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return hash.digest("hex") === sha256;
}
