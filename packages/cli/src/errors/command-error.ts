import { InvalidRequestError, type Issue, OutcomeUnknownError, ServiceError, StoreError } from "@mediagen/sdk";
import { onOneLine, printable } from "../terminal/printable.ts";
import { exitCodes } from "./exit-codes.ts";

/** An error for the person who runs the command. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  /** The advice: a sentence, and commands on lines of their own. */
  readonly advice: string;
  readonly exitCode: number;
  /** The task as the command line spells it, if there is one. */
  readonly task: string | undefined;

  constructor(what: string, advice: string, exitCode: number, cause?: unknown, task?: string) {
    super(what, { cause });
    this.advice = advice;
    this.exitCode = exitCode;
    this.task = task;
  }
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
  /** Whether a task exists, or may exist, and may have been billed. */
  readonly taskMayExist: boolean;
  readonly exitCode: number;
}

/** Codes of errors that only come once there may be a task. */
const withTask: readonly number[] = [exitCodes.unknown, exitCodes.unsaved, exitCodes.timeout];

/** Returns an error as `--json` prints it. */
export function errorDocument({ message, advice, exitCode, cause, task }: CommandError): ErrorDocument {
  const isUsage = exitCode === exitCodes.usage && !(cause instanceof InvalidRequestError);
  return {
    name: isUsage || !(cause instanceof Error) ? (isUsage ? "UsageError" : "Error") : cause.name,
    code: cause instanceof ServiceError ? cause.code : undefined,
    message,
    advice,
    issues: cause instanceof InvalidRequestError ? cause.issues : undefined,
    task,
    generationId: cause instanceof OutcomeUnknownError ? cause.generationId : undefined,
    taskMayExist:
      task !== undefined || withTask.includes(exitCode) || (cause instanceof StoreError && cause.taskMayExist),
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
