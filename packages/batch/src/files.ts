import { createReadStream } from "node:fs";

interface Line {
  /** The line without its line feed. */
  readonly bytes: Buffer;
  /** Byte offset of the line in its file. */
  readonly at: number;
  /** Whether a line feed ends it. The last line of a file may be cut off. */
  readonly isComplete: boolean;
}

/**
 * Yields the lines of a file. `node:readline` would also end a line at U+2028, which JSON allows
 * inside a string.
 */
export async function* linesOf(path: string): AsyncGenerator<Line, void, undefined> {
  let parts: Buffer[] = [];
  let at = 0;
  // The cast: a file stream without an encoding yields buffers.
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let begin = 0;
    for (let end = chunk.indexOf("\n"); end !== -1; end = chunk.indexOf("\n", begin)) {
      const bytes = Buffer.concat([...parts, chunk.subarray(begin, end)]);
      yield { bytes, at, isComplete: true };
      parts = [];
      at += bytes.length + 1;
      begin = end + 1;
    }
    if (begin < chunk.length) parts.push(chunk.subarray(begin));
  }
  if (parts.length > 0) yield { bytes: Buffer.concat(parts), at, isComplete: false };
}
