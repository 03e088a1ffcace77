import type { BatchLine, BatchProgress } from "./options.ts";

/** Counts the lines of a batch. */
export class Progress {
  readonly #counts = { lines: 0, succeeded: 0, failed: 0, unknown: 0, unfinished: 0, running: 0, generated: 0 };
  readonly #now: () => number;
  #begin: number;
  /** Lines that have to run, and those of them that have ended. */
  readonly #work = { todo: 0, done: 0 };

  constructor(now: () => number) {
    this.#now = now;
    this.#begin = now();
  }

  /** Sets the number of lines, those that have to run, and those that earlier runs have ended. */
  recordPlan(lines: number, todo: number, ended: { readonly succeeded: number; readonly failed: number }): void {
    Object.assign(this.#counts, { lines, ...ended });
    this.#work.todo = todo;
  }

  /** Starts to measure time. */
  restartClock(): void {
    this.#begin = this.#now();
  }

  recordStart(): void {
    this.#counts.running++;
  }

  recordGenerated(): void {
    this.#counts.generated++;
  }

  recordStop(): void {
    this.#counts.running--;
  }

  recordEnd(state: BatchLine["state"]): void {
    this.#counts[state]++;
    this.#work.done++;
  }

  report(): BatchProgress {
    const { lines, succeeded, failed, unknown, unfinished, running } = this.#counts;
    const ended = succeeded + failed + unknown + unfinished;
    const elapsedMs = this.#now() - this.#begin;
    const { todo, done } = this.#work;
    const perMs = elapsedMs > 0 ? done / elapsedMs : 0;
    return {
      ...this.#counts,
      notStarted: lines - ended - running,
      elapsedMs,
      linesPerMinute: perMs * 60_000,
      leftMs: perMs > 0 ? (todo - done) / perMs : undefined,
    };
  }
}
