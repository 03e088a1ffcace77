import { access, constants, mkdir, readdir } from "node:fs/promises";
import { basename, dirname, extname, sep } from "node:path";
import { messageOf, usageError } from "../errors/command-error.ts";
import { isDirectory } from "./directory.ts";

/** The results that are to be written to a target. */
export interface Results {
  /** Whether existing files may be replaced, or are only compared. */
  readonly overwrite?: boolean | undefined;
  /** Whether they are the results of several tasks. */
  readonly several?: boolean;
  /** Number of results of a task; 1 if it is not known. */
  readonly count?: number;
  /** Kind of the task, if it is not billed yet. */
  readonly kind?: string;
  readonly json?: boolean;
}

const types: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
};

/**
 * Returns the media type that the extension of a file stands for; undefined if it stands for none
 * of a result.
 */
export function typeOfName(path: string): string | undefined {
  return types[extname(path).toLowerCase()];
}

/** The target that stands for stdout. */
export const stdoutTarget = "-";

/** Rejects a target that results could not be written to, before anything is billed. */
export async function checkTarget(target: string, results: Results): Promise<void> {
  const { overwrite, several = false, count = 1, json, kind = "" } = results;
  const fail = (what: string, advice: string) => usageError(`-o ${target}: ${what}`, advice);
  if (target === stdoutTarget) {
    if (json || several || count > 1)
      throw fail("stdout takes one result and nothing else", "Nothing was sent. Pass a directory.");
    if (process.stdout.isTTY)
      throw fail("a terminal does not take a result", "Nothing was sent. Redirect stdout.");
    return;
  }
  const isForDirectory = await isDirectoryTarget(target);
  if (several && !isForDirectory)
    throw fail("several tasks cannot share one file", `Pass a directory: -o ${dirname(target)}/`);
  const directory = isForDirectory ? target : dirname(target);
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
    // Several results get the file's name with their numbers.
    const longest = count > 1 ? target.replace(/\.[^.]*$/, (end) => `-${count}${end}`) : target;
    const problem = await access(longest).catch((error: NodeJS.ErrnoException) => error);
    if (problem?.code === "ENAMETOOLONG") throw problem;
  } catch (error) {
    throw fail(messageOf(error), "Nothing was sent. Pass a path that can be written to.");
  }
  if (isForDirectory) return;
  if (typeOfName(target)?.startsWith(kind) === false)
    throw fail(
      `the result is of the kind ${kind}`,
      "Nothing was sent. Use another extension, or a directory.",
    );
  const extension = extname(target);
  const stem = basename(target, extension);
  if (overwrite) return;
  const numberOf = (name: string) =>
    name.startsWith(`${stem}-`) && name.endsWith(extension)
      ? /^[1-9]\d*$/.exec(name.slice(stem.length + 1, -extension.length))?.[0]
      : undefined;
  const taken = (await readdir(directory)).find(
    (name) => name === basename(target) || Number(numberOf(name)) <= count,
  );
  if (taken !== undefined)
    throw fail(
      `${taken} already exists`,
      "Nothing was sent. Choose another name or add --overwrite.",
    );
}

/** Returns whether results go into a directory of this name, and not to a file. */
export async function isDirectoryTarget(target: string): Promise<boolean> {
  return (
    target.endsWith("/") ||
    target.endsWith(sep) ||
    extname(target) === "" ||
    (await isDirectory(target))
  );
}
