import { openAsBlob } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../errors/errors.ts";
import { shorten } from "../errors/issue.ts";
import { fileFrom as portableFileFrom, type FileFromOptions, type FileSource } from "../result/file-from.ts";
import { type ResultGet, UnusableError } from "../result/get.ts";

/** Returns a source image, as the portable function does, also from a path. URLs are requested with node:http if `isNodeHttp`. */
export function fileFrom(source: FileSource, options: FileFromOptions, isNodeHttp: boolean): Promise<File> {
  const get: ResultGet = async (url, request) => (await import("./get.ts")).nodeGet({})(url, request);
  return portableFileFrom(source, options, { openPath, get: isNodeHttp ? get : undefined });
}

async function openPath(text: string): Promise<File> {
  try {
    const path = /^file:/i.test(text) ? fileURLToPath(text) : text;
    // If a file cannot be read, `openAsBlob` does not say why. `access` would need a further permission of Deno.
    await open(path).then((file) => file.close());
    if ((await stat(path)).isDirectory()) throw new Error("it is a directory");
    return new File([await openAsBlob(path)], basename(path));
  } catch (error) {
    throw new UnusableError(`cannot be read (${shorten(messageOf(error))})`);
  }
}
