import { open, readdir, rename, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { issueOf, nothingSent } from "./issues.ts";
import { linesOf } from "./lines.ts";
import type { BatchLine } from "./options.ts";

/** Name of the file with the lines that have succeeded or failed. */
export const resultsName = "results.jsonl";

type Ended = ReadonlyMap<string, "succeeded" | "failed">;

/** The final lines of a folder. */
export class ResultsFile {
  readonly #file: FileHandle;
  /** How the lines of earlier runs have ended, by id. */
  readonly ended: Ended;

  private constructor(file: FileHandle, ended: Ended) {
    this.#file = file;
    this.ended = ended;
  }

  /** Opens the results of a folder. A line that is cut off or has lost a file is removed, so that it is downloaded again. */
  static async open(folder: string): Promise<ResultsFile> {
    const path = join(folder, resultsName);
    await (await open(path, "a")).close();
    const { ended, dropped } = await read(path, new Set(await readdir(folder)));
    if (dropped.size > 0) await removeLines(path, dropped);
    return new ResultsFile(await open(path, "a"), ended);
  }

  async append(line: BatchLine): Promise<void> {
    await this.#file.appendFile(`${JSON.stringify(line)}\n`);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/** Parses a line of the file. */
export function parseLine(bytes: Uint8Array): BatchLine {
  // The cast: only batches write these files.
  return JSON.parse(new TextDecoder().decode(bytes)) as BatchLine;
}

/** Returns which lines have ended, and the offsets of those that have to be removed. */
async function read(
  path: string,
  names: ReadonlySet<string>,
): Promise<{ readonly ended: Ended; readonly dropped: ReadonlySet<number> }> {
  const ended = new Map<string, "succeeded" | "failed">();
  const dropped = new Set<number>();
  let number = 0;
  for await (const { bytes, at, isComplete } of linesOf(path)) {
    number++;
    const line = isComplete ? parseResult(bytes, number) : undefined;
    const isThere = line?.files.every(({ name }) => names.has(name)) ?? false;
    if (!isThere) dropped.add(at);
    else if (line?.state === "succeeded" || line?.state === "failed") ended.set(line.id, line.state);
  }
  return { ended, dropped };
}

function parseResult(bytes: Uint8Array, number: number): BatchLine {
  try {
    return parseLine(bytes);
  } catch {
    // A full disk may cut off a line while others are written.
    const expected = "a result in each line, or remove that line: its result is downloaded again, without paying again";
    throw nothingSent(issueOf("folder", "wrongFormat", `line ${number} of ${resultsName}`, expected));
  }
}

async function removeLines(path: string, dropped: ReadonlySet<number>): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, "w");
  try {
    for await (const { bytes, at } of linesOf(path)) {
      if (!dropped.has(at)) await file.appendFile(Buffer.concat([bytes, Buffer.from("\n")]));
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}
