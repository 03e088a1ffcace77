import { InvalidRequestError, type Issue, MediaGenError, OutcomeUnknownError, ServiceError } from "@mediagen/sdk";
import { onOneLine, printable } from "../terminal/text.ts";
import { exitCodes } from "./exit-codes.ts";

/** An error for the person who runs the command. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** The advice: a sentence, and commands on lines of their own. */
  readonly advice: string;
  readonly exitCode: number;
  /** What it means for the money. */
  billed: MediaGenError["billed"];

  constructor(what: string, advice: string, exitCode: number, cause?: unknown, billed?: MediaGenError["billed"]) {
    super(what, { cause });
    this.billed = billed ?? (MediaGenError.is(cause) ? cause.billed : "no");
    this.advice = advice;
    this.exitCode = exitCode;
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
  /** For `mediagen recover --resolve`. */
  readonly generationId?: string | undefined;
  /** Whether a generation was billed. */
  readonly billed: MediaGenError["billed"];
  /** Whether the same command may succeed later. */
  readonly isRetryable: boolean;
  readonly exitCode: number;
}

/** Returns an error as `--json` prints it. */
export function errorDocument({ message, advice, exitCode, cause, billed }: CommandError): ErrorDocument {
  const isUsage = exitCode === exitCodes.usage && !(cause instanceof InvalidRequestError);
  return {
    name: isUsage || !(cause instanceof Error) ? (isUsage ? "UsageError" : "Error") : cause.name,
    code: cause instanceof ServiceError ? cause.code : undefined,
    message,
    advice,
    issues: cause instanceof InvalidRequestError ? cause.issues : undefined,
    generationId: cause instanceof OutcomeUnknownError ? cause.generationId : undefined,
    billed,
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
