import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { usageError } from "../errors/command-error.ts";
import { quoted } from "../terminal/shell-commands.ts";
import { isDirectory } from "./directory.ts";

/** Rejects a directory that is not a store or does not exist: nothing would seem to be left. An empty one may become a store. */
export async function checkStoreDirectory(directory: string): Promise<void> {
  const fail = (what: string, advice: string) => usageError(what, advice);
  if (!(await isDirectory(directory))) throw fail(`--store ${directory}: there is no such directory`, passStore);
  const names = await readdir(directory);
  if (names.length === 0 || names.some(isOfStore)) return;
  const inside = await findStore(directory, names);
  throw fail(
    `--store ${directory}: this directory is not a store`,
    inside === undefined ? passStore : `Did you mean --store ${quoted(inside)}?`,
  );
}

const passStore = "Pass the store that the generations were recorded in.";

/** Returns whether `fileStore` gives a file or a directory such a name. */
function isOfStore(name: string): boolean {
  return /^([\da-f]{2}|\..+\.part)$/.test(name);
}

/** Returns a store in a directory, such as that of a batch. */
async function findStore(directory: string, names: readonly string[]): Promise<string | undefined> {
  for (const path of names.map((name) => join(directory, name)))
    if ((await isDirectory(path)) && (await readdir(path)).some(isOfStore)) return path;
  return undefined;
}
