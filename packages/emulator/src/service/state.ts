import { isTime } from "./clock.ts";
import { createRandom, type Random } from "./random.ts";
import { isResultPlan } from "./results.ts";
import type { EmulatorTask } from "./task.ts";

/** The payment for one task. */
export interface Charge {
  /** The id of the task. */
  readonly taskid: string;
  /** The operation's id. */
  readonly operation: string;
  /** The price in credits. */
  readonly credits: number;
  /** The time of creation on the emulator's clock, in milliseconds since 1970. */
  readonly at: number;
}

/** Everything that outlives a call, as plain JSON. */
export interface Snapshot {
  /** The version of this JSON. */
  readonly version: 1;
  /** The seed that the emulator was created with. */
  readonly seed: number;
  /** The state of the random number generator. */
  readonly random: number;
  /** The emulator's time, in milliseconds since 1970. */
  readonly now: number;
  /** The balance in credits. */
  readonly credits: number;
  /** Every task that has not been deleted. */
  readonly tasks: readonly EmulatorTask[];
  /** One entry for each paid task. */
  readonly charges: readonly Charge[];
}

/** The state between calls. */
export interface State {
  readonly seed: number;
  readonly random: Random;
  credits: number;
  tasks: Map<string, EmulatorTask>;
  charges: Charge[];
}

/** Creates a state without tasks. */
export function createState(seed: number, credits: number): State {
  return {
    seed,
    random: createRandom(seed),
    credits: validCredits(credits),
    tasks: new Map(),
    charges: [],
  };
}

/** Returns a valid balance. Throws a RangeError if it is invalid. */
export function validCredits(credits: number): number {
  if (typeof credits === "number" && credits >= 0) return credits;
  throw new RangeError(
    `credits: ${JSON.stringify(credits)} is not valid. Use a number, at least 0.`,
  );
}

/** Returns the state as plain JSON. */
export function takeSnapshot(
  { seed, random, credits, tasks, charges }: State,
  now: number,
): Snapshot {
  return {
    version: 1,
    seed,
    random: random.state,
    now,
    credits,
    tasks: [...tasks.values()],
    charges: [...charges],
  };
}

/** Replaces the state with a snapshot's, or throws a TypeError and changes nothing. */
export function restoreSnapshot(
  state: State,
  snapshot: Snapshot,
  isKnown: (task: EmulatorTask) => boolean,
): void {
  if (!isSnapshot(snapshot) || !snapshot.tasks.every(isKnown))
    throw new TypeError(
      "restore: this is not a snapshot of this version of the emulator. Nothing was changed.",
    );
  state.random.state = snapshot.random;
  state.credits = snapshot.credits;
  state.tasks = new Map(snapshot.tasks.map((task) => [task.taskid, task]));
  state.charges = [...snapshot.charges];
}

// Checks everything that is read later. Otherwise, an invalid handwritten snapshot would only fail
// in calls.
function isSnapshot(value: unknown): value is Snapshot {
  if (!isObject(value)) return false;
  const { version, random, now, credits, tasks, charges } = value;
  if (version !== 1 || !isTime(now) || !Number.isFinite(random) || !isAmount(credits)) return false;
  return (
    Array.isArray(tasks) && tasks.every(isTask) && Array.isArray(charges) && charges.every(isCharge)
  );
}

function isTask(value: unknown): value is EmulatorTask {
  if (!isObject(value)) return false;
  const {
    taskid,
    kind,
    model,
    prompt,
    createdAt,
    startsAfterMs,
    endsAfterMs,
    seed,
    plan,
    fields,
    files,
    fails,
  } = value;
  const areTexts = [taskid, kind, model, prompt].every((text) => typeof text === "string");
  const areDurations = [startsAfterMs, endsAfterMs].every(isAmount);
  const hasForm =
    isObject(fields) && Array.isArray(files) && files.every(isObject) && Number.isFinite(seed);
  return (
    areTexts &&
    areDurations &&
    hasForm &&
    isTime(createdAt) &&
    typeof fails === "boolean" &&
    isResultPlan(plan)
  );
}

function isCharge(value: unknown): value is Charge {
  if (!isObject(value)) return false;
  const { taskid, operation, credits, at } = value;
  return (
    [taskid, operation].every((text) => typeof text === "string") && isAmount(credits) && isTime(at)
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function isAmount(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) >= 0;
}
