import { constants } from "node:fs";
import { access, mkdir, readdir, stat } from "node:fs/promises";
import { basename, dirname, extname, sep } from "node:path";
import { CommandError } from "./explain.ts";
import { exitCodes } from "./exit-codes.ts";

/** Refuses a place where results could not be put, before anything is paid for. */
export async function checkTarget(
  target: string,
  { overwrite, several = false }: { readonly overwrite?: boolean | undefined; readonly several?: boolean },
): Promise<void> {
  const fail = (what: string, advice: string) => new CommandError(`-o ${target}: ${what}`, advice, exitCodes.usage);
  const isFolder =
    target.endsWith("/") || target.endsWith(sep) || extname(target) === "" || (await isDirectory(target));
  if (several && !isFolder) throw fail("several tasks cannot share one file", `Give a folder: -o ${dirname(target)}/`);
  const folder = isFolder ? target : dirname(target);
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
  } catch (error) {
    throw fail(
      error instanceof Error ? error.message : String(error),
      "Nothing was sent. Give a place that can be written to.",
    );
  }
  if (isFolder || overwrite) return;
  // One result has the file's name, several have it with their numbers.
  const stem = basename(target, extname(target));
  const taken = (await readdir(folder)).find(
    (name) => name === basename(target) || name === `${stem}-1${extname(target)}`,
  );
  if (taken !== undefined)
    throw fail(`there is ${taken} already`, "Nothing was sent. Give another name, or --overwrite.");
}

/** The names of what is in a folder; none where there is no such folder. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  return (await isDirectory(folder)) ? readdir(folder) : [];
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
