import { constants } from "node:fs";
import { access, mkdir, readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, sep } from "node:path";
import { CommandError } from "./explain.ts";
import { exitCodes } from "./exit-codes.ts";

/** Rejects a target that results could not be written to, before anything is billed. */
export async function checkTarget(
  target: string,
  { overwrite, several = false }: { readonly overwrite?: boolean | undefined; readonly several?: boolean },
): Promise<void> {
  const fail = (what: string, advice: string) => new CommandError(`-o ${target}: ${what}`, advice, exitCodes.usage);
  const isForDirectory = await isDirectoryTarget(target);
  if (several && !isForDirectory)
    throw fail("several tasks cannot share one file", `Pass a directory: -o ${dirname(target)}/`);
  const directory = isForDirectory ? target : dirname(target);
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (error) {
    throw fail(
      error instanceof Error ? error.message : String(error),
      "Nothing was sent. Pass a path that can be written to.",
    );
  }
  if (isForDirectory || overwrite) return;
  // One result gets the file's name; several get it with their numbers.
  const stem = basename(target, extname(target));
  const taken = (await readdir(directory)).find(
    (name) => name === basename(target) || name === `${stem}-1${extname(target)}`,
  );
  if (taken !== undefined)
    throw fail(`${taken} already exists`, "Nothing was sent. Choose another name or add --overwrite.");
}

/** Whether results go into a directory of this name, and not to a file. */
export async function isDirectoryTarget(target: string): Promise<boolean> {
  return target.endsWith("/") || target.endsWith(sep) || extname(target) === "" || (await isDirectory(target));
}

/** Whether a directory of this name exists. */
export async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
