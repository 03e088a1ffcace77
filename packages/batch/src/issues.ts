import {
  InvalidRequestError,
  type Issue,
  MediaGenError,
  OutcomeUnknownError,
  StoreError,
  TaskFailedError,
} from "@mediagen/sdk/node";
import type { BatchLine } from "./options.ts";

/** Returns the error of a batch that has sent nothing. */
export function nothingSent(...issues: readonly Issue[]): InvalidRequestError {
  return new InvalidRequestError("runBatch", issues, "Nothing was sent.");
}

/** The outcome of a batch that has started. */
export const stopped = "The batch was stopped. Nothing is billed twice if you run it again.";

/**
 * Returns the error of a batch for an error that ended it, but is about one line or request. Others
 * are returned unchanged.
 */
export function ofRun(error: unknown, billed: MediaGenError["billed"]): unknown {
  if (billed === "no" || !(error instanceof MediaGenError) || error.billed !== "no") return error;
  return new MediaGenError(error.problem, {
    cause: error,
    billed,
    isRetryable: error.isRetryable,
    advice: stopped,
  });
}

/**
 * Returns the outcome of a line that ended with this error. Throws errors that are not about a
 * line: they end the batch.
 */
export function outcomeOf(
  thrown: unknown,
): Pick<BatchLine, "state" | "error" | "generationId" | "attempt"> {
  // A store that fails would fail for every line.
  if (!(thrown instanceof MediaGenError) || (thrown instanceof StoreError && thrown.isRetryable))
    throw thrown;
  const { name, message, problem, billed } = thrown;
  // The next run goes on with a task, so that advice for programs would confuse.
  const error = { name, message: billed === "no" ? message : problem };
  if (thrown instanceof OutcomeUnknownError) {
    const { generationId, attempt } = thrown;
    return { state: "unknown", error, generationId, attempt };
  }
  return { state: thrown instanceof TaskFailedError ? "failed" : "unfinished", error };
}

/** Returns whether the generation of an error may have created a task. */
export function mayBeBilled(error: unknown): boolean {
  return error instanceof MediaGenError && error.billed !== "no";
}

/** Returns an issue as that of a field with another name. */
export function inField(name: string, { field, code, message }: Issue): Issue {
  return { field: name, code, message: name + message.slice(field.length) };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
