import {
  ConnectionError,
  InsufficientCreditsError,
  InvalidRequestError,
  OutcomeUnknownError,
  ServiceError,
  TaskFailedError,
  WaitTimeoutError,
} from "@mediagen/sdk";
import { CommanderError, type Command } from "commander";
import { exitCodes } from "./exit-codes.ts";
import { fieldFlagsOf } from "./field-flags.ts";
import { Interrupted } from "./interrupt.ts";
import { onOneLine } from "./printable.ts";

/** What went wrong, for whoever ran the command: what happened, what to do, and the code to end with. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly advice: string;
  readonly exitCode: number;

  constructor(what: string, advice: string, exitCode: number, cause?: unknown) {
    super(what, { cause });
    this.advice = advice;
    this.exitCode = exitCode;
  }
}

/** What is known beside an error. */
export interface Circumstances {
  /** The command that was run. */
  readonly command?: Command | undefined;
  /** The task, as the command line spells it, where there was one already. */
  readonly task?: string | undefined;
  /** Whether the command was to generate, and there is no task yet. */
  readonly generates?: boolean | undefined;
  /** The command that goes on from here. */
  readonly resume?: string | undefined;
  /** Where an unknown generation is settled, if there is a journal. */
  readonly resolve?: ((id: string) => string) | undefined;
  /** How long it was waited. */
  readonly timeout?: string | undefined;
}

/** Explains what was thrown. */
export function explain(error: unknown, known: Circumstances = {}): CommandError {
  const { command, task, generates = false, resume, resolve, timeout } = known;
  const flagOf = (field: string) => flagIn(command, field);
  const explained = (what: string, advice: string, exitCode: number) => new CommandError(what, advice, exitCode, error);
  const goOn = resume && `Go on with: ${resume}`;
  const onceMended = resume ? `Mend that, then go on with: ${resume}` : "Mend that and run the command again.";
  if (error instanceof CommandError) return error;
  if (error instanceof CommanderError) {
    const [what = "", hint] = error.message.replace(/^error: /, "").split("\n");
    return explained(
      what,
      hint?.replace(/[()]/g, "") ?? `${pathOf(command)} --help shows what there is.`,
      exitCodes.usage,
    );
  }
  if (error instanceof Interrupted) {
    const left = task ? `; ${task} goes on at the service` : generates ? "; no form was sent, so nothing is paid" : "";
    return explained(error.message + left, goOn ?? "Run the command again.", exitCodes.interrupted);
  }
  if (error instanceof InvalidRequestError) {
    // Fields and options of the SDK are flags here.
    const spelled = (allowed: string) =>
      allowed
        .replace(/(?<=^(?:one of the fields|at least \d+ of) ).*/, (names) => names.split(", ").map(flagOf).join(", "))
        .replace(/(\w+): true\b/g, (_, name: string) => flagOf(name));
    const issues = error.issues.map(
      ({ field, got, allowed, hint }) =>
        `${flagOf(field)}: got ${got}, allowed is ${spelled(allowed)}${hint === undefined ? "" : ` (did you mean ${flagOf(hint)}?)`}`,
    );
    return explained(
      issues.join("; "),
      generates ? "Nothing was sent. Correct it and run the command again." : onceMended,
      exitCodes.usage,
    );
  }
  if (error instanceof OutcomeUnknownError) {
    const settle =
      error.id !== undefined && resolve
        ? `then settle it: ${resolve(error.id)}`
        : "before you run this again; with --journal such a generation is kept to be settled";
    return explained(
      `${error.operation}: ${error.why}; a task may exist and may have been paid, and it was not sent again`,
      `Look at the service, ${settle}.`,
      exitCodes.unknown,
    );
  }
  if (error instanceof InsufficientCreditsError)
    return explained(
      `${error.operation}: insufficient credits (${error.msg ?? error.answer})`,
      goOn ?? "Add credits and run the command again; no task was created.",
      exitCodes.credits,
    );
  if (error instanceof TaskFailedError) {
    const said = "message" in error.record && error.record.message ? `: ${error.record.message}` : "";
    return explained(
      `${task ?? error.task.taskid} failed${said}`,
      "Its results will not come; generate it anew if you want to pay for it again.",
      exitCodes.failed,
    );
  }
  if (error instanceof WaitTimeoutError) {
    const last = error.cause instanceof Error ? `; the last query failed: ${error.cause.message}` : "";
    return explained(
      `${task ?? error.task.taskid} was not finished after ${timeout ?? "the time given"}${last}`,
      goOn ?? "It is not lost: wait for it again.",
      exitCodes.timeout,
    );
  }
  if (error instanceof ConnectionError)
    return explained(
      error.message,
      goOn ?? "Look at the network and at the base URL, and run the command again: nothing is paid twice.",
      exitCodes.failed,
    );
  const keyless = command && command.opts()["keyFd"] === undefined && !process.env["MEDIAGEN_API_KEY"];
  if (error instanceof ServiceError && keyless)
    return explained(error.message, "It had no API key: set MEDIAGEN_API_KEY, or give --key-fd.", exitCodes.failed);
  if (error instanceof ServiceError)
    return explained(
      error.message,
      generates
        ? "The service refused it, so no task was created; correct what it names and run the command again."
        : onceMended,
      exitCodes.failed,
    );
  if (error instanceof Error && "code" in error) return explained(error.message, onceMended, exitCodes.failed);
  return explained(
    error instanceof Error ? (error.stack ?? error.message) : String(error),
    goOn ?? "This is a fault of mediagen itself; please report it.",
    exitCodes.failed,
  );
}

/** A command as one writes it, such as `mediagen video`. */
function pathOf(command: Command | undefined): string {
  return command?.parent ? `${pathOf(command.parent)} ${command.name()}` : "mediagen";
}

/** How a command spells a field such as `sourceImage[1]`, or an option; itself where it has no flag. */
function flagIn(command: Command | undefined, field: string): string {
  if (!command) return field;
  const [, name = field, rest = ""] = /^(\w+)(.*)$/.exec(field) ?? [];
  const option =
    fieldFlagsOf(command).find((flag) => flag.field === name)?.option ??
    command.options.find((one) => one.attributeName() === name);
  return option?.long ? option.long + rest : field;
}

/** Tells in two lines on stderr. */
export function tell({ message, advice }: CommandError): void {
  // A live line may stand there.
  if (process.stderr.isTTY && process.env["TERM"] !== "dumb") process.stderr.write("\r\x1b[K");
  process.stderr.write(`mediagen: ${onOneLine(message)}\n  ${onOneLine(advice)}\n`);
}
