import { invalidRequest, type InvalidRequestError, StoreError } from "../errors/errors.ts";
import { describeValue, mustBe } from "../errors/issue.ts";
import { isYoung, mayResolve, whyUnreadable } from "../money/entry.ts";
import type { Kind } from "../spec/operation.ts";
import type { GenerationEntry } from "../task/generation.ts";
import type { CallOptions, TaskJSON } from "../task/task.ts";
import type { Entries } from "./entries.ts";

/** The task of a generation, as you found it at the service. */
export interface FoundTask {
  /** The id of the task. */
  readonly taskid: string;
  /** Whether the task is recorded without a query that verifies it. @default false */
  readonly unverified?: boolean | undefined;
}

/** Your finding about a generation: the id of its task, or that there is none. */
export type Resolution = FoundTask | "notCreated";

/** Options of `resolve`. */
export interface ResolveOptions extends CallOptions {
  /**
   * The attempt that you looked for, as in `OutcomeUnknownError` or `recover`. With `"notCreated"`
   * it is required: what you found out about one attempt says nothing about a later one of the same
   * key, which may have been billed.
   * @default the last attempt
   */
  readonly attempt?: string | undefined;
}

/** A finding, and how to verify it. */
export interface Finding {
  readonly resolution: Resolution;
  readonly attempt: string | undefined;
  readonly exists: (kind: Kind, taskid: string) => Promise<boolean>;
  readonly signal: AbortSignal | undefined;
}

/** A service may know a task only a while after it has created it: it is queried twice. */
const betweenQueriesMs = 10_000;

/** What a finding changes in each entry. */
const byHand = {
  outcome: undefined,
  reason: undefined,
  taskid: undefined,
  resolvedByHand: true,
} as const;

const onlyAnother = "Its task has ended: only { taskid } of another task may replace it.";

export async function resolve(
  entries: Entries,
  id: string,
  finding: Finding,
): Promise<TaskJSON | undefined> {
  const { taskid, unverified } = readFinding(finding);
  let { attempt } = finding;
  for (;;) {
    const stored = await entries.get(id);
    if (stored?.origin !== entries.host.origin || whyUnreadable(stored) !== undefined)
      throw reject("generationId", `${describeValue(id)} is not in the store`, listed);
    attempt ??= stored.attempt;
    const isSending = stored.state === "sending";
    const entry = isSending ? await entries.renewed(stored, finding.signal) : stored;
    if (!entry) throw changed();
    if (taskid !== undefined && entry.task?.taskid === taskid) return entry.task;
    if (entry.attempt !== attempt) return resolveEarlier(entries, entry, attempt, finding);
    rejectKnown(entry, taskid);
    if (taskid === undefined) await rejectExisting(entries, entry, finding);
    else {
      // Only an existing task may replace one that has ended. Otherwise an invented id could free
      // the key.
      const mustExist = entry.state === "ended" || !unverified;
      if (mustExist && !(await finding.exists(entry.kind, taskid)))
        throw unknownTask(entry, taskid);
      await takeTask(entries, entry, taskid);
    }
    const task = taskid === undefined ? undefined : taskOf(entry, taskid);
    const state = task ? "created" : "notCreated";
    if (await entries.change(entry, { ...byHand, state, task })) return task;
  }
}

function readFinding({ resolution, attempt }: Finding): Partial<FoundTask> {
  if (resolution === "notCreated") {
    if (attempt !== undefined) return {};
    const advice = "Pass the { attempt } that you looked for.";
    throw invalidRequest(
      "resolve",
      "attempt",
      "missing",
      'is missing: "notCreated" is about one attempt',
      advice,
    );
  }
  // The cast: what a caller without a compiler passes may be anything.
  const found = Object(resolution) as Partial<FoundTask>;
  if (typeof found.taskid === "string" && found.taskid !== "") return found;
  const problem = mustBe('{ taskid } or "notCreated"', resolution);
  throw invalidRequest("resolve", "resolution", "invalid", problem);
}

/**
 * Keeps a task of an earlier attempt in an entry of its own, without the key. Rejects that such an
 * attempt created no task: the key has been used again, and that attempt may have been billed.
 */
async function resolveEarlier(
  entries: Entries,
  entry: GenerationEntry,
  attempt: string,
  { resolution, attempt: given, exists }: Finding,
): Promise<TaskJSON> {
  if (given === undefined) throw changed();
  if (resolution === "notCreated")
    throw reject("attempt", `${attempt} is not the last attempt: its key was used again`, listed);
  const { taskid, unverified } = resolution;
  if (!unverified && !(await exists(entry.kind, taskid))) throw unknownTask(entry, taskid);
  const own = { ...entry, id: attempt, attempt, revision: 1, follows: undefined };
  await takeTask(entries, own, taskid);
  const task = taskOf(own, taskid);
  const updatedAt = entries.host.time.now();
  const created = { ...byHand, state: "created", task, updatedAt } as const;
  const result = await entries.write({ ...own, ...created, idempotencyKey: undefined });
  if (!result.written && result.current?.task?.taskid !== taskid) throw changed();
  entries.host.emit({ type: "lateTask", task, generationId: entry.id });
  return task;
}

/** Rejects that a generation created no task if it has one that the service may know. */
async function rejectExisting(
  { host }: Entries,
  entry: GenerationEntry,
  { exists, signal }: Finding,
): Promise<void> {
  const { kind, task } = entry;
  if (!task) return;
  const known = () =>
    reject(
      "resolution",
      `the service may know the task ${task.taskid}`,
      "Pass { taskid } of another one, or wait a minute and look for it again.",
    );
  if (isYoung(entry, host.time.now()) || (await exists(kind, task.taskid))) throw known();
  await host.time.sleep(betweenQueriesMs, signal, "pause");
  if (await exists(kind, task.taskid)) throw known();
}

function taskOf(
  { id, kind, model, origin, resultCount, createdAt }: GenerationEntry,
  taskid: string,
): TaskJSON {
  return { version: 2, kind, model, origin, resultCount, createdAt, generationId: id, taskid };
}

const listed = "Use one that recover() lists.";

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
  throw reject("generationId", `${id} ${known}`, resolvedByHand ? onlyAnother : listed);
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
