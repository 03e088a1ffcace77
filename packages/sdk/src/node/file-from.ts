import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../errors/errors.ts";
import { describeValue, shorten } from "../errors/issue.ts";
import {
  readFileOptions,
  fileFrom as portableFileFrom,
  type FileFromOptions,
  type FileSource,
  isUrl,
  notAnImage,
  toFile,
} from "../source-image/file-from.ts";
import { codeOf } from "./error-code.ts";

/**
 * Returns a source image, with its type read from its first bytes. The entry point documents it.
 *
 * @param isNodeHttp whether URLs are requested with node:http
 */
export async function fileFrom(source: FileSource, given: FileFromOptions, isNodeHttp: boolean): Promise<File> {
  const path = pathOf(source);
  if (path !== undefined) {
    const options = readFileOptions(given);
    return toFile({ blob: await openPath(path), subject: describeValue(path), name: basename(path) }, options);
  }
  const get = isNodeHttp ? await (await import("./get.ts")).nodeGet({}) : undefined;
  return portableFileFrom(source, given, get);
}

/** Returns the path that a source is, if it is one. */
function pathOf(source: FileSource): string | undefined {
  if (typeof source !== "string" && !(source instanceof URL)) return undefined;
  const text = String(source);
  if (/^file:/i.test(text)) return pathIn(text);
  return isUrl(text) || /^data:/i.test(text) ? undefined : text;
}

function pathIn(url: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw notAnImage(describeValue(url), "names a host, and is no path on this machine");
  }
}

async function openPath(path: string): Promise<Blob> {
  try {
    const blob = await openAsBlob(path);
    await blob.slice(0, 1).arrayBuffer();
    return blob;
  } catch (cause) {
    throw notAnImage(describeValue(path), await whyUnreadable(path, cause));
  }
}

/** Returns why a file cannot be read: `openAsBlob` does not say it, but the file system does. */
async function whyUnreadable(path: string, cause: unknown): Promise<string> {
  try {
    return (await stat(path)).isDirectory() ? "is a directory" : unreadable(cause);
  } catch (error) {
    return codeOf(error) === "ENOENT" ? "does not exist" : unreadable(error);
  }
}

function unreadable(error: unknown): string {
  return `cannot be read (${shorten(messageOf(error))})`;
}
