import { constants } from "node:fs";
import { access, readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, join, sep } from "node:path";
import { messageOf, usageError } from "../errors/command-error.ts";
import { isDirectory, makeDirectory } from "./directory.ts";

/** The results that are to be written to a target. */
export interface Results {
  /** Whether existing files may be replaced, or are only compared. */
  readonly overwrite?: boolean | undefined;
  /** Whether they are the results of several tasks. */
  readonly several?: boolean;
  /** Number of results of a task; 1 if it is not known. */
  readonly count?: number;
  readonly json?: boolean;
}

/** The target that stands for stdout. */
export const stdoutTarget = "-";

/** Rejects a target that results could not be written to, before anything is billed. */
export async function checkTarget(target: string, results: Results): Promise<void> {
  const { overwrite, several = false, count = 1, json } = results;
  const fail = (what: string, advice: string) => usageError(`-o ${target}: ${what}`, advice);
  if (target === stdoutTarget) {
    if (json || several || count > 1)
      throw fail("stdout takes one result and nothing else", "Nothing was sent. Pass a directory.");
    if (process.stdout.isTTY) throw fail("a terminal does not take a result", "Nothing was sent. Redirect stdout.");
    return;
  }
  const isForDirectory = await isDirectoryTarget(target);
  if (several && !isForDirectory)
    throw fail("several tasks cannot share one file", `Pass a directory: -o ${dirname(target)}/`);
  const directory = isForDirectory ? target : dirname(target);
  try {
    await makeDirectory(directory);
    await access(directory, constants.W_OK);
  } catch (error) {
    throw fail(messageOf(error), "Nothing was sent. Pass a path that can be written to.");
  }
  if (isForDirectory) return;
  // One result gets the file's name; several get it with their numbers.
  const extension = extname(target);
  const stem = basename(target, extension);
  const longest = count > 1 ? `${stem}-${count}${extension}` : basename(target);
  if (await isTooLong(join(directory, longest)))
    throw fail("the file name is too long", "Nothing was sent. Choose a shorter name.");
  if (overwrite) return;
  const numberOf = (name: string) =>
    name.startsWith(`${stem}-`) && name.endsWith(extension)
      ? /^[1-9]\d*$/.exec(name.slice(stem.length + 1, -extension.length))?.[0]
      : undefined;
  const taken = (await readdir(directory)).find((name) => name === basename(target) || Number(numberOf(name)) <= count);
  if (taken !== undefined)
    throw fail(`${taken} already exists`, "Nothing was sent. Choose another name or add --overwrite.");
}

/** Returns whether the file system rejects a path because of its length. */
async function isTooLong(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "ENAMETOOLONG",
  );
}

/** Returns whether results go into a directory of this name, and not to a file. */
export async function isDirectoryTarget(target: string): Promise<boolean> {
  return target.endsWith("/") || target.endsWith(sep) || extname(target) === "" || (await isDirectory(target));
}
