import type { BatchProgress } from "./options.ts";

/** The progress of a batch. */
export class Progress {
  /** Lines by state, and the tasks that this run has created. */
  readonly counts = {
    lines: 0,
    succeeded: 0,
    failed: 0,
    unknown: 0,
    unfinished: 0,
    running: 0,
    generated: 0,
  };
  /** Lines that have to run, and those of them that have ended. */
  readonly work = { todo: 0, done: 0 };
  readonly #now: () => number;
  #begin: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#begin = now();
  }

  restartClock(): void {
    this.#begin = this.#now();
  }

  report(): BatchProgress {
    const { lines, succeeded, failed, unknown, unfinished, running } = this.counts;
    const elapsedMs = Math.round(this.#now() - this.#begin);
    const { todo, done } = this.work;
    const perMs = elapsedMs > 0 ? done / elapsedMs : 0;
    return {
      ...this.counts,
      notStarted: lines - succeeded - failed - unknown - unfinished - running,
      elapsedMs,
      linesPerMinute: Math.round(perMs * 600_000) / 10,
      leftMs: perMs > 0 ? Math.round((todo - done) / perMs) : undefined,
    };
  }
}
