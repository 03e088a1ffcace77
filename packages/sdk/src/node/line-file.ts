import { constants } from "node:fs";
import { mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { isObject } from "../is-object.ts";
import { linesIn } from "./lines.ts";

/** A file of JSON lines that several processes append to and rewrite, without locks: the order of its lines decides. */
export interface LineFile {
  /** Appends values; resolves once they are on the disk and can be read again. */
  append(values: readonly object[]): Promise<void>;
  /** Every value. A line that was cut off is none. */
  all(): Promise<readonly object[]>;
  /** The values whose lines begin at these bytes; where is asked once the reader has heard of every line. */
  at(places: () => readonly number[]): Promise<readonly object[]>;
  /** Rewrites the file with those values that are to be kept; what is appended meanwhile stays. */
  rewrite(keep: (values: readonly object[]) => readonly object[]): Promise<void>;
}

/** Hears of a file's values as they are read: the file itself keeps none. */
export interface LineReader {
  /** Another file was put in its place: its values come anew. */
  restart(): void;
  /** The next value, and the byte that its line begins at. */
  take(value: object, at: number): void;
}

/** A file as it was read so far. */
interface Seen {
  /** The line that tells it from a file put in its place later, and where it stands; none in a file that is still empty. */
  header: { readonly at: number; readonly text: string } | undefined;
  /** Up to where it was read: whole lines only. */
  offset: number;
  /**
   * The id of the file that goes on after it. A line `moved` says so, and counts only where it stands just `at` the place
   * that it names: then whoever wrote it had seen all lines before, and has taken over what matters of them. Lines after it
   * do not count: whoever wrote one notices, and writes it again where the journal goes on.
   */
  movedTo: string | undefined;
}

const headerStart = '{"type":"journal"';
const headerOf = (id: string) => `${headerStart},"version":1,"id":"${id}"}`;
const triesAtMost = 100;
/** Most lines are shorter. */
const lineBytes = 2048;

/** Opens a file of lines; it is made when it is first used. */
export function createLineFile(given: string, reader: LineReader): LineFile {
  const path = resolve(given);
  const nameOf = (id: string) => `${path}.${id}`;
  const unseen = (): Seen => ({ header: undefined, offset: 0, movedTo: undefined });
  let seen = unseen();

  /** Does something with the file that is the journal now, read to its end. */
  async function withFile<T>(use: (file: FileHandle, size: number) => Promise<T>): Promise<T> {
    for (;;) {
      const file = await openOrMake(path);
      try {
        if (!(await isSame(file, seen))) {
          seen = unseen();
          reader.restart();
        }
        const size = await readOn(file);
        if (seen.movedTo === undefined) return await use(file, size);
      } finally {
        await file.close();
      }
      await follow(seen.movedTo);
    }
  }

  /** Puts the file that goes on in its place, unless another process has: its name is used once, so nothing later is replaced. */
  async function follow(id: string): Promise<void> {
    try {
      await rename(nameOf(id), path);
    } catch (cause) {
      const file = await openOrMake(path);
      const isStill = await isSame(file, seen).finally(() => file.close());
      if (isStill)
        throw new Error(`the journal ${path} goes on in ${nameOf(id)}, which could not be put in its place`, { cause });
    }
    await syncDirectory(path);
  }

  /** Reads the whole lines that have come since, and answers the file's size. */
  async function readOn(file: FileHandle, onLine: (line: string) => void = () => undefined): Promise<number> {
    const { size } = await file.stat();
    if (seen.offset === 0) await refuseOther(file, path);
    for await (const { bytes, at, isWhole } of linesIn(piecesOf(file, seen.offset, size), seen.offset)) {
      if (!isWhole || seen.movedTo !== undefined) break;
      const line = bytes.toString();
      take(line, at);
      seen.offset = at + bytes.length + 1;
      onLine(line);
    }
    return size;
  }

  function take(line: string, at: number): void {
    const value = parse(line);
    if (value?.["type"] === "journal") {
      if (value["version"] !== 1) throw new Error("the journal is of a later version, which would be misread");
      seen.header ??= { at, text: line };
    } else if (value?.["type"] === "moved") {
      if (value["at"] === at) seen.movedTo = String(value["to"]);
    } else if (value) reader.take(value, at);
  }

  /** The values that have been read so far, read again. */
  async function readAgain(file: FileHandle): Promise<readonly object[]> {
    const values: object[] = [];
    for await (const { bytes } of linesIn(piecesOf(file, 0, seen.offset), 0)) {
      const value = parse(bytes.toString());
      if (value && value["type"] !== "journal" && value["type"] !== "moved") values.push(value);
    }
    return values;
  }

  return {
    async append(values) {
      let left = values.map((value) => JSON.stringify(value));
      for (let tries = 0; tries < triesAtMost; tries++) {
        left = await withFile(async (file, size) => {
          const header = seen.header ? "" : `${headerOf(crypto.randomUUID())}\n`;
          // After a line that was cut off, a fresh one.
          await write(file, `${size > seen.offset ? "\n" : ""}${header}${left.join("\n")}\n`);
          if (header) await syncDirectory(path);
          // Another process may have ended the file before, or have been cut off just then.
          const there = new Set<string>();
          await readOn(file, (line) => void there.add(line));
          return left.filter((line) => !there.has(line));
        });
        if (left.length === 0) return;
      }
      throw new Error(`what is appended to the journal ${path} cannot be read again`);
    },

    all: () => withFile(readAgain),

    at: (places) =>
      withFile(async (file, size) => {
        const values: object[] = [];
        for (const place of places()) {
          for await (const { bytes } of linesIn(piecesOf(file, place, size, lineBytes), place)) {
            values.push(parse(bytes.toString()) ?? {});
            break;
          }
        }
        return values;
      }),

    async rewrite(keep) {
      for (let tries = 0; tries < triesAtMost; tries++) {
        const isDone = await withFile(async (file, size) => {
          if (!seen.header) return true; // Nothing is in it yet.
          const id = crypto.randomUUID();
          await writeNew(nameOf(id), [
            headerOf(id),
            ...keep(await readAgain(file)).map((value) => JSON.stringify(value)),
          ]);
          await write(file, `${JSON.stringify({ type: "moved", at: size, to: id })}\n`);
          await readOn(file);
          // Removed only now that it is known not to count: if this fails before, a stray file is the lesser harm.
          if (seen.movedTo !== id) await rm(nameOf(id));
          return seen.movedTo !== undefined;
        });
        if (isDone) return void (await withFile(async () => undefined));
      }
      throw new Error(`the journal ${path} is too busy to be rewritten; nothing is lost`);
    },
  };
}

async function openOrMake(path: string): Promise<FileHandle> {
  // For its owner alone: it tells what was generated.
  const openIt = () => open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    return await openIt();
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    await mkdir(dirname(path), { recursive: true });
    return openIt();
  }
}

