import { open, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";
import type { Snapshot } from "../service/state.ts";
import { hasCode } from "./error-code.ts";

/** What to do about a file that cannot be used. */
export const beginEmpty = "Delete it, or rename it, to begin with an empty state.";

/** A file that holds an emulator's state. */
export interface StateFile {
  /** Returns the state in the file, or undefined if there is no file yet. */
  read(): Promise<Snapshot | undefined>;
  /** Saves the state. When it resolves, the state is on disk. */
  persist(snapshot: () => Snapshot): Promise<void>;
}

/**
 * Creates a file for an emulator's state. It is replaced atomically: a killed process leaves the old or the new state.
 * Calls during a write share the next write, so that many calls cost few writes.
 */
export function createStateFile(path: string): StateFile {
  let underWay: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  return {
    async read() {
      try {
        return JSON.parse(await readFile(path, "utf8")) as Snapshot;
      } catch (error) {
        if (hasCode(error, "ENOENT")) return undefined;
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${path} is not the state of an emulator: ${reason}. ${beginEmpty}`, { cause: error });
      }
    },
    persist(snapshot) {
      const start = () => {
        next = undefined;
        const writing = replace(path, JSON.stringify(snapshot()));
        underWay = writing;
        return writing;
      };
      // A failed write rejects for its own callers only; the next one starts anyway.
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
  // The new name itself must be on disk too. Windows cannot open a directory, and does not need this.
  if (process.platform === "win32") return;
  const directory = await open(dirname(path));
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
