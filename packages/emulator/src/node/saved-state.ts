import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { disk } from "@mediagen/sdk/kit";
import type { Emulator, EmulatorOptions } from "../service/emulator-types.ts";
import type { Snapshot } from "../service/state.ts";
import { beginEmpty, createStateFile } from "./state-file.ts";

/**
 * Maximum number of tasks in the default file, because each change rewrites it and nobody cleans it
 * up.
 */
const tasksKept = 1_000;

type Persist = NonNullable<EmulatorOptions["persist"]>;

/** The saved state of an emulator. Until a file is opened, nothing is saved. */
export interface SavedState {
  /** The option `persist` of the emulator. */
  readonly persist: Persist;
  /**
   * Restores the state in a file, and saves each change there. Rejects if the file cannot be used.
   */
  open(emulator: Emulator, path: string): Promise<void>;
  /**
   * Does the same with the default file. Calls `warn` with the reason if a later change cannot be
   * saved.
   */
  openUsual(emulator: Emulator, warn: (reason: string) => void): Promise<void>;
}

/**
 * Returns the file in which `exec` saves its state. There is one per user, because the default port
 * makes one base URL for all projects, and so that no project has to ignore a file.
 */
export function usualFile(): string {
  return join(disk.stateDirectory(), "emulator.json");
}

/** Creates a saved state without a file. */
export function createSavedState(): SavedState {
  let persist: Persist | undefined;
  return {
    persist: async (snapshot) => persist?.(snapshot),
    async open(emulator, path) {
      persist = await openFile(emulator, path);
    },
    async openUsual(emulator, warn) {
      const path = usualFile();
      const { credits } = emulator;
      const stop = (error: unknown) => {
        persist = undefined;
        warn(error instanceof Error ? error.message : String(error));
      };
      await mkdir(dirname(path), { recursive: true });
      const save = await openFile(emulator, path);
      // Each run starts with all credits, because trying out is free.
      emulator.credits = credits;
      persist = (snapshot) =>
        save(() => newest(snapshot())).catch((error: unknown) => persist && stop(error));
    },
  };
}

async function openFile(emulator: Emulator, path: string): Promise<Persist> {
  const { owner, release } = disk.lockFile(`${path}.lock`);
  if (owner) {
    const advice = `If that has ended, delete the directory ${path}.lock.`;
    throw new Error(`${path} is in use by another emulator (${owner}). ${advice}`);
  }
  process.once("exit", release);
  const file = createStateFile(path);
  const saved = await file.read();
  if (saved !== undefined) {
    const now = emulator.clock.now();
    restore(emulator, saved, path);
    emulator.clock.advance(Math.max(0, now - emulator.clock.now()));
  }
  // Written at the start, so that an unwritable file is reported before a task is lost.
  await file.persist(emulator.snapshot);
  return file.persist;
}

function restore(emulator: Emulator, saved: Snapshot, path: string): void {
  try {
    emulator.restore(saved);
  } catch (error) {
    throw new Error(`${path} is not the state of an emulator of this version. ${beginEmpty}`, {
      cause: error,
    });
  }
}

function newest(snapshot: Snapshot): Snapshot {
  const { tasks, charges } = snapshot;
  return { ...snapshot, tasks: tasks.slice(-tasksKept), charges: charges.slice(-tasksKept) };
}
