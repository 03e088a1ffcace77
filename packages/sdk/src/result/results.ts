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

/** Returns a task's results in memory. The entry point documents it. */
export function blobs(task: Task, given: ResultOptions): Promise<readonly Blob[]> {
  return reportFetching("blobs", task, async (host) => {
    const options = { maxBytes: maxBytesInMemory, ...readOptions("blobs", given, resultOptions) };
    const read: Blob[] = [];
    for (const result of await resultsOf("blobs", task, host, options.signal))
      read.push(await readBlob(result, options));
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
