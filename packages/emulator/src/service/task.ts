import type { Behaviour } from "./behaviour.ts";
import type { UploadedFile } from "./read-request.ts";
import type { ResultPlan } from "./results.ts";

/** The emulator's own words for where a task is. */
export type EmulatorState = "pending" | "running" | "succeeded" | "failed";

/** A task as the emulator keeps it. Its state is a function of this and the clock; nothing else changes it. */
export interface EmulatorTask {
  /** The task's id. */
  readonly taskid: string;
  /** The kind, such as `video`. */
  readonly kind: string;
  /** The model that makes it. */
  readonly model: string;
  /** When it was created, in milliseconds since 1970 on the emulator's clock. */
  readonly createdAt: number;
  /** The fields of its form. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The files of its form. */
  readonly files: readonly UploadedFile[];
  /** The prompt of its form. */
  readonly prompt: string;
  /** The seed of its form, or the one that was drawn. */
  readonly seed: number;
  /** What it makes. */
  readonly plan: ResultPlan;
  /** When it starts to run, in milliseconds after its creation. */
  readonly startsAfterMs: number;
  /** When it ends, in milliseconds after its creation. */
  readonly endsAfterMs: number;
  /** Whether it ends in a failure. */
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
