import type { ForgetOptions, GenerationEntry, GenerationState } from "../task/generation.ts";

/** What a call does that finds its key in a state. */
type Step = "generate" | "return its task" | "reject" | "wait";

/** The step in each state: after `created`, never a second generation. */
const steps: Readonly<Record<GenerationState, Step>> = {
  claimed: "wait",
  sending: "wait",
  created: "return its task",
  ended: "return its task",
  unknown: "reject",
  notCreated: "generate",
};

/**
 * Returns the step at an entry. A silent sender has claimed and sent nothing, or its outcome is
 * recorded as unknown first.
 */
export function stepAt(entry: GenerationEntry | undefined, isSilent: boolean): Step {
  if (!entry) return "generate";
  return isSilent && entry.state === "claimed" ? "generate" : steps[entry.state];
}

/** What the error of a failed call says about its generation. */
export type Failure = "unknown" | "not created" | "from elsewhere";

/** Returns the state of a generation whose call failed. */
export function stateAfter(
  state: "claimed" | "sending",
  failure: Failure,
): "unknown" | "notCreated" {
  if (failure === "unknown") return "unknown";
  if (failure === "not created") return "notCreated";
  // Errors from elsewhere do not prove that nothing was sent.
  return state === "sending" ? "unknown" : "notCreated";
}

/** Returns whether an entry may be written over the stored one. Every store has this rule. */
export function mayFollow(entry: GenerationEntry, current: GenerationEntry | undefined): boolean {
  if (!current) return entry.revision === 1;
  return current.revision === entry.revision - 1 && current.attempt === entry.follows;
}

/**
 * Returns whether an attempt, whose write lost against the current entry, may write again on top of
 * it.
 */
export function mayRetryOn(
  current: GenerationEntry | undefined,
  last: GenerationEntry | undefined,
  attempt: string,
  { state, task }: Pick<GenerationEntry, "state" | "task">,
): boolean {
  // Then the store contradicts itself.
  if (current?.revision === last?.revision) return false;
  if (!current) return task !== undefined;
  if (current.attempt !== attempt) return false;
  // Its last write seemed to fail, and was stored.
  if (isUnderWay(current)) return true;
  // Another process took the sender for dead. A response that comes after all knows better.
  return task ? !current.task : state === "notCreated" && current.state === "unknown";
}

/**
 * Returns whether a person may say what became of a generation: only if the service did not, and
 * will not.
 */
export function mayResolve(
  { state, resolvedByHand }: GenerationEntry,
  taskid: string | undefined,
): boolean {
  if (state === "unknown") return true;
  // A wrong task is noticed only by its results. A key whose task has ended never generates again.
  return resolvedByHand === true && (state !== "ended" || taskid !== undefined);
}

/** The age at which a service surely knows a task. */
const youngMs = 60_000;

/**
 * Returns whether a service may not know the task of an entry yet. The clock of another host may be
 * ahead, so that its entries seem to come from the future.
 */
export function isYoung({ createdAt }: GenerationEntry, now: number): boolean {
  return Math.abs(now - createdAt) < youngMs;
}

export function mayForget(
  entry: GenerationEntry,
  { keyed = false, before = Infinity }: ForgetOptions = {},
): boolean {
  if (entry.state !== "ended" && entry.state !== "notCreated") return false;
  return (keyed || entry.idempotencyKey === undefined) && entry.updatedAt < before;
}

export function isUnderWay(entry: GenerationEntry | undefined): boolean {
  return entry?.state === "claimed" || entry?.state === "sending";
}

/** Returns the reason why this version cannot read a stored value; undefined if it can. */
export function whyUnreadable(value: unknown): string | undefined {
  const { version, revision, attempt, model, state, task } = Object(
    value,
  ) as Partial<GenerationEntry>;
  if (version !== 1) return `its version is ${JSON.stringify(version)}, not 1`;
  if (task && task.version !== 2)
    return `its task's version is ${JSON.stringify(task.version)}, not 2`;
  const isKnown = state !== undefined && Object.hasOwn(steps, state);
  const hasTask = (state !== "created" && state !== "ended") || task?.taskid;
  const isWhole = Number.isSafeInteger(revision) && attempt && typeof model === "string" && isKnown;
  return isWhole && hasTask ? undefined : "a field is missing or not valid";
}
