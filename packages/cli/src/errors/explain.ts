import { InsufficientCreditsError, InvalidRequestError, type Issue } from "@mediagen/sdk";
import {
  MediaGenError,
  OutcomeUnknownError,
  TaskFailedError,
  WaitTimeoutError,
} from "@mediagen/sdk";
import { type Flag, withFlags } from "../flags/flags.ts";
import { withCommands } from "../terminal/shell-commands.ts";
import { CommandError, Interrupted } from "./command-error.ts";
import { exitCodes } from "./exit-codes.ts";

/** A generation of unknown outcome, and the attempt that it is about. */
export interface Unresolved {
  readonly generationId: string;
  readonly attempt: string;
  /** The id of the task that the response named. */
  readonly taskid?: string | undefined;
}

/** The context of an error. */
export interface Circumstances {
  /** The flags of the command that was run. */
  readonly flags?: readonly Flag[] | undefined;
  /** The task as the command line spells it, if there is one. */
  readonly task?: string | undefined;
  /** Whether the command generates and has no task yet. */
  readonly generates?: boolean | undefined;
  /** The command that continues. */
  readonly resume?: string | undefined;
  /** Returns the advice on a generation of unknown outcome, with the commands that resolve it. */
  readonly resolve?: ((generation: Unresolved) => string) | undefined;
}

/**
 * Returns a thrown value as an error for the person who runs the command: with the SDK's advice,
 * and the command to run next.
 */
export function explain(error: unknown, circumstances: Circumstances = {}): CommandError {
  if (error instanceof CommandError) return error;
  const { task, generates = false, resume, resolve, flags = [] } = circumstances;
  const fail = (what: string, advice: string, exitCode: number = exitCodes.failed) =>
    new CommandError(what, {
      advice,
      exitCode,
      cause: error,
      billed: task === undefined ? undefined : "yes",
    });
  const next = (advice: string) =>
    resume
      ? withCommands(`${advice} Continue with:`.trim(), resume)
      : advice || "Run the command again.";
  if (error instanceof Interrupted) {
    let left = "";
    if (task) left = `; ${task} is not lost`;
    else if (generates) left = "; it created no task, so nothing was billed";
    return fail(error.message + left, next(""), error.exitCode);
  }
  if (error instanceof InvalidRequestError) {
    const what = issuesText(error.issues, flags).replace(/ Nothing was sent\.$/, "");
    const isSent = error.billed === "yes" || task !== undefined;
    if (isSent) return fail(what, next(error.advice));
    return fail(what, next(`Nothing was sent. ${error.advice}`), exitCodes.usage);
  }
  if (error instanceof MediaGenError) {
    const what = withFlags(error.problem, flags);
    const advice = withFlags(error.advice, flags);
    if (error instanceof OutcomeUnknownError) {
      const { generationId, attempt, taskid } = error;
      const known =
        generationId !== undefined &&
        attempt !== undefined &&
        resolve?.({ generationId, attempt, taskid });
      return fail(what, known || advice, exitCodes.unknown);
    }
    if (error instanceof TaskFailedError) return fail(what, advice);
    return fail(what, next(resume && error.isRetryable ? "" : advice), exitCodeOf(error));
  }
  if (error instanceof Error && "code" in error)
    return fail(error.message, next("Fix that, then try again."));
  const bug = "This is a bug in mediagen; please report it.";
  return fail(
    error instanceof Error ? (error.stack ?? "") : String(error),
    resume ? next("") : bug,
  );
}

function exitCodeOf(error: MediaGenError): number {
  if (error instanceof InsufficientCreditsError) return exitCodes.credits;
  return error instanceof WaitTimeoutError ? exitCodes.timeout : exitCodes.failed;
}

/** Returns issues in sentences, with flags in place of the SDK's fields and options. */
export function issuesText(issues: readonly Issue[], flags: readonly Flag[]): string {
  const texts = issues.map(({ code, message, field }) => {
    const flag = code === "unknown" ? flags.find((one) => one.field === field) : undefined;
    return flag?.models
      ? `--${flag.name} is only of ${[...flag.models.keys()].join(", ")}.`
      : withFlags(message, flags, field);
  });
  return texts.join(" ");
}
