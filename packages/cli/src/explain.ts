import {
  ConnectionError,
  describeIssue,
  InsufficientCreditsError,
  InvalidRequestError,
  type Issue,
  OutcomeUnknownError,
  ServiceError,
  StoreError,
  TaskFailedError,
  WaitTimeoutError,
} from "@mediagen/sdk";
import { CommanderError, type Command } from "commander";
import { exitCodes } from "./exit-codes.ts";
import { fieldFlagsOf } from "./field-flags.ts";
import { Interrupted } from "./interrupt.ts";
import { onOneLine, printable, withCommands } from "./printable.ts";

/** An error for the person who runs the command. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** What to do: a sentence, and commands on lines of their own. */
  readonly advice: string;
  readonly exitCode: number;

  constructor(what: string, advice: string, exitCode: number, cause?: unknown) {
    super(what, { cause });
    this.advice = advice;
    this.exitCode = exitCode;
  }
}

/** What the command knows besides the error. */
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
  /** The timeout of the wait, as the command line spells it. */
  readonly timeout?: string | undefined;
}

/** Returns what was thrown as an error for the person who runs the command. */
export function explain(error: unknown, circumstances: Circumstances = {}): CommandError {
  const { command, task, generates = false, resume } = circumstances;
  const flagOf = (field: string) => flagIn(command, field);
  const explained = (what: string, advice: string, exitCode: number) => new CommandError(what, advice, exitCode, error);
  const goOn = resume && withCommands("Go on with:", resume);
  const afterFix = resume ? withCommands("Fix that, then go on with:", resume) : "Fix that and run the command again.";
  if (error instanceof CommandError) return error;
  if (error instanceof CommanderError) {
    const [what = "", hint] = error.message.replace(/^error: /, "").split("\n");
    return explained(what, hint?.replace(/[()]/g, "") ?? `Run ${pathOf(command)} --help for usage.`, exitCodes.usage);
  }
  if (error instanceof Interrupted) {
    const left = task ? `; ${task} is not lost` : generates ? "; it created no task, so nothing was billed" : "";
    return explained(error.message + left, goOn ?? "Run the command again.", error.exitCode);
  }
  if (error instanceof InvalidRequestError) {
    const issues = error.issues.map((issue) => describeWithFlags(issue, flagOf));
    return explained(
      issues.join(" "),
      generates ? "Nothing was sent. Fix it and run the command again." : afterFix,
      task ? exitCodes.failed : exitCodes.usage,
    );
  }
  const known = explainOutcome(error, circumstances, afterFix);
  if (known) return explained(...known);
  return explained(
    error instanceof Error ? (error.stack ?? error.message) : String(error),
    goOn ?? "This is a bug in mediagen; please report it.",
    exitCodes.failed,
  );
}

/** Returns an issue in sentences, with the SDK's fields and options as flags. */
function describeWithFlags(issue: Issue, flagOf: (name: string) => string): string {
  const { code, names = [], suggestion, ...rest } = issue;
  const field = flagOf(issue.field);
  const flags = names.map(flagOf).join(", ");
  const flag = suggestion === undefined ? undefined : flagOf(suggestion);
  if (code === "unknownField")
    return describeIssue({ ...rest, field, code, expected: `one of ${flags}`, ...(flag && { suggestion: flag }) });
  if (code === "tooFew" && flags !== "")
    return describeIssue({ ...rest, field, code, expected: `at least one of ${flags}` });
  if (code === "notAllowed" && flag) return `${describeIssue({ ...rest, field, code })} Pass ${flag} to allow it.`;
  return describeIssue({ ...issue, field });
}

/** Explains how a generation or a task ended, and why the service was not of use. */
function explainOutcome(
  error: unknown,
  circumstances: Circumstances,
  afterFix: string,
): [what: string, advice: string, exitCode: number] | undefined {
  const { task, resume, timeout } = circumstances;
  const goOn = resume && withCommands("Go on with:", resume);
  if (error instanceof OutcomeUnknownError) {
    return [
      `${error.operation}: ${error.reason}; a task may exist and may have been billed, so it was not sent again`,
      adviceOnUnknown(error, circumstances),
      exitCodes.unknown,
    ];
  }
  if (error instanceof InsufficientCreditsError)
    return [
      `${error.operation}: insufficient credits (${error.msg ?? error.body})`,
      goOn ?? "No task was created. Add credits and run the command again.",
      exitCodes.credits,
    ];
  if (error instanceof TaskFailedError) {
    const reason = "message" in error.record && error.record.message ? `: ${error.record.message}` : "";
    return [
      `${task ?? error.task.taskid} failed${reason}`,
      "It will have no results. If you generate it again, it is billed again.",
      exitCodes.failed,
    ];
  }
  if (error instanceof WaitTimeoutError) {
    const last = error.cause instanceof Error ? `; the last query failed: ${error.cause.message}` : "";
    return [
      `${task ?? error.task.taskid} was not finished after ${timeout ?? "the timeout"}${last}`,
      goOn ?? "It is not lost: wait for it again.",
      exitCodes.timeout,
    ];
  }
  if (error instanceof ConnectionError)
    return [
      error.message,
      goOn ?? "Check the network and the base URL, then run the command again. Nothing is billed twice.",
      exitCodes.failed,
    ];
  if (error instanceof ServiceError) return [error.message, adviceOnService(circumstances, afterFix), exitCodes.failed];
  const isForeseen = error instanceof StoreError || (error instanceof Error && "code" in error);
  return isForeseen ? [error.message, afterFix, exitCodes.failed] : undefined;
}

/** What to do about a generation of unknown outcome, before the two commands that resolve it. */
export const lookForTask = "Look for the task at the service, then record its id, or that there is none:";

function adviceOnUnknown({ generationId }: OutcomeUnknownError, { resolve }: Circumstances): string {
  if (generationId === undefined || !resolve)
    return "Look for the task at the service before you run this again. With --store, such a generation is recorded.";
  return withCommands(lookForTask, ...resolve(generationId));
}

function adviceOnService({ command, generates }: Circumstances, afterFix: string): string {
  const isKeyless = command && command.opts()["keyFd"] === undefined && !process.env["MEDIAGEN_API_KEY"];
  if (isKeyless) return "No API key was sent: set MEDIAGEN_API_KEY or add --key-fd.";
  return generates ? "No task was created. Fix what the service names and run the command again." : afterFix;
}

/** Returns a command as it is typed, such as `mediagen video`. */
function pathOf(command: Command | undefined): string {
  return command?.parent ? `${pathOf(command.parent)} ${command.name()}` : "mediagen";
}

/** Returns the flag for a field such as `sourceImage[1]` or an option of the SDK, or the name itself if there is no flag. */
function flagIn(command: Command | undefined, field: string): string {
  if (!command) return field;
  const [, name = field, rest = ""] = /^(\w+)(.*)$/.exec(field) ?? [];
  const option =
    fieldFlagsOf(command).find((flag) => flag.field === name)?.option ??
    command.options.find((one) => one.attributeName() === name);
  return option?.long ? option.long + rest : field;
}

/** Prints an error on stderr: a line with what happened, a line with what to do, and a line for each command. */
export function tell({ message, advice }: CommandError): void {
  // A live line may be there.
  if (process.stderr.isTTY && process.env["TERM"] !== "dumb") process.stderr.write("\r\x1b[K");
  const lines = [`mediagen: ${onOneLine(message)}`, ...printable(advice).split("\n")];
  process.stderr.write(lines.join("\n  ") + "\n");
}
