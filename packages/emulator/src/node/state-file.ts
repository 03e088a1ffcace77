import { readFile } from "node:fs/promises";
import { disk } from "@mediagen/sdk/kit";
import type { Snapshot } from "../service/state.ts";
import { hasCode } from "./error-code.ts";

/** The advice in errors about a file that cannot be used. */
export const beginEmpty = "Delete or rename the file to start with an empty state.";

/** A file with an emulator's state. */
export interface StateFile {
  /**
   * Reads the state from the file.
   *
   * @returns The state; undefined if there is no file yet.
   * @throws An `Error` if the file cannot be read or does not hold JSON
   * @example
   * const emulator = createEmulator({ persist: file.persist });
   * const saved = await file.read();
   * if (saved) emulator.restore(saved);
   */
  read(): Promise<Snapshot | undefined>;
  /**
   * Saves the state, and resolves when it is on disk. You can pass the function as the option
   * `persist`.
   *
   * @param snapshot Returns the state. It is called when the write starts.
   * @throws An error of the file system
   * @example await file.persist(() => emulator.snapshot());
   */
  persist(snapshot: () => Snapshot): Promise<void>;
}

/**
 * Creates a file for an emulator's state. It is replaced atomically: if the process is killed, the
 * old or the new state stays. Calls during a write share the next write, so that many calls cost
 * few writes.
 *
 * @param path The path of the file. Its directory must exist.
 * @returns The file. It is created at the first write.
 * @example
 * const file = createStateFile("emulator.json");
 * const emulator = createEmulator({ persist: file.persist });
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
        if (hasCode(error, "EISDIR"))
          throw new Error(`${path} is a directory. Use the path of a file.`, { cause: error });
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${path} is not the state of an emulator: ${reason}. ${beginEmpty}`, {
          cause: error,
        });
      }
    },
    persist(snapshot) {
      const start = () => {
        next = undefined;
        const writing = disk.replaceFile(path, JSON.stringify(snapshot()));
        underWay = writing;
        return writing;
      };
      // A failed write rejects for its own callers only; the next one starts anyway.
      next ??= underWay ? underWay.then(start, start) : Promise.resolve().then(start);
      return next;
    },
  };
}
