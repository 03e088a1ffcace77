import { join } from "node:path";
import type { BatchLine, BatchProgress } from "@mediagen/batch";
import type { Options } from "../flags/flags.ts";
import { lookForTask, resolveCommands } from "../tasks/resume-commands.ts";
import { clockText } from "../terminal/text.ts";
import type { Output } from "../terminal/output.ts";
import type { Progress } from "../terminal/progress.ts";

/** The interval of progress in a pipe. A terminal has a live line. */
const pipeEveryMs = 10_000;

/** Dependencies of the reporter. */
interface ReporterHost {
  readonly directory: string;
  /** For the commands that resolve unknown outcomes. */
  readonly options: Options;
  readonly output: Output;
  readonly progress: Progress;
}

/** Prints the lines and the progress of a batch while it runs. */
export class BatchReporter {
  /** The number of tasks that this run has created. */
  generated = 0;
  /** The number of lines that were not finished in time. */
  timeouts = 0;
  readonly #host: ReporterHost;
  #printedAt = -Infinity;

  constructor(host: ReporterHost) {
    this.#host = host;
  }

  printLine({ line, id, state, files, error, generationId, attempt }: BatchLine): void {
    const { directory, options, output, progress } = this.#host;
    progress.end();
    for (const { name } of files) output.line(join(directory, name));
    if (error) progress.warn(`line ${line} (${id}) ${state}: ${error.message}`);
    if (generationId !== undefined && attempt !== undefined)
      progress.warn(`  ${lookForTask}`, ...resolveCommands({ generationId, attempt }, options));
    if (error?.name === "WaitTimeoutError") this.timeouts++;
  }

  printProgress(now: BatchProgress): void {
    this.generated = now.generated;
    if (!process.stderr.isTTY && performance.now() - this.#printedAt < pipeEveryMs) return;
    this.#printedAt = performance.now();
    this.#host.progress.now(textOf(now));
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
