import { join, sep } from "node:path";
import { planBatch, runBatch, type BatchOptions, type BatchSummary } from "@mediagen/batch";
import { fileStore, InvalidRequestError } from "@mediagen/sdk/node";
import { countsText, errorOf } from "../batch/endings.ts";
import { planText } from "../batch/plan-text.ts";
import { BatchReporter } from "../batch/reporter.ts";
import { checkAccess, readAccess } from "../client/access.ts";
import { clientOptions, nowhere } from "../client/connect.ts";
import { type CommandError, tell, usageError } from "../errors/command-error.ts";
import { explain, issuesText } from "../errors/explain.ts";
import { listenForInterrupt } from "../client/interrupt.ts";
import { flagsOf, type Options } from "../flags/flags.ts";
import { checkTarget } from "../files/target.ts";
import { readEntries } from "../tasks/store-entries.ts";
import { ask } from "../terminal/ask.ts";
import { counted, onOneLine } from "../terminal/text.ts";
import { createOutput, type Output } from "../terminal/output.ts";
import { createProgress, type Progress } from "../terminal/progress.ts";
import type { Parsed } from "../usage/command.ts";
import { typedCommand } from "../terminal/shell-commands.ts";

/** The context that the steps of the command share. */
interface Context {
  readonly input: string;
  readonly directory: string;
  readonly options: Options;
  /** The command that continues the batch. */
  readonly again: string;
  readonly signal: AbortSignal;
  readonly output: Output;
  readonly progress: Progress;
  readonly reporter: BatchReporter;
}

/** Returns the store of a batch in its directory. */
function storeIn(directory: string): string {
  return join(directory, "generations");
}

/** The time after which an interrupted batch that has not ended is waiting for responses. */
const responsesWithinMs = 300;

/** `mediagen batch`: generates what each line of a file describes, into a directory. */
export async function run({ words: [input = ""], options }: Parsed): Promise<void> {
  const { output: directory = "." } = options;
  const again = typedCommand();
  const { signal } = listenForInterrupt((interrupted) =>
    tell(explain(interrupted, { resume: again })),
  );
  const progress = createProgress(options);
  const output = createOutput(options);
  const reporter = new BatchReporter({
    directory,
    options: { ...options, store: storeIn(directory) },
    output,
    progress,
  });
  const context = { input, directory, options, again, signal, output, progress, reporter };
  const stopWarning = warnWhileInterrupted(signal, progress);
  try {
    if (options.dryRun) return await showPlan(context);
    checkAccess(await readAccess(options), options);
    await checkTarget(join(directory, sep), {});
    const summary = await runLines(context);
    progress.end();
    const error = errorOf({ summary, directory, again, timeouts: reporter.timeouts });
    if (error?.billed === "no" && summary.generated > 0) error.billed = "yes";
    output.document({ ...summary, directory, error });
    if (summary.stopped !== "declined")
      progress.note(`${countsText(summary)}; ${join(directory, "index.html")} shows them`);
    if (error) throw error;
    if (summary.notStarted > 0)
      progress.hint(`${counted(summary.notStarted, "line")} left; continue with:`, `  ${again}`);
  } catch (error) {
    progress.end();
    const explained = explainBatch(error, context);
    if (reporter.generated > 0) explained.billed = "yes";
    throw explained;
  } finally {
    stopWarning();
    progress.end();
  }
}

/** `--dry-run`: prints what would be billed. Nothing is sent or written. */
async function showPlan(context: Context): Promise<void> {
  const { input, directory, options, output, progress } = context;
  const given = await batchOptions(context);
  const plan = await planBatch(input, directory, {
    ...given,
    baseUrl: given.baseUrl ?? (await originOf(directory)),
  });
  progress.end();
  output.line(`${planText(plan, options.limit)}. Nothing was sent.`);
  output.document(plan);
}

/**
 * Returns the origin of a directory's results. If there are none, any URL will do, because it only
 * serves a plan.
 */
async function originOf(directory: string): Promise<string> {
  const { entries } = await readEntries(fileStore(storeIn(directory)));
  return entries[0]?.origin ?? nowhere;
}

async function runLines(context: Context): Promise<BatchSummary> {
  const { input, directory, options, signal, progress, reporter } = context;
  return runBatch(input, directory, {
    ...(await batchOptions(context)),
    concurrency: options.concurrency,
    generationsPerMinute: options.rate,
    waitTimeoutMs: options.timeout,
    onLine: (line) => reporter.printLine(line),
    onProgress: (now) => reporter.printProgress(now),
    confirm(plan) {
      progress.end();
      return options.yes ?? confirmPlan(planText(plan, options.limit), signal);
    },
  });
}

/** Returns the options that a plan and a run share. */
async function batchOptions({ input, options, signal, progress }: Context): Promise<BatchOptions> {
  progress.now(`checking the lines of ${input}`);
  const { limit, only, retryFailed } = options;
  return {
    ...clientOptions(options, await readAccess(options), progress),
    signal,
    limit,
    only,
    retryFailed,
  };
}

async function confirmPlan(what: string, signal: AbortSignal): Promise<boolean> {
  if (process.stdin.isTTY) return /^y(es)?$/i.test(await ask(`${what}. Go on? [y/N] `, signal));
  const advice = "Nothing was sent. Add --yes to confirm them.";
  throw usageError(`not confirmed: ${what}`, advice);
}

/** Warns if an interrupted batch continues. Returns a function that stops that. */
function warnWhileInterrupted(signal: AbortSignal, progress: Progress): () => void {
  let timer: NodeJS.Timeout | undefined;
  signal.addEventListener("abort", () => {
    const why =
      "mediagen: forms are being sent; waiting for the responses, so that no task is lost. Press Ctrl-C again to give up.";
    timer = setTimeout(() => progress.warn(why), responsesWithinMs);
  });
  return () => clearTimeout(timer);
}

function explainBatch(
  error: unknown,
  { input, directory, again, progress }: Context,
): CommandError {
  const flags = [
    ...flagsOf("batch"),
    { name: `output ${directory}`, field: "directory", text: "" },
  ];
  const isInvalid = error instanceof InvalidRequestError;
  if (!isInvalid || error.issues.length === 1) return explain(error, { flags, resume: again });
  for (const issue of error.issues) progress.warn(onOneLine(issuesText([issue], flags)));
  const what = `${error.issues.length} problems in ${input}`;
  return usageError(what, "Nothing was sent. Correct them and run the command again.", error);
}
