import type { Task } from "../task/task.ts";

/** The number of checks in a row that must show the same status and message. */
const checksOfSuspicion = 3;

interface Seen {
  readonly status: number;
  readonly message: string;
  readonly checks: number;
}

/** Detects tasks that may have failed: their records have a message and no longer change, but their meaning is unknown. */
export class Suspicion {
  readonly #seen = new WeakMap<Task, Seen>();
  readonly #reported = new Set<number>();

  /** Records what a check has shown. Returns whether the task may have failed. */
  check(task: Task, status: number, message: string): boolean {
    const last = this.#seen.get(task);
    const checks = last?.status === status && last?.message === message ? last.checks + 1 : 1;
    this.#seen.set(task, { status, message, checks });
    return message !== "" && checks >= checksOfSuspicion;
  }

  /** Returns true once for each status. */
  isNew(status: number): boolean {
    const isNew = !this.#reported.has(status);
    this.#reported.add(status);
    return isNew;
  }
}
