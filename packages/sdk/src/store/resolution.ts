import { invalidRequest, type InvalidRequestError, StoreError } from "../errors/errors.ts";
import { describeValue, mustBe } from "../errors/issue.ts";
import type { Kind } from "../spec/operation.ts";
import type { GenerationRecord } from "../task/generation.ts";
import type { TaskJSON } from "../task/task.ts";
import type { Entries } from "./entries.ts";
import { whyUnreadable } from "./store.ts";

/** Your finding about a generation: the id of its task, or that there is none. */
export type Resolution =
  | {
      /** The id of the task that you found at the service. */
      readonly taskid: string;
      /** Whether the task is recorded without a query that verifies it. @default false */
      readonly unverified?: boolean | undefined;
    }
  | "notCreated";

/** Returns whether the service knows a task. */
export type Exists = (kind: Kind, taskid: string) => Promise<boolean>;

/**
 * Records the caller's finding about a generation, and returns its task.
 *
 * @throws An {@link InvalidRequestError} if nothing was recorded
 */
export async function resolve(
  entries: Entries,
  id: string,
  resolution: Resolution,
  exists: Exists,
  signal: AbortSignal | undefined,
): Promise<TaskJSON | undefined> {
  const taskid = taskidOf(resolution);
  let attempt: string | undefined;
  for (;;) {
    const stored = await entries.get(id);
    if (stored?.origin !== entries.host.origin || whyUnreadable(stored) !== undefined) {
      const advice = "Use the id of an unknown generation, from recover() or an OutcomeUnknownError.";
      throw reject("generationId", `${describeValue(id)} is not in the store`, advice);
    }
    attempt ??= stored.attempt;
    const entry = stored.state === "sending" ? await entries.settle(stored, signal) : stored;
    // What a person found out about one attempt says nothing about the next one, which may have been billed.
    if (entry?.attempt !== attempt) {
      const advice = "Find out about that one, which recover() lists if its outcome is unknown.";
      throw new StoreError("resolve", "another attempt has begun since", { isRetryable: false, advice });
    }
    if (taskid !== undefined && entry.task?.taskid === taskid) return entry.task;
    rejectSettled(entry, taskid);
    if (taskid !== undefined) {
      // Only an existing task may replace one that has ended. Otherwise an invented id could free the key.
      const isUnverified = resolution !== "notCreated" && resolution.unverified && entry.state !== "ended";
      if (!isUnverified && !(await exists(entry.kind, taskid))) throw notKnown(entry, taskid);
      await takeTask(entries, entry, taskid);
    }
    const { kind, model, origin, resultCount, createdAt } = entry;
    const facts = { version: 2, kind, model, origin, resultCount, createdAt, generationId: id } as const;
    const task = taskid === undefined ? undefined : { ...facts, taskid };
    const state = task ? "created" : "notCreated";
    const change = { state, task, outcome: undefined, reason: "resolved by hand", resolvedByHand: true } as const;
    // If another writer has changed the entry, it is read again.
    if (await entries.change(entry, change)) return task;
  }
}

function reject(field: string, problem: string, advice: string): InvalidRequestError {
  return invalidRequest("resolve", field, "notAllowed", problem, advice);
}

function notKnown({ origin, state }: GenerationRecord, taskid: string): InvalidRequestError {
  const way = state === "ended" ? "." : ", or pass { unverified: true } to record it anyway.";
  const advice = `Use the id of a task that the service at ${origin} knows${way}`;
  return reject("taskid", `${describeValue(taskid)} is not known to the service`, advice);
}

function taskidOf(resolution: Resolution): string | undefined {
  if (resolution === "notCreated") return undefined;
  const taskid: unknown = resolution?.taskid;
  if (typeof taskid === "string" && taskid !== "") return taskid;
  throw invalidRequest("resolve", "resolution", "invalid", mustBe('{ taskid } or "notCreated"', resolution));
}

/** Rejects a generation whose outcome came, or will come, from the service itself. */
function rejectSettled({ id, state, task, resolvedByHand }: GenerationRecord, taskid: string | undefined): void {
  // A wrong task is noticed only by its results. A key whose task has ended never generates again.
  if (state === "unknown" || (resolvedByHand && (state !== "ended" || taskid !== undefined))) return;
  const isUnderWay = state === "claimed" || state === "sending";
  const why = isUnderWay ? "is still under way" : `has a known outcome (${task?.taskid ?? state})`;
  const advice = "Use a generation of unknown outcome. For one that was resolved by hand, the task can be corrected.";
  throw reject("generationId", `${id} ${why}`, advice);
}

/**
 * Takes a task from the entry that a user has resolved to it. The outcome of that one is unknown again, so that swapped tasks can be
 * corrected. Rejects a task that the service returned for another generation.
 */
async function takeTask(entries: Entries, { id, kind }: GenerationRecord, taskid: string): Promise<void> {
  for await (const other of entries.list({ states: ["created", "ended"] })) {
    if ("unreadable" in other || other.id === id || other.kind !== kind || other.task?.taskid !== taskid) continue;
    if (!other.resolvedByHand) {
      const problem = `${describeValue(taskid)} is the task of the generation ${other.id}`;
      throw reject("taskid", problem, "Two generations never share a task: check both ids.");
    }
    const reason = `its task was resolved as that of the generation ${id}`;
    if (await entries.change(other, { state: "unknown", task: undefined, outcome: undefined, reason })) return;
    const what = "another process has changed the generation that holds the task";
    throw new StoreError("resolve", what, { advice: "Try again." });
  }
}
