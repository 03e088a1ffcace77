import { createReadStream } from "node:fs";

/** One line of a file. */
export interface Line {
  /** The line without its line feed. */
  readonly bytes: Buffer;
  /** The offset of its first byte in the file. */
  readonly at: number;
  /** Whether it ends in a line feed: the last line may have been cut off. */
  readonly isWhole: boolean;
}

/** Yields the lines of a file. */
export function linesOf(path: string): AsyncIterable<Line> {
  // The cast: a file stream without an encoding yields buffers.
  return linesIn(createReadStream(path) as AsyncIterable<Buffer>, 0);
}

/**
 * Yields the lines of a file that arrives in pieces; `from` is the offset of the first piece. Only a line feed ends a line:
 * `node:readline` also ends one at U+2028, which is valid inside JSON text.
 */
export async function* linesIn(pieces: AsyncIterable<Buffer>, from: number): AsyncGenerator<Line, void, undefined> {
  let rest = Buffer.alloc(0);
  let at = from;
  for await (const piece of pieces) {
    rest = Buffer.concat([rest, piece]);
    let begin = 0;
    for (let end = rest.indexOf("\n"); end !== -1; end = rest.indexOf("\n", begin)) {
      yield { bytes: rest.subarray(begin, end), at: at + begin, isWhole: true };
      begin = end + 1;
    }
    rest = rest.subarray(begin);
    at += begin;
  }
  if (rest.length > 0) yield { bytes: rest, at, isWhole: false };
}
