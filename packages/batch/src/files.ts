import { createReadStream } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

interface Line {
  /** The line without its line feed. */
  readonly bytes: Buffer;
  /** Byte offset of the line in its file. */
  readonly at: number;
  /** Whether a line feed ends it. The last line of a file may be cut off. */
  readonly isComplete: boolean;
}

/** Yields the lines of a file. `node:readline` would also end a line at U+2028, which JSON allows inside a string. */
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

/** Replaces a file atomically after `write` has written the new one. A killed process leaves a `.part` file. */
export async function replaceFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  // A random name, because a link with a predictable name could point to another file.
  const part = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}.part`);
  const file = await open(part, "wx");
  try {
    await write(file);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}
