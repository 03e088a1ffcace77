import { InsufficientCreditsError, InvalidRequestError, type Issue } from "@mediagen/sdk";
import { MediaGenError, OutcomeUnknownError, TaskFailedError, WaitTimeoutError } from "@mediagen/sdk";
import { type Flag, withFlags } from "../flags/flags.ts";
import { withCommands } from "../terminal/shell-commands.ts";
import { CommandError } from "./command-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { Interrupted } from "./interrupt.ts";

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
  /** Returns the commands that resolve a generation of unknown outcome. */
  readonly resolve?: ((id: string) => readonly string[]) | undefined;
}

/** Returns a thrown value as an error for the person who runs the command. */
export function explain(error: unknown, circumstances: Circumstances = {}): CommandError {
  if (error instanceof CommandError) return error;
  const { task, generates = false, resume, flags = [] } = circumstances;
  const fail = (what: string, advice: string, exitCode: number = exitCodes.failed) =>
    new CommandError(what, advice, exitCode, error, task === undefined ? undefined : "yes");
  const next = (fix: string) =>
    resume
      ? withCommands(fix === "" ? "Continue with:" : `${fix}, then continue with:`, resume)
      : `${fix === "" ? "Run" : `${fix} and run`} the command again.`;
  if (error instanceof Interrupted) {
    const left = task ? `; ${task} is not lost` : generates ? "; it created no task, so nothing was billed" : "";
    return fail(error.message + left, next(""), error.exitCode);
  }
  if (error instanceof InvalidRequestError) {
    const what = issuesText(error.issues, flags).replace(/ Nothing was sent\.$/, "");
    const isSent = error.billed !== "no" || task !== undefined;
    return fail(
      what,
      next(isSent ? "Correct it" : "Nothing was sent. Correct it"),
      isSent ? exitCodes.failed : exitCodes.usage,
    );
  }
  if (MediaGenError.is(error)) return fail(...explainOwn(error, circumstances));
  if (error instanceof Error && "code" in error) return fail(error.message, next("Fix that"));
  const bug = "This is a bug in mediagen; please report it.";
  return fail(error instanceof Error ? (error.stack ?? "") : String(error), resume ? next("") : bug);
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

/** Explains an error of the SDK with its own sentences, and with the commands to run next. */
function explainOwn(
  error: MediaGenError,
  { resume, resolve, flags = [] }: Circumstances,
): readonly [what: string, advice: string, exitCode: number] {
  const what = withFlags(error.message.replace(error.advice, "").trimEnd(), flags);
  const advice = withFlags(error.advice, flags);
  if (error instanceof OutcomeUnknownError) {
    const { generationId } = error;
    const commands = generationId !== undefined && resolve?.(generationId);
    return [what, commands ? withCommands(lookForTask, ...commands) : advice, exitCodes.unknown];
  }
  const isLate = error instanceof WaitTimeoutError;
  const isCredits = error instanceof InsufficientCreditsError;
  const exitCode = isCredits ? exitCodes.credits : isLate ? exitCodes.timeout : exitCodes.failed;
  if (!resume || error instanceof TaskFailedError) return [what, advice, exitCode];
  return [what, withCommands(error.isRetryable ? "Continue with:" : `${advice} Continue with:`, resume), exitCode];
}

/** The advice on a generation of unknown outcome, before the two commands that resolve it. */
export const lookForTask =
  "Look in the service's console for the task, or ask its support. Then record its id, or that there is none:";
