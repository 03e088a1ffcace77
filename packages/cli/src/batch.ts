import { join, sep } from "node:path";
import { createInterface } from "node:readline/promises";
import { InvalidRequestError, runBatch, type BatchLine, type BatchPlan, type BatchProgress } from "@mediagen/sdk/node";
import { clientOptions, connectFlags, type ConnectOptions } from "./connect.ts";
import { clockText } from "./duration.ts";
import { CommandError, explain, tell } from "./explain.ts";
import { exitCodes } from "./exit-codes.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { createOutput } from "./output.ts";
import { onOneLine, quoted } from "./printable.ts";
import { createProgress } from "./progress.ts";
import { checkTarget } from "./target.ts";

interface BatchCommandOptions extends Omit<ConnectOptions, "journal"> {
  readonly output: string;
  readonly yes?: true;
  readonly concurrency?: number;
  readonly rate?: number;
  readonly timeout: { readonly ms: number; readonly text: string };
}

/** How often a pipe is told of progress; a terminal has a line that lives. */
const pipeEveryMs = 10_000;
/** An interrupted batch that has not ended by then waits for answers. */
const answersWithinMs = 300;

/** `mediagen batch`: what each line of a file asks for, into a folder. */
export async function batch(input: string, options: BatchCommandOptions): Promise<void> {
  const { output: folder, concurrency, rate, timeout } = options;
  if (input === "-")
    throw new CommandError(
      "a batch reads its input twice, and once more whenever it goes on: stdin is there only once",
      `Nothing was sent. Put it in a file: ... > jobs.jsonl && mediagen batch jobs.jsonl -o ${quoted(folder)}`,
      exitCodes.usage,
    );
  const again = ["mediagen", ...process.argv.slice(2).map(quoted)].join(" ");
  const { signal } = listenForInterrupt((interrupted) => tell(explain(interrupted, { resume: again })));
  const progress = createProgress(options);
  const output = createOutput(options);
  const journal = join(folder, "journal.jsonl");
  let began = false;
  let timeouts = 0;
  let toldAt = -Infinity;
  let ending: NodeJS.Timeout | undefined;
  signal.addEventListener("abort", () => {
    const why =
      "mediagen: forms are on their way; waiting for their answers, so that no task is lost. Once more gives up on them.";
    ending = setTimeout(() => progress.warn(why), answersWithinMs);
  });

  function onLine({ line, id, state, files, error, generation }: BatchLine): void {
    progress.end();
    for (const { name } of files) output.line(join(folder, name));
    if (error) progress.warn(`line ${line} (${id}) ${state}: ${error.message}`);
    if (generation !== undefined)
      progress.warn(
        `  settle it: ${["mediagen recover --resolve", generation, "--taskid TASKID (or --not-created)", ...connectFlags({ ...options, journal })].join(" ")}`,
      );
    if (error?.name === "WaitTimeoutError") timeouts++;
  }

  function onProgress(now: BatchProgress): void {
    began = true;
    if (!process.stderr.isTTY && performance.now() - toldAt < pipeEveryMs) return;
    toldAt = performance.now();
    progress.now(progressText(now));
  }

  async function confirm(plan: BatchPlan): Promise<boolean> {
    if (options.yes) return true;
    const paid = Object.entries(plan.byModel)
      .map(([model, count]) => `${count} of ${model}`)
      .join(", ");
    const what = `${plan.generations} paid generations for ${plan.lines} lines (${paid})`;
    if (!process.stdin.isTTY)
      throw new CommandError(
        `${what} need to be confirmed`,
        "Nothing was sent. Add --yes to confirm them.",
        exitCodes.usage,
      );
    // Without a terminal's own editing, Ctrl-C reaches the command as at any other time.
    const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    // The end of what is typed is no yes.
    const closed = new Promise<string>((resolve) => void terminal.once("close", () => resolve("")));
    try {
      return /^y(es)?$/i.test(
        (await Promise.race([terminal.question(`${what}. Go on? [y/N] `, { signal }), closed])).trim(),
      );
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      terminal.close();
    }
  }

  await checkTarget(join(folder, sep), {});
  try {
    progress.now(`checking the lines of ${input}`);
    const summary = await runBatch(input, folder, {
      ...(await clientOptions(options, { signal, progress })),
      concurrency,
      generationsPerMinute: rate,
      timeoutMs: timeout.ms,
      signal,
      onLine,
      onProgress,
      async confirm(plan) {
        progress.end();
        return confirm(plan);
      },
    });
    progress.end();
    output.document({ ...summary, folder });
    if (summary.stopped === "declined")
      throw new CommandError("it was not confirmed", "Nothing was sent.", exitCodes.failed);
    const { lines, succeeded, failed, unknown, unfinished, stopped, error } = summary;
    const told = `${succeeded} of ${lines} lines succeeded, ${failed} failed, ${unknown} unknown, ${unfinished} unfinished`;
    progress.note(`${told}; ${join(folder, "index.html")} shows them`);
    if (stopped === "credits")
      throw new CommandError(
        `insufficient credits; ${told}`,
        `Add credits, then go on with: ${again}`,
        exitCodes.credits,
      );
    const sentNoMore = stopped === undefined ? "" : `; nothing more was sent after ${error?.message}`;
    if (stopped === "refused")
      throw new CommandError(
        told + sentNoMore,
        `Set the key and the base URL right, then go on with: ${again}`,
        exitCodes.failed,
      );
    if (stopped === "unreachable")
      throw new CommandError(
        told + sentNoMore,
        `Look at the network and the base URL, then go on with: ${again}`,
        exitCodes.failed,
      );
    if (unknown > 0)
      throw new CommandError(
        `${unknown} of ${lines} lines have an unknown outcome and may have been paid${sentNoMore}`,
        `Look at the service, settle them as told above, then go on with: ${again}`,
        exitCodes.unknown,
      );
    if (unfinished > 0)
      throw new CommandError(
        `${unfinished} of ${lines} lines are unfinished`,
        `Nothing is paid twice; go on with: ${again}`,
        timeouts === unfinished && failed === 0 ? exitCodes.timeout : exitCodes.failed,
      );
    if (failed > 0)
      throw new CommandError(
        `${failed} of ${lines} lines failed`,
        `${join(folder, "results.jsonl")} tells why; a new id generates a line anew.`,
        exitCodes.failed,
      );
  } catch (error) {
    progress.end();
    if (began && error instanceof InvalidRequestError)
      throw new CommandError(
        onOneLine(error.message),
        `Nothing is paid twice; go on with: ${again}`,
        exitCodes.failed,
        error,
      );
    if (error instanceof InvalidRequestError && error.issues.length > 1) {
      for (const { field, got, allowed, hint } of error.issues)
        progress.warn(
          onOneLine(
            `${field}: got ${got}, allowed is ${allowed}${hint === undefined ? "" : ` (did you mean ${hint}?)`}`,
          ),
        );
      throw new CommandError(
        `${input}: ${error.issues.length} things are wrong`,
        "Nothing was sent. Correct them and run the command again.",
        exitCodes.usage,
        error,
      );
    }
    throw explain(error, { generates: error instanceof InvalidRequestError, resume: again });
  } finally {
    clearTimeout(ending);
    progress.end();
  }
}

function progressText({
  lines,
  succeeded,
  failed,
  unknown,
  unfinished,
  running,
  linesPerMinute,
  leftMs,
}: BatchProgress): string {
  const counts = Object.entries({ failed, unknown, unfinished, running }).flatMap(([name, count]) =>
    count > 0 ? `, ${count} ${name}` : [],
  );
  const left =
    leftMs === undefined
      ? ""
      : `, ${linesPerMinute.toFixed(linesPerMinute < 10 ? 1 : 0)} a minute, ${clockText(leftMs)} left`;
  return `${succeeded} of ${lines} done${counts.join("")}${left}`;
}
