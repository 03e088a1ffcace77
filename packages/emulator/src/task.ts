import type { Behaviour } from "./behaviour.ts";
import type { ResultPlan } from "./results.ts";
import type { UploadedFile } from "./read-request.ts";

/** The emulator's own words for where a task is. */
export type EmulatorState = "pending" | "running" | "succeeded" | "failed";

/** A task as the emulator keeps it. Its state is a function of this and the clock; nothing else changes it. */
export interface EmulatorTask {
  readonly taskid: string;
  readonly kind: string;
  readonly model: string;
  readonly createdAt: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: readonly UploadedFile[];
  readonly prompt: string;
  readonly seed: number;
  readonly plan: ResultPlan;
  /** When it starts to run and when it ends, in milliseconds after its creation. */
  readonly startsAfterMs: number;
  readonly endsAfterMs: number;
  readonly fails: boolean;
}

/** Where a task is at a time. */
export function stateAt(task: EmulatorTask, now: number): EmulatorState {
  const age = now - task.createdAt;
  if (age < task.startsAfterMs) return "pending";
  if (age < task.endsAfterMs) return "running";
  return task.fails ? "failed" : "succeeded";
}

/** How many of a task's results are there at a time. */
export function resultsAt(task: EmulatorTask, now: number, { resultsArrive }: Behaviour): number {
  const state = stateAt(task, now);
  if (state === "succeeded") return task.plan.count;
  if (state !== "running" || resultsArrive === "together" || task.fails) return 0;
  const share = (now - task.createdAt - task.startsAfterMs) / (task.endsAfterMs - task.startsAfterMs);
  return Math.floor(share * task.plan.count);
}

/** How far a task is, from 0 to 1. */
export function progressAt(task: EmulatorTask, now: number): number {
  return Math.min(1, Math.max(0, (now - task.createdAt) / task.endsAfterMs));
}
