import { resolve } from "node:path";
import type { AnyTask, GenerationRecord, GenerationState, GenerationStore, UnreadableRecord } from "@mediagen/sdk/node";
import { stateDirectory } from "./state-directory.ts";
import { stdoutTarget } from "./target.ts";

/** A record of the store, with what the command adds to it. */
export interface CommandRecord extends GenerationRecord {
  /** The paths of the results, once they have been saved. */
  readonly saved?: readonly string[];
}

/** How long a generation without an idempotency key is listed after it has ended. */
const keptMs = 30 * 24 * 3_600_000;

/** Reads the records in these states, and those that cannot be read. */
export async function readRecords(
  store: GenerationStore,
  states: readonly GenerationState[],
): Promise<{ readonly records: readonly CommandRecord[]; readonly unreadable: readonly UnreadableRecord[] }> {
  const records: CommandRecord[] = [];
  const unreadable: UnreadableRecord[] = [];
  for await (const one of store.list({ states }))
    if ("unreadable" in one) unreadable.push(one);
    else records.push(one);
  return { records, unreadable };
}

/** Records that the results of a task are saved, so that `recover` does not list it. Never rejects: then it is listed. */
export async function recordSaved(
  store: GenerationStore | undefined,
  { generationId }: AnyTask,
  paths: readonly string[],
): Promise<void> {
  if (!store || generationId === undefined) return;
  try {
    const record = await store.get(generationId);
    if (record?.state !== "ended") return;
    const saved: CommandRecord = {
      ...record,
      revision: record.revision + 1,
      follows: record.attempt,
      updatedAt: Date.now(),
      saved: paths.map((path) => (path === stdoutTarget ? path : resolve(path))),
    };
    await store.write(saved);
  } catch {
    // The results are there, and that is what the command is for.
  }
}

/**
 * Removes generations that ended a month ago and have no idempotency key. What is unfinished or unknown stays, and so do keys,
 * because without its record a key would be billed again. A store that the user has named belongs to him.
 */
export async function forgetOld(store: GenerationStore, directory: string | undefined): Promise<void> {
  if (directory === undefined || resolve(directory) === stateDirectory())
    await store.forget({ before: Date.now() - keptMs }).catch(() => undefined);
}
