import { existsSync } from "node:fs";
import { open, readdir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { disk, issueOf } from "@mediagen/sdk/kit";
import { nothingSent } from "./issues.ts";
import { digestOfGiven } from "./line-reader.ts";
import { linesOf } from "./files.ts";
import type { BatchLine } from "./options.ts";

export const resultsName = "results.jsonl";

/** A line that has ended. */
export interface EndedLine {
  readonly state: "succeeded" | "failed";
  /** Its task. The store may have another one for the line by now. */
  readonly taskid: string | undefined;
  readonly form: number;
  readonly at: number;
}

/** The results of earlier runs. */
export interface KnownResults {
  readonly ended: ReadonlyMap<string, EndedLine>;
  /**
   * Offsets of lines that no longer count, because a file is missing or a later line replaces them.
   */
  readonly dropped: ReadonlySet<number>;
  /** Length of the file without an incomplete last line. */
  readonly length: number;
}

/** Reads the results of a directory. */
export async function readResults(directory: string): Promise<KnownResults> {
  const ended = new Map<string, EndedLine>();
  const dropped = new Set<number>();
  // There is no directory before the first run.
  const names = new Set(existsSync(directory) ? await readdir(directory) : []);
  let number = 0;
  let length = 0;
  if (!names.has(resultsName)) return { ended, dropped, length };
  for await (const { bytes, at, isComplete } of linesOf(join(directory, resultsName))) {
    if (!isComplete) break;
    length = at + bytes.length + 1;
    const { id, state, model, form, taskid, files } = parseResult(bytes, ++number);
    const before = ended.get(id);
    if (before) dropped.add(before.at);
    ended.delete(id);
    // A missing file is downloaded again, which is free.
    if (!files.every(({ name }) => names.has(name))) dropped.add(at);
    else if (state === "succeeded" || state === "failed")
      ended.set(id, { state, taskid, form: digestOfGiven(model, form), at });
  }
  return { ended, dropped, length };
}

/** Opens the file to append lines, without an incomplete last line. */
export async function openResults(
  directory: string,
  { length }: KnownResults,
): Promise<FileHandle> {
  const file = await open(join(directory, resultsName), "a");
  await file.truncate(length);
  return file;
}

/** Removes the lines that no longer count. */
export async function removeDropped(directory: string): Promise<void> {
  const { dropped } = await readResults(directory);
  const path = join(directory, resultsName);
  if (dropped.size > 0) await disk.replaceFile(path, keptLines(path, dropped));
}

async function* keptLines(
  path: string,
  dropped: ReadonlySet<number>,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const { bytes, at } of linesOf(path))
    if (!dropped.has(at)) yield Buffer.concat([bytes, Buffer.from("\n")]);
}

/** Parses a line of the file. */
export function parseLine(bytes: Uint8Array): BatchLine {
  // The cast: only batches write these files.
  return JSON.parse(new TextDecoder().decode(bytes)) as BatchLine;
}

function parseResult(bytes: Uint8Array, number: number): BatchLine {
  try {
    return parseLine(bytes);
  } catch {
    // A full disk may cut off a line while others are written.
    const advice = "Remove that line: its result is downloaded again, without paying again.";
    const problem = `has a ${resultsName} whose line ${number} is not valid`;
    throw nothingSent(issueOf("directory", "invalid", problem, advice));
  }
}
