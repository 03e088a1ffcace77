import { resolve } from "node:path";
import { invalidRequest } from "./errors/errors.ts";
import { mustBe } from "./errors/issue.ts";
import type { Download, DownloadOptions } from "./node/download.ts";
import { usesNodeHttp } from "./node/connect-options.ts";
import type { FileFromOptions, FileSource } from "./result/file-from.ts";
import { once } from "./spec/values.ts";
import type { GenerationStore } from "./store/store.ts";
import type { Task } from "./task/task.ts";

export * from "./index.ts";
export { createMediaGen, type NodeMediaGenOptions } from "./node/client.ts";
export type { Download, DownloadOptions } from "./node/download.ts";
export type { ConnectOptions } from "./node/connect-options.ts";

// What needs the file system is loaded when it is called, because loading it takes longer than the
// rest of this entry point.

/**
 * Downloads every result of a task. Files are written atomically, and overwritten only if you pass
 * `overwrite: true`. If one result fails, the files before it stay. A file that exists with the
 * same content is returned as it is.
 *
 * @param target A directory, which is created if needed, or the path of a file. A path with an
 *   extension is a file, unless it is an existing directory. In a directory, files are named by
 *   task and number.
 * @returns The files, in the order of the task's results.
 * @throws An {@link InvalidRequestError} if a file of that name exists with other content
 * @throws The errors of `blobs`, or an error of the file system
 * @example const [file] = await download(task, "out/");
 */
export function download(
  task: Task,
  target: string,
  options: DownloadOptions = {},
): Promise<readonly Download[]> {
  return import("./node/download.ts").then((loaded) => loaded.download(task, target, options));
}

/**
 * Reads a source image for a form, as `fileFrom` of `@mediagen/sdk` does, and also from the path of
 * a file or a `file:` URL. A file on disk is read while it is sent.
 *
 * @returns The image, with its media type from its first bytes.
 * @throws An {@link InvalidRequestError} if the file is unreadable, and the errors of `fileFrom` of
 * `@mediagen/sdk`
 * @example await media.video.generate("vidmodelv2", { sourceImage: await fileFrom("first.png") });
 */
export async function fileFrom(source: FileSource, options: FileFromOptions = {}): Promise<File> {
  const { fileFrom, openPath, get } = await import("./node/file-from.ts");
  return fileFrom(source, options, { openPath, get: usesNodeHttp(options) ? get : undefined });
}

/**
 * Creates a store in a directory on a local disk, for all processes of a machine. Each entry is a
 * small file, which is on the disk (fsync) before the call that writes it continues. For millions
 * of entries, use a database.
 *
 * @param directory The path of the directory, which is created if needed.
 * @returns The store, for the option `store`.
 * @throws An {@link InvalidRequestError} if the directory is not a path
 * @example const media = createMediaGen({ store: fileStore(".mediagen") });
 */
export function fileStore(directory: string): GenerationStore {
  if (typeof directory !== "string" || directory === "")
    throw invalidRequest(
      "fileStore",
      "directory",
      "invalid",
      mustBe("the path of a directory", directory),
    );
  // A program that changes its working directory does not move the store.
  const path = resolve(directory);
  const open = once(async () => new (await import("./node/file-store.ts")).FileStore(path));
  return {
    write: async (entry) => (await open()).write(entry),
    get: async (id) => (await open()).get(id),
    async *list(filter) {
      yield* (await open()).list(filter);
    },
    forget: async (options) => (await open()).forget(options),
  };
}