async function isSame(file: FileHandle, { header }: Seen): Promise<boolean> {
  return header !== undefined && (await readAt(file, header.at, header.text.length)).toString("latin1") === header.text;
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // It was cut off, which is to be expected.
  }
}

/** A file that is something else must not be written to. A header may have been cut off. */
async function refuseOther(file: FileHandle, path: string): Promise<void> {
  const start = (await readAt(file, 0, headerStart.length)).toString("latin1").split("\n")[0] ?? "";
  if (!headerStart.startsWith(start)) throw new Error(`${path} is no journal: nothing was written to it`);
}

/** A file's bytes between two places, piece by piece. */
async function* piecesOf(
  file: FileHandle,
  from: number,
  to: number,
  bytesAtOnce = 1 << 20,
): AsyncGenerator<Buffer, void, undefined> {
  for (let at = from; at < to;) {
    const piece = await readAt(file, at, Math.min(bytesAtOnce, to - at));
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(Math.max(0, length));
  let filled = 0;
  for (let read = -1; read !== 0 && filled < bytes.length; filled += read) {
    ({ bytesRead: read } = await file.read(bytes, filled, bytes.length - filled, position + filled));
  }
  return bytes.subarray(0, filled);
}

/** Appends in one piece, onto the disk. */
async function write(file: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const { bytesWritten } = await file.write(bytes);
  if (bytesWritten < bytes.length) throw new Error("the journal took only a part of its line: is the disk full?");
  await file.sync();
}

async function writeNew(path: string, lines: readonly string[]): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(`${lines.join("\n")}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Makes a file's name outlive the machine's end, as syncing the file does for its content. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(dirname(path)).catch(() => undefined); // Windows opens none, and needs no syncing of it.
  await directory?.sync().finally(() => directory.close());
}
