import {
  InvalidRequestError,
  MediaGenError,
  OutcomeUnknownError,
  ServiceError,
} from "@mediagen/sdk";
import { onOneLine, printable } from "../terminal/text.ts";
import { exitCodes } from "./exit-codes.ts";

interface CommandErrorFields {
  readonly advice: string;
  readonly exitCode: number;
  readonly cause?: unknown;
  /** By default, what the cause says. */
  readonly billed?: MediaGenError["billed"] | undefined;
}

/** An error for the person who runs the command. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** The advice: a sentence, and commands on lines of their own. */
  readonly advice: string;
  readonly exitCode: number;
  billed: MediaGenError["billed"];

  constructor(what: string, { advice, exitCode, cause, billed }: CommandErrorFields) {
    super(what, { cause });
    this.billed = billed ?? (cause instanceof MediaGenError ? cause.billed : "no");
    this.advice = advice;
    this.exitCode = exitCode;
  }

  /** Returns the error as `--json` prints it, with what the SDK's error says to programs. */
  toJSON(): object {
    const { message, advice, exitCode, cause, billed } = this;
    const isInvalid = cause instanceof InvalidRequestError;
    const isUsage = exitCode === exitCodes.usage && !isInvalid;
    const nameOfCause = cause instanceof Error ? cause.name : "Error";
    return {
      name: isUsage ? "UsageError" : nameOfCause,
      code: cause instanceof ServiceError ? cause.code : undefined,
      message,
      advice,
      issues: isInvalid ? cause.issues : undefined,
      // For mediagen recover --resolve.
      generationId: cause instanceof OutcomeUnknownError ? cause.generationId : undefined,
      attempt: cause instanceof OutcomeUnknownError ? cause.attempt : undefined,
      billed,
      isRetryable: cause instanceof MediaGenError && cause.isRetryable,
      exitCode,
    };
  }
}

/** The error that ends the command early, after a signal such as Ctrl-C or a failure of stdout. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode: number;

  constructor(why: string, exitCode: number) {
    super(why);
    this.exitCode = exitCode;
  }
}

/** Returns the error of a command that is used or configured wrongly. Nothing was sent. */
export function usageError(what: string, advice: string, cause?: unknown): CommandError {
  return new CommandError(what, { advice, exitCode: exitCodes.usage, cause });
}

/** Returns the message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Prints an error on stderr: a line with what happened, a line with what to do, and a line for each
 * command.
 */
export function tell({ message, advice }: CommandError): void {
  // A live line may be there.
  if (process.stderr.isTTY && process.env["TERM"] !== "dumb") process.stderr.write("\r\x1b[K");
  const lines = [`mediagen: ${onOneLine(message)}`, ...printable(advice).split("\n")];
  process.stderr.write(lines.join("\n  ") + "\n");
}
