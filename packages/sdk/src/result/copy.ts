import { hideInError } from "../call/hide-key.ts";
import { ConnectionError } from "../errors/errors.ts";
import { ServiceError, type ServiceResponse } from "../errors/response-errors.ts";
import type { ResultOptions } from "../task/task.ts";
import { Deadline } from "../time/deadline.ts";
import { NeverSentError } from "../transport/evidence.ts";
import { describeDuration } from "../errors/duration.ts";
import type { ResultContext } from "./context.ts";
import type { TaskResult } from "./results-of.ts";
import { type ResultSink, Transfer } from "./transfer.ts";

/**
 * Copies one result into a sink: follows a few redirects, renews an expired URL once, and resumes after an interruption if
 * the server supports it.
 *
 * @returns the media type in the server's Content-Type
 */
export async function copyResult(
  result: TaskResult,
  sink: ResultSink,
  context: ResultContext,
  options: ResultOptions,
): Promise<string | undefined> {
  const { resultTimeoutMs = 30 * 60_000, signal } = options;
  const timeout = () => new Error(`the result took longer than ${describeDuration(resultTimeoutMs)}`);
  const deadline = new Deadline(context.time, resultTimeoutMs, timeout, signal);
  try {
    return await retryTransfer(
      new Transfer(result, sink, context, options),
      result,
      context,
      deadline,
      options.retries,
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    deadline.end();
  }
}

async function retryTransfer(
  transfer: Transfer,
  { task, index, count }: TaskResult,
  { time, emit, failures, retries, hide }: ResultContext,
  deadline: Deadline,
  most: number | undefined,
): Promise<string | undefined> {
  const { kind, model, taskid, generationId } = task;
  const start = time.steady();
  for (let attempt = 1; ; attempt++) {
    const result = await transfer.attempt(deadline.signal);
    const [at, durationMs] = [time.now(), Math.round(time.steady() - start)];
    const facts = {
      operation: "download",
      kind,
      model,
      taskid,
      generationId,
      at,
      durationMs,
      attempt,
      requestId: undefined,
    };
    if (result.state === "done") {
      retries.succeeded();
      emit("downloaded", () => ({ ...facts, index, count, bytes: transfer.bytes }));
      return result.type;
    }
    // Engines and fetch functions name the URL in their errors.
    const error = result.error instanceof ServiceError ? result.error : hideInError(result.error, hide);
    const fail = (thrown: Error) => (failures.emit(thrown, () => facts), thrown);
    if (deadline.passed) throw fail(new ConnectionError("download", deadline.signal.reason));
    deadline.signal.throwIfAborted();
    const isStatus = error instanceof ServiceError;
    const isFinal = result.error instanceof NeverSentError && result.error.isFinal;
    const delayMs = isStatus
      ? retries.afterResponse(responseOf(error), attempt, false, most)
      : isFinal
        ? undefined
        : retries.afterFailure(attempt, false, most);
    if (delayMs === undefined) throw fail(isStatus ? error : new ConnectionError("download", error));
    emit("retried", () => ({ ...facts, delayMs, status: isStatus ? error.status : undefined, error }));
    // If the sleep is cut short, the next attempt fails at once, and says whether the deadline or the caller ended it.
    await time.sleep(delayMs, deadline.signal).catch(() => undefined);
  }
}

function responseOf({ status, body, retryAfterMs }: ServiceError): ServiceResponse {
  return { status, text: body, retryAfterMs };
}
