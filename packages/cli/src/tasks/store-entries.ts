import { resolve } from "node:path";
import type {
  AnyTask,
  GenerationEntry,
  GenerationState,
  GenerationStore,
  UnreadableEntry,
} from "@mediagen/sdk/node";
import { disk } from "@mediagen/sdk/kit";
import { stdoutTarget } from "../files/target.ts";

/** An entry of the store, with what the command adds to it. */
export interface CommandEntry extends GenerationEntry {
  /**
   * The paths of a task's results, once they have been saved. Another task may take its place
   * later, by `--resolve`.
   */
  readonly saved?: { readonly taskid: string; readonly paths: readonly string[] };
}

/** Returns where the results of an entry's task were saved; undefined if they were not. */
export function savedPaths({ saved, task }: CommandEntry): readonly string[] | undefined {
  return saved && saved.taskid === task?.taskid ? saved.paths : undefined;
}

/** The time that a generation without an idempotency key is listed after it has ended. */
const keptMs = 30 * 24 * 3_600_000;

/** The states of generations that may have been billed. */
const paidStates: readonly GenerationState[] = ["sending", "created", "unknown", "ended"];

/**
 * Reads the entries in these states, and those that cannot be read. Without a store, there are
 * none.
 */
export async function readEntries(
  store: GenerationStore | undefined,
  states: readonly GenerationState[] = paidStates,
): Promise<{
  readonly entries: readonly CommandEntry[];
  readonly unreadable: readonly UnreadableEntry[];
}> {
  const entries: CommandEntry[] = [];
  const unreadable: UnreadableEntry[] = [];
  for await (const one of store?.list({ states }) ?? [])
    if ("unreadable" in one) unreadable.push(one);
    else entries.push(one);
  return { entries, unreadable };
}

/**
 * Records that the results of a task are saved, so that `recover` does not list it. Never rejects:
 * then it is listed.
 */
export async function recordSaved(
  store: GenerationStore | undefined,
  task: AnyTask,
  paths: readonly string[],
): Promise<void> {
  const all = paths.map((path) => (path === stdoutTarget ? path : resolve(path)));
  await amend(store, task, { saved: { taskid: task.taskid, paths: all } });
}

/**
 * Records the deletion of a task that had ended; the SDK records that of pending tasks. Never
 * rejects.
 */
export async function recordDeleted(
  store: GenerationStore | undefined,
  task: AnyTask,
): Promise<void> {
  await amend(store, task, { outcome: "deleted" });
}

/** Changes the entry of a task that has ended. */
async function amend(
  store: GenerationStore | undefined,
  { generationId, taskid }: AnyTask,
  change: Partial<CommandEntry>,
): Promise<void> {
  if (!store || generationId === undefined) return;
  try {
    const entry: CommandEntry | undefined = await store.get(generationId);
    if (entry?.state !== "ended" || entry.task?.taskid !== taskid) return;
    // Each revision leaves a name in the store, and the command of a key may be repeated every
    // minute.
    if (process.getBuiltinModule("node:util").isDeepStrictEqual({ ...entry, ...change }, entry))
      return;
    const { revision, attempt: follows } = entry;
    const next = { ...entry, revision: revision + 1, follows, updatedAt: Date.now(), ...change };
    await store.write(next);
  } catch {
    // The command itself has succeeded.
  }
}

/**
 * Returns whether a task succeeded, and its results have not been saved. A key finds its task again
 * by itself.
 */
export function isUnsaved(entry: CommandEntry): boolean {
  const { state, outcome, idempotencyKey } = entry;
  const hasResults = state === "ended" && outcome === "succeeded";
  return hasResults && idempotencyKey === undefined && savedPaths(entry) === undefined;
}

/**
 * Removes generations that ended a month ago and have no idempotency key. Everything else stays:
 * what is unfinished, unknown or not saved, and keys, which would be billed again without their
 * entries. A store that --store names is not cleaned. Never rejects.
 */
export async function forgetOld(
  store: GenerationStore,
  directory: string | undefined,
): Promise<void> {
  if (directory !== undefined && resolve(directory) !== disk.stateDirectory()) return;
  try {
    const { entries } = await readEntries(store, ["ended"]);
    const least = (before: number, { updatedAt }: CommandEntry) => Math.min(before, updatedAt);
    await store.forget({ before: entries.filter(isUnsaved).reduce(least, Date.now() - keptMs) });
  } catch {
    // The command itself has succeeded, and the next one tries again.
  }
}
