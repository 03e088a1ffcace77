import { createHash, randomUUID } from "node:crypto";
import { type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { headLength } from "../form/files.ts";
import type { Piece } from "../result/read-result.ts";
import { isRunning, machineId } from "./process-info.ts";

/** Matches the name of a part file. Others see by its process and its machine when it is left over. */
const ending = /^\..+\.(?<pid>\d+)-(?<machine>[0-9a-f]{8})-[0-9a-f]{8}\.part$/;
/** The longest pause of a download. After a longer one it has ended, wherever its process was. */
const longestPauseMs = 60 * 60_000;

/** Directories that were swept of leftover part files: once each, because a batch has a directory of many thousand files. */
const swept = new Set<string>();
const maxSwept = 1_000;

/** Creates the file that one process writes one result to, next to where it belongs. */
export async function createPart(directory: string, name: string): Promise<PartFile> {
  const path = join(directory, `.${name}.${process.pid}-${ownMachine()}-${randomUUID().slice(0, 8)}.part`);
  return new PartFile(path, await open(path, "wx"));
}

/** Removes the part files of processes that have ended. */
export async function sweep(directory: string): Promise<void> {
  if (swept.has(directory)) return;
  if (swept.size >= maxSwept) swept.clear();
  swept.add(directory);
  for (const name of await readdir(directory)) {
    const { pid, machine } = ending.exec(name)?.groups ?? {};
    if (pid === undefined) continue;
    const path = join(directory, name);
    // Another process may have the id of a killed one by now, in a container always the same.
    // If the part of a running process is removed, it is only downloaded again: no file of it is published.
    if ((machine === ownMachine() && !isRunning(Number(pid))) || (await isOld(path))) await rm(path, { force: true });
  }
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > longestPauseMs;
}

let machine: string | undefined;

function ownMachine(): string {
  return (machine ??= createHash("sha256").update(machineId()).digest("hex").slice(0, 8));
}

/** A result on its way to the disk, with its first bytes and its digest. */
export class PartFile {
  readonly path: string;
  readonly #file: FileHandle;
  #hash = createHash("sha256");
  bytes = 0;
  head: Uint8Array = new Uint8Array();
  #isMoved = false;

  constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  /** Writes a piece. The first one of a result replaces everything. */
  async write({ at: start, bytes }: Piece): Promise<void> {
    if (start === 0 && this.bytes > 0) await this.#restart();
    // One write may take only some of the bytes.
    for (let at = 0; at < bytes.length;)
      at += (await this.#file.write(bytes, at, bytes.length - at, start + at)).bytesWritten;
    this.#hash.update(bytes);
    this.bytes = start + bytes.length;
    if (this.head.length < headLength) this.head = Uint8Array.from([...this.head, ...bytes.subarray(0, headLength)]);
  }

  async #restart(): Promise<void> {
    await this.#file.truncate();
    this.#hash = createHash("sha256");
    this.head = new Uint8Array();
  }

  /** Makes sure that the bytes outlive a power failure, and returns their SHA-256. */
  async finish(): Promise<string> {
    await this.#file.sync();
    return this.#hash.digest("hex");
  }

  /** Moves the file, and replaces another one of that name. */
  async moveTo(path: string): Promise<void> {
    await rename(this.path, path);
    this.#isMoved = true;
  }

  /** Closes the file and removes it, if it was not moved. */
  async remove(): Promise<void> {
    await this.#file.close();
    if (this.#isMoved) return;
    await rm(this.path, { force: true });
  }
}
