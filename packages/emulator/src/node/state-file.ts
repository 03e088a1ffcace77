import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Snapshot } from "../service/state.ts";

/** A file that holds an emulator's state. */
export interface StateFile {
  /** What the file holds; undefined where it is not there yet. */
  read(): Promise<Snapshot | undefined>;
  /** Keeps the state; when it resolves, the state is on disk. */
  persist(snapshot: () => Snapshot): Promise<void>;
}

/**
 * A file for the state. It is replaced whole, so that a killed process leaves the old or the new one. Whoever asks while a
 * write is under way shares the next, so that many calls cost few writes.
 */
export function createStateFile(path: string): StateFile {
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  return {
    async read() {
      try {
        return JSON.parse(await readFile(path, "utf8")) as Snapshot;
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
        throw new Error(`${path} is no state of an emulator: ${String(error)}`, { cause: error });
      }
    },
    persist(snapshot) {
      const start = () => {
        next = undefined;
        const writing = replace(path, JSON.stringify(snapshot()));
        underWay = writing;
        return writing;
      };
      // A write that failed was told to those who waited for it; the next one starts all the same.
      next ??= underWay ? underWay.then(start, start) : Promise.resolve().then(start);
      return next;
    },
  };
}

async function replace(path: string, text: string): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
  // The new name itself must be on disk too. Windows cannot open a folder, and needs no such step.
  if (process.platform === "win32") return;
  const folder = await open(dirname(path));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
