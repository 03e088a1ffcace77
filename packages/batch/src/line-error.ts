import {
  ConnectionError,
  InvalidRequestError,
  OutcomeUnknownError,
  ServiceError,
  StoreError,
  TaskFailedError,
  WaitTimeoutError,
} from "@mediagen/sdk/node";
import type { BatchLine } from "./options.ts";

/** Returns the outcome of a line that ended with this error. Throws errors that are not about a line: they end the batch. */
export function outcomeOf(error: unknown): Pick<BatchLine, "state" | "error" | "generationId"> {
  if (error instanceof TaskFailedError) return { state: "failed", error: textOf(error) };
  if (error instanceof OutcomeUnknownError)
    return { state: "unknown", error: textOf(error), generationId: error.generationId };
  const concernsLine =
    error instanceof ServiceError ||
    error instanceof ConnectionError ||
    error instanceof WaitTimeoutError ||
    // Without a cause, the store works and only this record cannot be read.
    (error instanceof StoreError && error.cause === undefined) ||
    error instanceof InvalidRequestError;
  if (!concernsLine) throw error;
  return { state: "unfinished", error: textOf(error) };
}

/** Returns the message without its advice for programs, because people read the lines. */
function textOf(error: Error): Pick<Error, "name" | "message"> {
  const { name, message } = error;
  if (error instanceof OutcomeUnknownError)
    return { name, message: `${error.operation}: ${error.reason}. A task may exist and may have been billed.` };
  if (error instanceof WaitTimeoutError) {
    const last = error.status === undefined ? "" : ` Its last status is ${error.status}.`;
    return { name, message: `Task ${error.task.taskid} was not finished in time.${last}` };
  }
  return { name, message };
}
