import { invalidRequest } from "../errors/errors.ts";
import { describeValue, returnedTask, shorten } from "../errors/issue.ts";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import { isObject } from "../spec/values.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { readResult, type Result } from "./read-result.ts";
import { hosts, type ResultHost } from "./result-host.ts";

/** The options for fetching results. */
export const resultOptions: OptionTypes<ResultOptions> = {
  maxBytes: "number",
  stallTimeoutMs: "number",
  resultTimeoutMs: "number",
  allowPrivateHosts: "boolean",
  onProgress: "function",
  signal: "signal",
};

/** Runs the function that fetches a task's results, and emits its error. */
export function reportFetching<T>(subject: string, task: Task, run: (host: ResultHost) => Promise<T>): Promise<T> {
  const host = hosts.get(task);
  if (!host) {
    const isRecord = isObject(task) && "taskid" in task && "url" in task;
    const received = isRecord ? "its record: pass the task itself" : describeValue(task);
    throw invalidRequest(subject, "task", "invalid", `must be ${returnedTask}, not ${received}`);
  }
  return host.report({ operation: "download", task }, () => run(host));
}

/** Returns the results of a task, from its last record, or else from one check. */
export async function resultsOf(
  subject: string,
  task: Task,
  host: ResultHost,
  signal?: AbortSignal,
): Promise<readonly Result[]> {
  const { url: named = [] } = task.record ?? (await host.check(task, signal)).record ?? {};
  // A task that was made from its id alone does not know what its form requested.
  const urls = task.model === undefined ? named : named.slice(0, task.resultCount);
  if (urls.length === 0) {
    const problem = `${shorten(task.taskid)} has no results yet`;
    throw invalidRequest(subject, "task", "notAllowed", problem, "Use a task that has succeeded: wait for it first.");
  }
  return urls.map((url, index) => ({ task, host, index, count: urls.length, url }));
}

/** Results in memory have a lower limit than those on disk: a server's mistake must not end the process. */
const maxBytesInMemory = 256 * 1024 * 1024;

/**
 * Fetches every result of a task into memory. In Node, `download` of `@mediagen/sdk/node` saves results to disk
 * instead.
 *
 * @param task A task that has succeeded.
 * @param options A result of more than `maxBytes` is rejected: 256 MiB by default.
 * @returns The results, in the order of the task's record. Each has its media type, from its first bytes.
 * @throws An {@link InvalidRequestError} if there is no result yet
 * @throws A {@link ServiceError} if a result's server rejects the request, or the result's URL must not be requested
 * @throws A {@link ConnectionError} if a result does not arrive completely; calling again is safe
 * @throws The signal's reason if the signal aborts
 * @example
 * const [clip] = await blobs(task);
 * console.log(clip?.type);
 */
export async function blobs(task: Task, options: ResultOptions = {}): Promise<readonly Blob[]> {
  return reportFetching("blobs", task, async (host) => {
    const given = { maxBytes: maxBytesInMemory, ...readOptions("blobs", options, resultOptions) };
    const read: Blob[] = [];
    for (const result of await resultsOf("blobs", task, host, given.signal)) read.push(await readBlob(result, given));
    return read;
  });
}

async function readBlob(result: Result, options: ResultOptions): Promise<Blob> {
  let pieces: BlobPart[] = [];
  let mediaType: string | undefined;
  for await (const { at, bytes, type } of readResult(result, options)) {
    if (at === 0) pieces = [];
    pieces.push(bytes);
    mediaType = type;
  }
  return new Blob(pieces, { type: mediaType ?? "" });
}
