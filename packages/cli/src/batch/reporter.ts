import { join } from "node:path";
import type { BatchLine, BatchProgress } from "@mediagen/batch";
import type { ConnectOptions } from "../client/connect.ts";
import { lookForTask } from "../errors/explain.ts";
import { resolveCommands } from "../tasks/resume-commands.ts";
import { clockText } from "../terminal/text.ts";
import type { Output } from "../terminal/output.ts";
import type { Progress } from "../terminal/progress.ts";

/** The interval of progress in a pipe. A terminal has a live line. */
const pipeEveryMs = 10_000;

/** Prints the lines and the progress of a batch while it runs. */
export class BatchReporter {
  /** The number of tasks that this run has created. */
  generated = 0;
  /** The number of lines that were not finished in time. */
  timeouts = 0;
  readonly #directory: string;
  readonly #options: ConnectOptions;
  readonly #output: Output;
  readonly #progress: Progress;
  #printedAt = -Infinity;

  /** `options` describe the connection, for the commands that resolve unknown outcomes. */
  constructor(directory: string, options: ConnectOptions, output: Output, progress: Progress) {
    this.#directory = directory;
    this.#options = options;
    this.#output = output;
    this.#progress = progress;
  }

  printLine({ line, id, state, files, error, generationId }: BatchLine): void {
    this.#progress.end();
    for (const { name } of files) this.#output.line(join(this.#directory, name));
    if (error) this.#progress.warn(`line ${line} (${id}) ${state}: ${error.message}`);
    if (generationId !== undefined)
      this.#progress.warn(`  ${lookForTask}`, ...resolveCommands(generationId, this.#options));
    if (error?.name === "WaitTimeoutError") this.timeouts++;
  }

  printProgress(now: BatchProgress): void {
    this.generated = now.generated;
    if (!process.stderr.isTTY && performance.now() - this.#printedAt < pipeEveryMs) return;
    this.#printedAt = performance.now();
    this.#progress.now(textOf(now));
  }
}

function textOf({ lines, succeeded, linesPerMinute, leftMs, ...more }: BatchProgress): string {
  const { failed, unknown, unfinished, running } = more;
  const counts = Object.entries({ failed, unknown, unfinished, running }).flatMap(([name, count]) =>
    count > 0 ? `, ${count} ${name}` : [],
  );
  const rate = `${linesPerMinute.toFixed(linesPerMinute < 10 ? 1 : 0)} a minute`;
  const left = leftMs === undefined ? "" : `, ${rate}, ${clockText(leftMs)} left`;
  return `${succeeded} of ${lines} done${counts.join("")}${left}`;
}
