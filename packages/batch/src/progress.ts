import type { BatchLine, BatchProgress } from "./options.ts";

/** Counts the lines of a batch. */
export class Progress {
  readonly #counts = { lines: 0, succeeded: 0, failed: 0, unknown: 0, unfinished: 0, running: 0, generated: 0 };
  readonly #now: () => number;
  #begin: number;
  #endedBefore = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#begin = now();
  }

  /** Sets the number of lines, and those that earlier runs have ended. */
  recordPlan(lines: number, ended: { readonly succeeded: number; readonly failed: number }): void {
    Object.assign(this.#counts, { lines, ...ended });
    this.#endedBefore = ended.succeeded + ended.failed;
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
  }

  report(): BatchProgress {
    const { lines, succeeded, failed, unknown, unfinished, running } = this.#counts;
    const ended = succeeded + failed + unknown + unfinished;
    const elapsedMs = this.#now() - this.#begin;
    const perMs = elapsedMs > 0 ? (ended - this.#endedBefore) / elapsedMs : 0;
    return {
      ...this.#counts,
      notStarted: lines - ended - running,
      elapsedMs,
      linesPerMinute: perMs * 60_000,
      leftMs: perMs > 0 ? (lines - ended) / perMs : undefined,
    };
  }
}
