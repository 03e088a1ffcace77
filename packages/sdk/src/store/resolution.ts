import { invalidRequest, type InvalidRequestError, StoreError } from "../errors/errors.ts";
import { describeValue, mustBe } from "../errors/issue.ts";
import { mayResolve, whyUnreadable } from "../money/entry.ts";
import type { Kind } from "../spec/operation.ts";
import type { GenerationEntry } from "../task/generation.ts";
import type { TaskJSON } from "../task/task.ts";
import type { Entries } from "./entries.ts";

/** Your finding about a generation: the id of its task, or that there is none. */
export type Resolution =
  | {
      /** The id of the task that you found at the service. */
      readonly taskid: string;
      /** Whether the task is recorded without a query that verifies it. @default false */
      readonly unverified?: boolean | undefined;
    }
  | "notCreated";

const onlyAnother = "Its task has ended: only { taskid } of another task may replace it.";

export type Exists = (kind: Kind, taskid: string) => Promise<boolean>;

export async function resolve(
  entries: Entries,
  id: string,
  resolution: Resolution,
  { exists, signal }: { readonly exists: Exists; readonly signal: AbortSignal | undefined },
): Promise<TaskJSON | undefined> {
  const { taskid, unverified } = readResolution(resolution);
  let attempt: string | undefined;
  for (;;) {
    const stored = await entries.get(id);
    if (stored?.origin !== entries.host.origin || whyUnreadable(stored) !== undefined)
      throw reject(
        "generationId",
        `${describeValue(id)} is not in the store`,
        "Use one that recover() lists.",
      );
    attempt ??= stored.attempt;
    const entry = stored.state === "sending" ? await entries.renewed(stored, signal) : stored;
    // What a person found out about one attempt says nothing about the next one, which may have
    // been billed.
    if (entry?.attempt !== attempt) throw changed();
    if (taskid !== undefined && entry.task?.taskid === taskid) return entry.task;
    rejectKnown(entry, taskid);
    if (taskid !== undefined) {
      // Only an existing task may replace one that has ended. Otherwise an invented id could free
      // the key.
      const mustExist = entry.state === "ended" || !unverified;
      if (mustExist && !(await exists(entry.kind, taskid))) throw unknownTask(entry, taskid);
      await takeTask(entries, entry, taskid);
    }
    const task = taskid === undefined ? undefined : taskOf(entry, taskid);
    const state = task ? "created" : "notCreated";
    const change = {
      state,
      task,
      outcome: undefined,
      reason: undefined,
      resolvedByHand: true,
    } as const;
    if (await entries.change(entry, change)) return task;
  }
}

function readResolution(resolution: Resolution): Partial<Exclude<Resolution, "notCreated">> {
  if (resolution === "notCreated") return {};
  // The cast: what a caller without a compiler passes may be anything.
  const found = Object(resolution) as Partial<Exclude<Resolution, "notCreated">>;
  if (typeof found.taskid === "string" && found.taskid !== "") return found;
  throw invalidRequest(
    "resolve",
    "resolution",
    "invalid",
    mustBe('{ taskid } or "notCreated"', resolution),
  );
}

function taskOf(
  { id, kind, model, origin, resultCount, createdAt }: GenerationEntry,
  taskid: string,
): TaskJSON {
  return { version: 2, kind, model, origin, resultCount, createdAt, generationId: id, taskid };
}

function unknownTask({ state }: GenerationEntry, taskid: string): InvalidRequestError {
  const advice = state === "ended" ? onlyAnother : "Pass { unverified: true } to record it anyway.";
  return reject("taskid", `${describeValue(taskid)} is not known to the service`, advice);
}

function reject(field: string, problem: string, advice: string): InvalidRequestError {
  return invalidRequest("resolve", field, "notAllowed", problem, advice);
}

function changed(): StoreError {
  const advice = "Call recover() again.";
  return new StoreError("resolve", "another process has changed the generation", {
    isRetryable: false,
    advice,
  });
}

/** Rejects a generation whose outcome came, or will come, from the service itself. */
function rejectKnown(entry: GenerationEntry, taskid: string | undefined): void {
  if (mayResolve(entry, taskid)) return;
  const { id, state, task, resolvedByHand } = entry;
  const known = task ? `has a known outcome (${task.taskid})` : `is ${state}, not unknown`;
  throw reject(
    "generationId",
    `${id} ${known}`,
    resolvedByHand ? onlyAnother : "Use one that recover() lists.",
  );
}

/**
 * Takes a task from the entry that a user has resolved to it. The outcome of that one is unknown
 * again, so that swapped tasks can be corrected while no key is free. Rejects a task that the
 * service returned for another generation.
 */
async function takeTask(
  entries: Entries,
  { id, kind }: GenerationEntry,
  taskid: string,
): Promise<void> {
  for await (const other of entries.list({ states: ["created", "ended"] })) {
    if (
      "unreadable" in other ||
      other.id === id ||
      other.kind !== kind ||
      other.task?.taskid !== taskid
    )
      continue;
    if (!other.resolvedByHand)
      throw reject(
        "taskid",
        `${describeValue(taskid)} is the task of the generation ${other.id}`,
        "Check both ids.",
      );
    const reason = `its task was resolved as that of the generation ${id}`;
    if (
      !(await entries.change(other, {
        state: "unknown",
        task: undefined,
        outcome: undefined,
        reason,
      }))
    )
      throw changed();
  }
}
