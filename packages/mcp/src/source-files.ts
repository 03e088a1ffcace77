import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describeValue, issueOf } from "@mediagen/sdk/kit";
import { fileFrom, InvalidRequestError, type ModelInfo } from "@mediagen/sdk/node";

/**
 * Returns a form with the files that its paths name.
 *
 * @param directories The directories that files may be in. A relative path is relative to the first
 * one.
 * @throws An {@link InvalidRequestError} if a file is elsewhere, or is not an image
 */
export async function withFiles(
  form: Readonly<Record<string, unknown>>,
  info: ModelInfo,
  directories: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  const read: Record<string, unknown> = { ...form };
  for (const { field, takes } of info.form.fields) {
    const paths = read[field];
    if (takes !== "file" || paths === undefined) continue;
    const open = async (path: unknown) =>
      fileFrom(await allowedPath(field, String(path), directories));
    read[field] = Array.isArray(paths) ? await Promise.all(paths.map(open)) : await open(paths);
  }
  return read;
}

/** Returns the real path of a file. Rejects links that lead out of the directories. */
async function allowedPath(
  field: string,
  given: string,
  directories: readonly string[],
): Promise<string> {
  const [base = "."] = directories;
  const path = await real(resolve(base, given.startsWith("file:") ? fileURLToPath(given) : given));
  const roots = await Promise.all(directories.map(real));
  if (roots.some((root) => isBelow(root, path))) return path;
  const advice = `Use the path of a file in ${directories.join(" or ")}.`;
  const issue = issueOf(field, "invalid", `${describeValue(given)} is not valid`, advice);
  throw new InvalidRequestError("source image", [issue], "Nothing was sent.");
}

function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && way !== ".." && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
}

/** Resolves links in a path. Returns a path that does not exist unchanged. */
async function real(path: string): Promise<string> {
  const absolute = resolve(path);
  return realpath(absolute).catch(() => absolute);
}
