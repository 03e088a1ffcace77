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
  const goOn = resume && withCommands("Continue with:", resume);
  if (error instanceof Interrupted) {
    const left = task ? `; ${task} is not lost` : generates ? "; it created no task, so nothing was billed" : "";
    return fail(error.message + left, goOn ?? "Run the command again.", error.exitCode);
  }
  const fix = resume ? withCommands("Fix that, then continue with:", resume) : "Fix that and run the command again.";
  if (error instanceof InvalidRequestError) {
    const advice = generates ? "Nothing was sent. Correct it and run the command again." : fix;
    const what = issuesText(error.issues, flags).replace(generates ? / Nothing was sent\.$/ : "", "");
    return fail(what, advice, task ? exitCodes.failed : exitCodes.usage);
  }
  if (MediaGenError.is(error)) return fail(...explainOwn(error, circumstances));
  if (error instanceof Error && "code" in error) return fail(error.message, fix);
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return fail(what, goOn ?? "This is a bug in mediagen; please report it.");
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
