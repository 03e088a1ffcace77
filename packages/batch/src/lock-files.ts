import { open, readdir, readFile, readlink, rm, utimes } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf } from "./issues.ts";

/** The process that holds a directory. */
export interface LockHolder {
  /** Random id of its lock. */
  readonly id: string;
  readonly pid: number;
  readonly host: string;
  /** Distinguishes machines and containers that have the same host name. */
  readonly machine: string;
  /** Whether the holder has released it. */
  readonly released?: boolean;
}

/** The content of a lock file. */
export interface LockState {
  /** Undefined if the file could not be parsed, because its process was killed while writing. */
  readonly holder: LockHolder | undefined;
  /** A value that changes whenever the holder renews its lock. */
  readonly stamp: string;
}

/** The numbered lock files of a directory. */
export interface LockFiles {
  /** Returns the numbers in use. */
  numbers(): Promise<readonly number[]>;
  /** Creates a file. Returns false if the number is in use. Only one of several processes succeeds. */
  create(number: number, holder: LockHolder): Promise<boolean>;
  /** Reads a file; undefined if there is none. */
  read(number: number): Promise<LockState | undefined>;
  /** Changes the stamp of a file. */
  renew(number: number): Promise<void>;
  /** Replaces the content of a file, if there is one. */
  write(number: number, holder: LockHolder): Promise<void>;
  remove(number: number): Promise<void>;
}

const pattern = /^\.lock\.(\d+)$/;

/** Returns the lock files of a directory. */
export function lockFilesIn(directory: string): LockFiles {
  const pathOf = (number: number) => join(directory, `.lock.${number}`);
  return {
    async numbers() {
      const names = await readdir(directory);
      return names.flatMap((name) => pattern.exec(name)?.[1] ?? []).map(Number);
    },
    async create(number, holder) {
      const file = await open(pathOf(number), "wx").catch(unless("EEXIST"));
      if (!file) return false;
      await file.writeFile(JSON.stringify(holder)).finally(() => file.close());
      return true;
    },
    async read(number) {
      // Opening a file reads its current state on a network file system. `stat` may return an old one.
      const file = await open(pathOf(number)).catch(unless("ENOENT"));
      if (!file) return undefined;
      try {
        const { mtimeMs, size } = await file.stat();
        return { holder: parse(await file.readFile("utf8")), stamp: `${mtimeMs} ${size}` };
      } finally {
        await file.close();
      }
    },
    renew: (number) => utimes(pathOf(number), new Date(), new Date()),
    async write(number, holder) {
      const file = await open(pathOf(number), "r+").catch(unless("ENOENT"));
      if (!file) return;
      await file.writeFile(JSON.stringify(holder)).finally(() => file.close());
    },
    remove: (number) => rm(pathOf(number), { force: true }),
  };
}

function parse(text: string): LockHolder | undefined {
  try {
    const holder: unknown = JSON.parse(text);
    // The cast: only batches write these files, each of them an object at once.
    return typeof holder === "object" && holder !== null ? (holder as LockHolder) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns an error handler that returns undefined for this error code and throws all other errors. */
function unless(code: string): (error: unknown) => undefined {
  return (error) => {
    if (codeOf(error) !== code) throw error;
  };
}

/** Returns a new lock of this process. */
export async function createHolder(): Promise<LockHolder> {
  // Two containers may have one host name, and their processes the same ids.
  const [boot, space] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
  ]);
  const host = hostname();
  return { id: crypto.randomUUID(), pid: process.pid, host, machine: `${host} ${boot.trim()} ${space}`.trim() };
}

/** Whether the process of a lock has ended. False if it is on another machine or unknown. */
export function isGone({ pid, machine }: LockHolder, own: LockHolder): boolean {
  if (machine !== own.machine) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === "ESRCH";
  }
}
