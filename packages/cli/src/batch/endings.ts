import { join } from "node:path";
import type { BatchSummary } from "@mediagen/batch";
import { CommandError } from "../errors/command-error.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { flagsOf, withFlags } from "../flags/flags.ts";
import { counted } from "../terminal/text.ts";
import { withCommands } from "../terminal/shell-commands.ts";

/** A batch that has ended. */
export interface BatchEnd {
  readonly summary: BatchSummary;
  readonly directory: string;
  /** The command that continues the batch. */
  readonly again: string;
  /** Number of lines that were not finished in time. */
  readonly timeouts: number;
}

/** Returns the error of a batch that has ended without all of its results. */
export function errorOf({
  summary,
  directory,
  again,
  timeouts,
}: BatchEnd): CommandError | undefined {
  const { stopped, lines, failed, unknown, unfinished } = summary;
  const goOn = (advice: string) => withCommands(`${advice} continue with:`, again);
  const of = (count: number, how: string) => `${count} of ${counted(lines, "line")} ${how}`;
  const fail = (
    what: string,
    advice: string,
    exitCode: number = exitCodes.failed,
    billed?: "maybe" | "yes",
  ) => new CommandError(what, { advice, exitCode, billed });
  if (stopped === "declined") return fail("cancelled", "Nothing was sent.", exitCodes.usage);
  if (stopped !== undefined && stopped !== "unknown") {
    const exitCode = stopped === "credits" ? exitCodes.credits : exitCodes.failed;
    return fail(countsText(summary) + stopText(summary), goOn("Fix that, then"), exitCode);
  }
  if (unknown > 0) {
    const what = `${of(unknown, "of unknown outcome")} and perhaps billed${stopText(summary)}`;
    const advice =
      "Look in the service's console for their tasks, or ask its support. Record what you find as printed above, then";
    return fail(what, goOn(advice), exitCodes.unknown, "maybe");
  }
  if (unfinished > 0) {
    const isLate = timeouts === unfinished && failed === 0;
    const advice = goOn("Nothing is billed twice;");
    const what = of(unfinished, "unfinished");
    return isLate ? fail(what, advice, exitCodes.timeout, "yes") : fail(what, advice);
  }
  if (failed > 0) {
    const again =
      "--retry-failed generates a second task for each line that has had one; this is billed.";
    return fail(
      of(failed, "failed"),
      `${join(directory, "results.jsonl")} has the reasons; ${again}`,
    );
  }
  return undefined;
}

/** Returns how many lines have ended, and how. */
export function countsText({
  lines,
  succeeded,
  failed,
  unknown,
  unfinished,
  notStarted,
}: BatchSummary): string {
  const rest = notStarted > 0 ? `, ${notStarted} not started` : "";
  return `${succeeded} of ${counted(lines, "line")} succeeded, ${failed} failed, ${unknown} unknown, ${unfinished} unfinished${rest}`;
}

function stopText({ stopped, error }: BatchSummary): string {
  if (stopped === undefined || !error) return "";
  return `. The batch stopped after this error: ${withFlags(error.message, flagsOf("batch"))}`;
}
