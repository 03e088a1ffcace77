import { readOptions } from "../errors/read-options.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import type { ResultContext } from "./context.ts";
import { reportFetching, resultOptionNames } from "./fetching.ts";
import { copyResult } from "./copy.ts";
import { headLength, mediaTypeOf } from "../form/media-type.ts";
import { resultsOf, type TaskResult } from "./results-of.ts";

/** Results in memory have a lower limit than those on disk: a server's mistake must not end the process. */
const maxBytesInMemory = 256 * 1024 * 1024;

/** Returns a task's results in memory. The entry point documents it. */
export async function blobs(task: Task, given: ResultOptions): Promise<readonly Blob[]> {
  return reportFetching("blobs", task, async (context) => {
    const options = { maxBytes: maxBytesInMemory, ...readOptions("blobs", given, resultOptionNames) };
    const read: Blob[] = [];
    for (const source of await resultsOf("blobs", task, options.signal))
      read.push(await readBlob(source, context, options));
    return read;
  });
}

async function readBlob(source: TaskResult, context: ResultContext, options: ResultOptions): Promise<Blob> {
  let pieces: BlobPart[] = [];
  const sink = {
    // The cast: a response's bytes are never in shared memory.
    write: (piece: Uint8Array) => void pieces.push(piece as Uint8Array<ArrayBuffer>),
    restart: () => void (pieces = []),
  };
  const contentType = await copyResult(source, sink, context, options);
  const blob = new Blob(pieces);
  const head = new Uint8Array(await blob.slice(0, headLength).arrayBuffer());
  return blob.slice(0, blob.size, mediaTypeOf(head)?.type ?? contentType ?? "");
}
