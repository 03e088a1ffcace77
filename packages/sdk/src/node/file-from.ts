import { openAsBlob } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../errors/errors.ts";
import { describeValue, shorten } from "../errors/issue.ts";
import {
  fileFrom as portableFileFrom,
  type FileFromOptions,
  type FileSource,
  notAnImage,
} from "../result/file-from.ts";
import type { ResultGet } from "../result/get.ts";
import { codeOf } from "./error-code.ts";

/**
 * Returns a source image, with its type read from its first bytes. The entry point documents it.
 *
 * @param isNodeHttp whether URLs are requested with node:http
 */
export function fileFrom(source: FileSource, options: FileFromOptions, isNodeHttp: boolean): Promise<File> {
  const get: ResultGet = async (url, request) => (await import("./get.ts")).nodeGet({})(url, request);
  return portableFileFrom(source, options, { openPath, get: isNodeHttp ? get : undefined });
}

/** Opens a file by its path or its `file:` URL. */
async function openPath(text: string): Promise<File> {
  let problem = "is a directory";
  try {
    const path = /^file:/i.test(text) ? fileURLToPath(text) : text;
    // If a file cannot be read, `openAsBlob` does not say why. `access` would need a further permission of Deno.
    await open(path).then((file) => file.close());
    if (!(await stat(path)).isDirectory()) return new File([await openAsBlob(path)], basename(path));
  } catch (error) {
    problem = problems.get(codeOf(error)) ?? `cannot be read (${shorten(messageOf(error))})`;
  }
  throw notAnImage(describeValue(text), problem);
}

const problems = new Map<string | undefined, string>([
  ["ENOENT", "does not exist"],
  ["ERR_INVALID_FILE_URL_HOST", "names a host, and is no path on this machine"],
]);
