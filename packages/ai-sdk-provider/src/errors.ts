import { APICallError, InvalidArgumentError } from "@ai-sdk/provider";
import { InvalidRequestError, MediaGenError } from "@mediagen/sdk";
import type { OutcomeUnknownError, ServiceError, Task } from "@mediagen/sdk";

/** The AI SDK ignores a delay of this length or more, and would retry after 2 seconds. */
const longestDelayMs = 60_000;

/** The request that failed. */
interface Sent {
  readonly url: string;
  readonly requestBodyValues: unknown;
}

/**
 * Converts an error of a generation to one of the AI SDK. It is retryable only if certainly no task
 * was created.
 */
export function generationError(cause: unknown, sent: Sent): unknown {
  if (cause instanceof InvalidRequestError) {
    const argument = cause.issues.map(({ field }) => field).join(", ");
    return new InvalidArgumentError({ argument, message: cause.message, cause });
  }
  if (!(cause instanceof MediaGenError)) return cause;
  // The cast: the errors of some classes have these fields.
  const error = cause as MediaGenError &
    Partial<Omit<ServiceError & OutcomeUnknownError, keyof MediaGenError>>;
  const {
    message,
    billed,
    isRetryable,
    status,
    body,
    retryAfterMs,
    code,
    msg,
    generationId,
    attempt,
    requestId,
  } = error;
  return new APICallError({
    ...sent,
    message,
    cause,
    ...(status === undefined ? {} : { statusCode: status }),
    ...(body === undefined ? {} : { responseBody: body }),
    ...(retryAfterMs === undefined
      ? {}
      : { responseHeaders: { "retry-after-ms": String(retryAfterMs) } }),
    data: { billed, code, msg, generationId, attempt, requestId },
    isRetryable: billed === "no" && isRetryable && (retryAfterMs ?? 0) < longestDelayMs,
  });
}

/**
 * Returns one error for generations that have all failed. It is retryable only if all their errors
 * are.
 */
export function joinErrors(errors: readonly unknown[], sent: Sent): unknown {
  const messages = new Set(errors.map(textOf));
  if (messages.size < 2) return errors[0];
  const isRetryable = errors.every((error) => APICallError.isInstance(error) && error.isRetryable);
  const cause = new AggregateError(errors);
  return new APICallError({ ...sent, message: [...messages].join("\n"), cause, isRetryable });
}

/**
 * Returns the error for tasks without results. Only checks are retryable after it, not generations.
 */
export function resultError(
  cause: unknown,
  tasks: readonly Task[],
  url: string,
  isRetryable: boolean,
): APICallError {
  const ids = tasks.map(({ taskid }) => taskid).join(", ");
  const message =
    `${tasks.length === 1 ? `Task ${ids} was` : `Tasks ${ids} were`} created and billed, and there is no result ` +
    `(${cause instanceof MediaGenError ? cause.problem : textOf(cause)}). ` +
    "Do not generate again: continue with error.data.tasks.";
  const data = { tasks: tasks.map((task) => task.toJSON()) };
  return new APICallError({ message, url, requestBodyValues: data, data, cause, isRetryable });
}

/** Returns an error as text. */
export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
