import { MediaGenError, OutcomeUnknownError, StoreError, TaskFailedError } from "@mediagen/sdk/node";
import type { BatchLine } from "./options.ts";

/** Returns the outcome of a line that ended with this error. Throws errors that are not about a line: they end the batch. */
export function outcomeOf(thrown: unknown): Pick<BatchLine, "state" | "error" | "generationId"> {
  // A store that fails would fail for every line.
  if (!MediaGenError.is(thrown) || (thrown instanceof StoreError && thrown.isRetryable)) throw thrown;
  const { name, message, advice, billed } = thrown;
  // The next run goes on with a task, so that advice for programs would confuse.
  const error = { name, message: billed === "no" ? message : message.replace(advice, "").trimEnd() };
  if (thrown instanceof OutcomeUnknownError) return { state: "unknown", error, generationId: thrown.generationId };
  return { state: thrown instanceof TaskFailedError ? "failed" : "unfinished", error };
}

/** Returns whether the generation of an error may have created a task. */
export function mayBeBilled(error: unknown): boolean {
  return MediaGenError.is(error) && error.billed !== "no";
}
