import { createRandom, type Random } from "./random.ts";
import { isResultCount } from "./results.ts";
import type { EmulatorTask } from "./task.ts";

/** One paid creation. */
export interface Charge {
  /** The task that was created. */
  readonly taskid: string;
  /** The operation's id. */
  readonly operation: string;
  /** What it cost. */
  readonly credits: number;
  /** When, in milliseconds since 1970 on the emulator's clock. */
  readonly at: number;
}

/** Everything that outlives a call, as plain JSON. */
export interface Snapshot {
  /** The version of this JSON. */
  readonly version: 1;
  /** What the emulator was created with. */
  readonly seed: number;
  /** Where its random numbers stand. */
  readonly random: number;
  /** Its time, in milliseconds since 1970. */
  readonly now: number;
  /** The balance. */
  readonly credits: number;
  /** Every task that was not deleted. */
  readonly tasks: readonly EmulatorTask[];
  /** Each paid creation. */
  readonly charges: readonly Charge[];
}

/** What the emulator remembers. */
export interface State {
  readonly seed: number;
  readonly random: Random;
  credits: number;
  tasks: Map<string, EmulatorTask>;
  charges: Charge[];
}

/** An empty memory. */
export function createState(seed: number, credits: number): State {
  return { seed, random: createRandom(seed), credits, tasks: new Map(), charges: [] };
}

/** The memory as plain JSON. */
export function takeSnapshot({ seed, random, credits, tasks, charges }: State, now: number): Snapshot {
  return { version: 1, seed, random: random.state, now, credits, tasks: [...tasks.values()], charges: [...charges] };
}

/** Puts the memory back to a snapshot. */
export function restoreSnapshot(state: State, snapshot: Snapshot): void {
  if (!isSnapshot(snapshot)) throw new TypeError("this is no snapshot of an emulator of this version");
  // Everything is looked at before anything is changed.
  state.random.state = snapshot.random;
  state.credits = snapshot.credits;
  state.tasks = new Map(snapshot.tasks.map((task) => [task.taskid, task]));
  state.charges = [...snapshot.charges];
}

function isSnapshot(value: unknown): value is Snapshot {
  if (typeof value !== "object" || value === null) return false;
  const { version, random, now, credits, tasks, charges } = value as Partial<Record<keyof Snapshot, unknown>>;
  if (version !== 1 || ![random, now, credits].every(Number.isFinite)) return false;
  return Array.isArray(tasks) && tasks.every(isTask) && Array.isArray(charges) && charges.every(isCharge);
}

function isTask(value: unknown): value is EmulatorTask {
  if (typeof value !== "object" || value === null) return false;
  const { taskid, kind, model, prompt, createdAt, startsAfterMs, endsAfterMs, seed, plan, fields } =
    value as Partial<EmulatorTask>;
  const texts = [taskid, kind, model, prompt].every((text) => typeof text === "string");
  const numbers = [createdAt, startsAfterMs, endsAfterMs, seed, plan?.width, plan?.height].every(Number.isFinite);
  return texts && numbers && typeof fields === "object" && fields !== null && isResultCount(plan?.count);
}

function isCharge(value: unknown): value is Charge {
  return typeof value === "object" && value !== null && Number.isFinite((value as Partial<Charge>).credits);
}
