import { createRandom, type Random } from "./random.ts";
import type { EmulatorTask } from "./task.ts";

/** One paid creation. */
export interface Charge {
  readonly taskid: string;
  /** The operation's id. */
  readonly operation: string;
  readonly credits: number;
  /** When, in milliseconds since 1970 on the emulator's clock. */
  readonly at: number;
}

/** Everything that outlives a call, as plain JSON. */
export interface Snapshot {
  readonly version: 1;
  readonly seed: number;
  readonly random: number;
  readonly now: number;
  readonly credits: number;
  readonly tasks: readonly EmulatorTask[];
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
  state.random.state = snapshot.random;
  state.credits = snapshot.credits;
  state.tasks = new Map(snapshot.tasks.map((task) => [task.taskid, task]));
  state.charges = [...snapshot.charges];
}

function isSnapshot(value: unknown): value is Snapshot {
  if (typeof value !== "object" || value === null) return false;
  const { version, random, now, credits, tasks, charges } = value as Partial<Record<keyof Snapshot, unknown>>;
  return version === 1 && [random, now, credits].every(Number.isFinite) && Array.isArray(tasks) && Array.isArray(charges);
}
