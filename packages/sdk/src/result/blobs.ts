import type { ResultOptions } from "../task/task.ts";
import { copyResult, type ResultContext, type ResultSource } from "./copy.ts";
import { headLength, sniff } from "./media-type.ts";

/** Results in memory, each with its media type by its bytes, else as its server says. */
export async function readBlobs(
  sources: readonly ResultSource[],
  context: ResultContext,
  options: ResultOptions,
): Promise<readonly Blob[]> {
  const blobs: Blob[] = [];
  for (const source of sources) {
    let pieces: BlobPart[] = [];
    const sink = {
      // The cast: a response's bytes are never in shared memory.
      write: (piece: Uint8Array) => void pieces.push(piece as Uint8Array<ArrayBuffer>),
      restart: () => void (pieces = []),
    };
    const told = await copyResult(source, sink, context, options);
    const blob = new Blob(pieces);
    const head = new Uint8Array(await blob.slice(0, headLength).arrayBuffer());
    blobs.push(blob.slice(0, blob.size, sniff(head)?.type ?? told ?? ""));
  }
  return blobs;
}
