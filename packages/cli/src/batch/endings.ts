import { join } from "node:path";
import type { BatchSummary } from "@mediagen/batch";
import { CommandError } from "../errors/command-error.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { counted } from "../terminal/counted.ts";
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

/** A way for a batch to end without all of its results. */
interface Ending {
  readonly applies: (summary: BatchSummary) => boolean;
  readonly what: (end: BatchEnd) => string;
  readonly advice: (end: BatchEnd) => string;
  readonly exitCode: (end: BatchEnd) => number;
}

/** The endings. The first that applies is reported. */
const endings: readonly Ending[] = [
  {
    applies: ({ stopped }) => stopped === "declined",
    what: () => "cancelled",
    advice: () => "Nothing was sent.",
    exitCode: () => exitCodes.usage,
  },
  {
    applies: ({ stopped }) => stopped === "credits",
    what: ({ summary }) => `insufficient credits; ${countsText(summary)}`,
    advice: ({ again }) => withCommands("Add credits, then continue with:", again),
    exitCode: () => exitCodes.credits,
  },
  {
    applies: ({ stopped }) => stopped === "rejected",
    what: ({ summary }) => countsText(summary) + stopText(summary),
    advice: ({ again }) => withCommands("Correct the API key or the base URL, then continue with:", again),
    exitCode: () => exitCodes.failed,
  },
  {
    applies: ({ stopped }) => stopped === "unreachable",
    what: ({ summary }) => countsText(summary) + stopText(summary),
    advice: ({ again }) => withCommands("Check the network and the base URL, then continue with:", again),
    exitCode: () => exitCodes.failed,
  },
  {
    applies: ({ unknown }) => unknown > 0,
    what: ({ summary }) =>
      `${summary.unknown} of ${counted(summary.lines, "line")} ${summary.unknown === 1 ? "has" : "have"} an unknown outcome and may have been billed${stopText(summary)}`,
    advice: ({ again }) =>
      withCommands(
        "Look in the service's console for their tasks, or ask its support. Record what you find as printed above, then continue with:",
        again,
      ),
    exitCode: () => exitCodes.unknown,
  },
  {
    applies: ({ unfinished }) => unfinished > 0,
    what: ({ summary }) =>
      `${summary.unfinished} of ${counted(summary.lines, "line")} ${summary.unfinished === 1 ? "is" : "are"} unfinished`,
    advice: ({ again }) => withCommands("Nothing is billed twice; continue with:", again),
    exitCode: ({ summary, timeouts }) =>
      timeouts === summary.unfinished && summary.failed === 0 ? exitCodes.timeout : exitCodes.failed,
  },
  {
    applies: ({ failed }) => failed > 0,
    what: ({ summary }) => `${summary.failed} of ${counted(summary.lines, "line")} failed`,
    advice: ({ directory }) =>
      `${join(directory, "results.jsonl")} has the reasons; --retry-failed generates a second task for each line that has had one; this is billed.`,
    exitCode: () => exitCodes.failed,
  },
  {
    // Without it, a script that goes on until nothing is left would never end.
    applies: ({ stopped, generated }) => stopped === "maxResults" && generated === 0,
    what: ({ summary }) => `--max-results is too low for the next line; ${countsText(summary)}`,
    advice: ({ again }) => withCommands("No task was created. Raise it, then continue with:", again),
    exitCode: () => exitCodes.usage,
  },
];

/** Returns the error of a batch that has ended without all of its results. */
export function errorOf(end: BatchEnd): CommandError | undefined {
  const ending = endings.find(({ applies }) => applies(end.summary));
  return ending && new CommandError(ending.what(end), ending.advice(end), ending.exitCode(end));
}

/** Returns how many lines have ended, and how. */
export function countsText({ lines, succeeded, failed, unknown, unfinished, notStarted }: BatchSummary): string {
  const rest = notStarted > 0 ? `, ${notStarted} not started` : "";
  return `${succeeded} of ${counted(lines, "line")} succeeded, ${failed} failed, ${unknown} unknown, ${unfinished} unfinished${rest}`;
}

function stopText({ stopped, error }: BatchSummary): string {
  // Like --limit, --max-results ends a run as it was asked to.
  if (stopped === undefined || stopped === "maxResults") return "";
  const isKey = error?.name === "AuthenticationError";
  return `. The batch stopped after this error: ${isKey ? "the service rejected the API key" : error?.message}`;
}
