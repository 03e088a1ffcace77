import {
  InsufficientCreditsError,
  InvalidRequestError,
  MediaGenError,
  OutcomeUnknownError,
  TaskFailedError,
  WaitTimeoutError,
} from "@mediagen/sdk";
import { CommanderError, type Command } from "commander";
import { withCommands } from "../terminal/shell-commands.ts";
import { CommandError } from "./command-error.ts";
import { exitCodes } from "./exit-codes.ts";
import { describeIssues } from "./explain-issue.ts";
import { explainUsage, type Explanation } from "./explain-usage.ts";
import { Interrupted } from "./interrupt.ts";

/** The context of an error. */
export interface Circumstances {
  /** The command that was run. */
  readonly command?: Command | undefined;
  /** The task as the command line spells it, if there is one. */
  readonly task?: string | undefined;
  /** Whether the command generates and has no task yet. */
  readonly generates?: boolean | undefined;
  /** The command that continues. */
  readonly resume?: string | undefined;
  /** Returns the commands that resolve a generation of unknown outcome. */
  readonly resolve?: ((id: string) => readonly string[]) | undefined;
  /** The idempotency key that the task was generated with. */
  readonly idempotencyKey?: string | undefined;
}

/** Returns a thrown value as an error for the person who runs the command. */
export function explain(error: unknown, circumstances: Circumstances = {}): CommandError {
  if (error instanceof CommandError) return error;
  const [what, advice, exitCode] = explanationOf(error, circumstances);
  return new CommandError(what, advice, exitCode, error, circumstances.task);
}

function explanationOf(error: unknown, circumstances: Circumstances): Explanation {
  const { command, task, generates = false, resume } = circumstances;
  const goOn = resume && withCommands("Continue with:", resume);
  if (error instanceof CommanderError) return explainUsage(error, command);
  if (error instanceof Interrupted) {
    const left = task ? `; ${task} is not lost` : generates ? "; it created no task, so nothing was billed" : "";
    return [error.message + left, goOn ?? "Run the command again.", error.exitCode];
  }
  if (error instanceof InvalidRequestError) {
    const advice = generates ? "Nothing was sent. Correct it and run the command again." : afterFix(circumstances);
    return [describeIssues(error.issues, command), advice, task ? exitCodes.failed : exitCodes.usage];
  }
  if (MediaGenError.is(error)) return explainOwn(error, circumstances);
  const isForeseen = error instanceof Error && "code" in error;
  if (isForeseen) return [error.message, afterFix(circumstances), exitCodes.failed];
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [what, goOn ?? "This is a bug in mediagen; please report it.", exitCodes.failed];
}

function afterFix({ resume }: Circumstances): string {
  return resume ? withCommands("Fix that, then continue with:", resume) : "Fix that and run the command again.";
}

/** Explains an error of the SDK with its own sentences, and with the commands to run next. */
function explainOwn(error: MediaGenError, circumstances: Circumstances): Explanation {
  const { resume, resolve, idempotencyKey } = circumstances;
  const { message, advice, isRetryable } = error;
  const what = message.replace(advice, "").trimEnd();
  if (error instanceof OutcomeUnknownError) {
    const { generationId } = error;
    const commands = generationId !== undefined && resolve?.(generationId);
    return [what, commands ? withCommands(lookForTask, ...commands) : advice, exitCodes.unknown];
  }
  if (error instanceof TaskFailedError) {
    const reused = idempotencyKey === undefined ? "" : " Its idempotency key returns this task: use another key.";
    return [what, advice + reused, exitCodes.failed];
  }
  const isLate = error instanceof WaitTimeoutError;
  const isCredits = error instanceof InsufficientCreditsError;
  const exitCode = isCredits ? exitCodes.credits : isLate ? exitCodes.timeout : exitCodes.failed;
  if (!resume) return [what, advice, exitCode];
  return [what, withCommands(isRetryable ? "Continue with:" : `${advice} Continue with:`, resume), exitCode];
}

/** The advice on a generation of unknown outcome, before the two commands that resolve it. */
export const lookForTask =
  "Look in the service's console for the task, or ask its support. Then record its id, or that there is none:";
