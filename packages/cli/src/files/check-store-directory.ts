import { readdir } from "node:fs/promises";
import { usageError } from "../errors/command-error.ts";
import { isDirectory } from "./directory.ts";

/**
 * Rejects a directory that is not a store or does not exist: nothing would seem to be left. An
 * empty one may become a store.
 */
export async function checkStoreDirectory(directory: string): Promise<void> {
  const advice =
    "Pass the store that the generations were recorded in; that of a batch is DIR/generations.";
  if (!(await isDirectory(directory)))
    throw usageError(`--store ${directory}: there is no such directory`, advice);
  const names = await readdir(directory);
  // `fileStore` gives files and directories such names.
  if (names.length === 0 || names.some((name) => /^([\da-f]{2}|\..+\.part)$/.test(name))) return;
  throw usageError(`--store ${directory}: this directory is not a store`, advice);
}
