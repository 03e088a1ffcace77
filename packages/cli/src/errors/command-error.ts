import { InvalidRequestError, type Issue, MediaGenError, OutcomeUnknownError, ServiceError } from "@mediagen/sdk";
import { onOneLine, printable } from "../terminal/text.ts";
import { exitCodes } from "./exit-codes.ts";

/** An error for the person who runs the command. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** The advice: a sentence, and commands on lines of their own. */
  readonly advice: string;
  readonly exitCode: number;
  /** The task as the command line spells it, if there is one. */
  readonly task: string | undefined;
  /** What it means for the money, if neither the exit code nor the cause says that. */
  billed: MediaGenError["billed"] = "no";

  constructor(what: string, advice: string, exitCode: number, cause?: unknown, task?: string) {
    super(what, { cause });
    if (MediaGenError.is(cause)) this.billed = cause.billed;
    this.advice = advice;
    this.exitCode = exitCode;
    this.task = task;
  }
}

/** Returns the error of a command that is used or configured wrongly. Nothing was sent. */
export function usageError(what: string, advice: string, cause?: unknown): CommandError {
  return new CommandError(what, advice, exitCodes.usage, cause);
}

/** Returns the message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error as `--json` prints it. */
export interface ErrorDocument {
  /** The SDK's error, or `UsageError`. */
  readonly name: string;
  /** The code of the service's response, if it sent one. */
  readonly code?: number | undefined;
  readonly message: string;
  readonly advice: string;
  readonly issues?: readonly Issue[] | undefined;
  readonly task?: string | undefined;
  /** For `mediagen recover --resolve`. */
  readonly generationId?: string | undefined;
  /** Whether a generation was billed. */
  readonly billed: MediaGenError["billed"];
  /** Whether the same command may succeed later. */
  readonly isRetryable: boolean;
  readonly exitCode: number;
}

/** What the codes of errors that only come once there may be a task say about the money. */
const billedBy: Readonly<Record<number, MediaGenError["billed"]>> = {
  [exitCodes.unknown]: "maybe",
  [exitCodes.unsaved]: "yes",
  [exitCodes.timeout]: "yes",
};

/** Returns an error as `--json` prints it. */
export function errorDocument({ message, advice, exitCode, cause, task, billed }: CommandError): ErrorDocument {
  const isUsage = exitCode === exitCodes.usage && !(cause instanceof InvalidRequestError);
  return {
    name: isUsage || !(cause instanceof Error) ? (isUsage ? "UsageError" : "Error") : cause.name,
    code: cause instanceof ServiceError ? cause.code : undefined,
    message,
    advice,
    issues: cause instanceof InvalidRequestError ? cause.issues : undefined,
    task,
    generationId: cause instanceof OutcomeUnknownError ? cause.generationId : undefined,
    billed: task ? "yes" : (billedBy[exitCode] ?? billed),
    isRetryable: MediaGenError.is(cause) && cause.isRetryable,
    exitCode,
  };
}

/** Prints an error on stderr: a line with what happened, a line with what to do, and a line for each command. */
export function tell({ message, advice }: CommandError): void {
  // A live line may be there.
  if (process.stderr.isTTY && process.env["TERM"] !== "dumb") process.stderr.write("\r\x1b[K");
  const lines = [`mediagen: ${onOneLine(message)}`, ...printable(advice).split("\n")];
  process.stderr.write(lines.join("\n  ") + "\n");
}
