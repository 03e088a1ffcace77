import { createReadStream } from "node:fs";

/** One line of a file. */
export interface Line {
  /** Without its end. */
  readonly bytes: Buffer;
  /** Where it begins, in bytes. */
  readonly at: number;
  /** Whether a line feed ends it: the last line may be cut off. */
  readonly isWhole: boolean;
}

/** The lines of a file, one after the other. */
export function linesOf(path: string): AsyncIterable<Line> {
  // The cast: a stream of a file without an encoding gives bytes.
  return linesIn(createReadStream(path) as AsyncIterable<Buffer>, 0);
}

/**
 * The lines of what comes in pieces, from a place of a file on. They end at line feeds alone: what reads lines for people
 * also ends one at a U+2028, which may stand within a JSON text.
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
