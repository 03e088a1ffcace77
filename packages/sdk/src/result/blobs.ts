import { readOptions } from "../errors/options.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import type { ResultContext } from "./context.ts";
import { reportFetching, resultOptions } from "./fetching.ts";
import { readResult } from "./read-result.ts";
import { headLength, mediaTypeOf } from "../form/files.ts";
import { resultsOf, type TaskResult } from "./results-of.ts";

/** Results in memory have a lower limit than those on disk: a server's mistake must not end the process. */
const maxBytesInMemory = 256 * 1024 * 1024;

/** Returns a task's results in memory. The entry point documents it. */
export async function blobs(task: Task, given: ResultOptions): Promise<readonly Blob[]> {
  return reportFetching("blobs", task, async (context) => {
    const options = { maxBytes: maxBytesInMemory, ...readOptions("blobs", given, resultOptions) };
    const read: Blob[] = [];
    for (const source of await resultsOf("blobs", task, options.signal, context))
      read.push(await readBlob(source, context, options));
    return read;
  });
}

async function readBlob(source: TaskResult, context: ResultContext, options: ResultOptions): Promise<Blob> {
  let pieces: BlobPart[] = [];
  let contentType: string | undefined;
  for await (const { at, bytes, type } of readResult(source, context, options)) {
    if (at === 0) pieces = [];
    // The cast: a response's bytes are never in shared memory.
    pieces.push(bytes as Uint8Array<ArrayBuffer>);
    contentType = type;
  }
  const blob = new Blob(pieces);
  const head = new Uint8Array(await blob.slice(0, headLength).arrayBuffer());
  return blob.slice(0, blob.size, mediaTypeOf(head)?.type ?? contentType ?? "");
}
