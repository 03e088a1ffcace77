import type { BatchOptions, BatchSummary } from "./batch/batch.ts";
import type { Download, DownloadOptions } from "./node/download.ts";
import type { FileFromOptions } from "./node/file-from.ts";
import type { SourceFile } from "./spec/file-input.ts";
import type { Task } from "./task/task.ts";

export * from "./index.ts";
export type { BatchFile, BatchLine, BatchOptions, BatchPlan, BatchProgress, BatchSummary } from "./batch/batch.ts";
export { createMediaGen, type NodeMediaGenOptions } from "./node/client.ts";
export type { Download, DownloadOptions } from "./node/download.ts";
export type { FileFromOptions } from "./node/file-from.ts";
export { fileJournal, type FileJournal } from "./node/file-journal.ts";
export type { ConnectOptions } from "./node/transport.ts";

// What stands on the file system is loaded when it is called: that takes longer than all of this door.

/**
 * Downloads every result of a task. `target` is a directory, which is made if need be, or the path of a file: what ends in
 * an extension and is no directory. Files are named by task and number, with an extension by their bytes. Each is whole or
 * not there; either all are there at the end or none.
 *
 * @throws {@link InvalidRequestError} there is no result yet, or a file of the name is there already
 * @throws {@link ServiceError} a result's server refused, or its address may not be fetched
 * @throws {@link ConnectionError} a result did not arrive whole; downloading again is safe
 */
export async function download(
  task: Task,
  target: string,
  options: DownloadOptions = {},
): Promise<readonly Download[]> {
  return (await import("./node/download.ts")).download(task, target, options);
}

/**
 * A source image of a path or of bytes, with its type told from its first bytes. A path's bytes are read while they are
 * sent.
 *
 * @throws {@link InvalidRequestError} there is no such file, or it is not an image
 */
export async function fileFrom(
  source: string | Uint8Array<ArrayBuffer> | Blob,
  options: FileFromOptions = {},
): Promise<SourceFile> {
  return (await import("./node/file-from.ts")).fileFrom(source, options);
}

/**
 * Generates what each line of a file asks for and brings the results into a folder: JSON lines (`.jsonl`, `.ndjson`) or CSV
 * with a header (`.csv`, `.tsv`), with a `model`, the fields of its form and, if you like, an `id` of your own. Files are
 * paths, relative to the input. Every line is checked before the first is paid.
 *
 * Run again with the same folder, also after it was killed, it goes on where it was: the folder's journal keeps what was
 * generated, and no line is paid twice. An abort sends nothing more, lets what is being sent be answered, and waits no
 * longer: the tasks are not lost.
 *
 * @throws {@link InvalidRequestError} something is wrong with lines, all of which it names, or another run is using the folder; nothing was sent
 * @throws the signal's reason, when it aborts
 */
export async function runBatch(input: string, folder: string, options: BatchOptions = {}): Promise<BatchSummary> {
  return (await import("./batch/run.ts")).runBatch(input, folder, options);
}
