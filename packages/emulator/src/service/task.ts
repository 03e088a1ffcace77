import type { Behaviour } from "./settings.ts";
import type { UploadedFile } from "./uploaded-file.ts";
import type { ResultPlan } from "./results.ts";

/** The state of a task in the emulator. */
export type EmulatorState = "pending" | "running" | "succeeded" | "failed";

/** A task as the emulator stores it. Its state depends only on these fields and the clock. */
export interface EmulatorTask {
  /** The task's id. */
  readonly taskid: string;
  /** The kind, such as `video`. */
  readonly kind: string;
  /** The model. */
  readonly model: string;
  /** The time of creation on the emulator's clock, in milliseconds since 1970. */
  readonly createdAt: number;
  /** The fields of its form. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The files of its form. */
  readonly files: readonly UploadedFile[];
  /** The prompt of its form. */
  readonly prompt: string;
  /** The seed of its form, or a random one. */
  readonly seed: number;
  /** The planned results. */
  readonly plan: ResultPlan;
  /** The time until it starts to run, in milliseconds after its creation. */
  readonly startsAfterMs: number;
  /** The time until it ends, in milliseconds after its creation. */
  readonly endsAfterMs: number;
  /** Whether the task fails. */
  readonly fails: boolean;
}

/** Returns the state of a task at a time. */
export function stateAt(task: EmulatorTask, now: number): EmulatorState {
  const age = now - task.createdAt;
  if (age < task.startsAfterMs) return "pending";
  if (age < task.endsAfterMs) return "running";
  return task.fails ? "failed" : "succeeded";
}

/** Returns the number of results of a task at a time. */
export function resultsAt(task: EmulatorTask, now: number, { resultsArrive }: Behaviour): number {
  const state = stateAt(task, now);
  if (state === "succeeded") return task.plan.count;
  if (state !== "running" || resultsArrive === "together" || task.fails) return 0;
  const share =
    (now - task.createdAt - task.startsAfterMs) / (task.endsAfterMs - task.startsAfterMs);
  return Math.floor(share * task.plan.count);
}

/** Returns the progress of a task at a time, from 0 to 1. */
export function progressAt(task: EmulatorTask, now: number): number {
  return Math.min(1, Math.max(0, (now - task.createdAt) / task.endsAfterMs));
}
