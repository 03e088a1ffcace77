import {
  ConnectionError,
  InvalidRequestError,
  mayPass,
  messageOf,
  noResponse,
  OutcomeUnknownError,
  type SentGeneration,
  serviceError,
} from "../errors/errors.ts";
import type { Emit, Subject } from "../errors/events.ts";
import { describeDuration } from "../errors/issue.ts";
import type { WireFields } from "../form/form.ts";
import { toMultipart } from "../form/multipart.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import { codes, operations } from "../spec/operations.gen.ts";
import type { RequestHeaders, TaskJSON } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { type Answer, dataIn, describe, isSuccess, readAnswer, taskidIn, verdictOn } from "./answer.ts";
import { type ApiKey, keyHeaders } from "./api-key.ts";
import { NeverSentError } from "./evidence.ts";
import { mergeHeaders } from "./headers.ts";
import { type Hide, hideInError, type UsedKeys } from "./hide-key.ts";
import type { Retries, Tried } from "./retries.ts";
import type { Transport } from "./transport.ts";

/** The way of a client to the service. */
export interface CallHost {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: ApiKey;
  readonly keys: UsedKeys;
  /** The headers of every request. */
  readonly headers: RequestHeaders;
  readonly loadTransport: () => Promise<Transport>;
  /** The timeouts of each attempt, in milliseconds. That of a generation includes its uploads. */
  readonly timeouts: { readonly queryMs: number; readonly generateMs: number };
  readonly retries: Retries;
  readonly time: Time;
  readonly emit: Emit;
}

/** The subject and the options of a call. */
export interface CallContext {
  readonly subject: Subject & { readonly kind: Kind };
  readonly signal?: AbortSignal | undefined;
  /** The caller's headers for this request. */
  readonly headers?: RequestHeaders | undefined;
  /** Given if the operation is paid. */
  readonly generation?: (SentGeneration & Pick<TaskJSON, "resultCount" | "origin">) | undefined;
  /** Set for a poll of a wait: its timeout, besides `queryMs`. It is sent once, because the wait itself repeats it. */
  readonly pollTimeoutMs?: number | undefined;
  /** Called immediately before the first byte of each attempt leaves, and before each delay: if it rejects, nothing is sent. */
  readonly onPhase?: ((phase: "sending" | "claimed") => Promise<void>) | undefined;
}

/** Sends one operation, with retries, and opens the envelope of its response. Its `data` is that of a success. */
export async function call(
  host: CallHost,
  operation: Operation,
  wire: WireFields,
  context: CallContext,
): Promise<{ readonly data: NonNullable<ReturnType<typeof dataIn>>; readonly response: Answer }> {
  const { emit, retries, time } = host;
  const { generation, onPhase, subject, signal, pollTimeoutMs } = context;
  const { kind, model, taskid, generationId = generation?.generationId } = subject;
  const ids = { operation: operation.id, kind, model, taskid, generationId };
  const start = time.steady();
  let isLost = false;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const tried = await tryOnce(host, operation, wire, context);
    const { answer, verdict, error, keys } = tried;
    const about = () => {
      const durationMs = Math.round(time.steady() - start);
      return { ...ids, at: time.now(), durationMs, attempt, requestId: answer?.requestId };
    };
    const isOver = pollTimeoutMs !== undefined || (!answer && signal?.aborted);
    const delayMs = isOver ? undefined : retries.delayAfter(tried, attempt, generation !== undefined);
    if (delayMs !== undefined) {
      isLost ||= answer ? answer.status !== 429 : !(error instanceof NeverSentError);
      emit({ type: "retried", ...about(), delayMs, status: answer?.status, error: hideInError(error, keys.hide) });
      await orAbort(onPhase?.("claimed") ?? Promise.resolve(), signal);
      await time.sleep(delayMs, signal, "pause");
      continue;
    }
    if (answer) retries.succeeded();
    const data = answer && dataIn(answer, verdict);
    if (!data) throw failureOf(tried, operation, context, { isLost, hide: keys.hide });
    if (generation) {
      const { resultCount, origin } = generation;
      emit({ type: "generated", ...about(), taskid: taskidIn(data) ?? "", resultCount, origin });
    }
    return { data, response: answer };
  }
}

/** Sends one request, once, within its timeout. Rejects only if something other than the network failed before it was sent. */
async function tryOnce(host: CallHost, operation: Operation, wire: WireFields, context: CallContext): Promise<Tried> {
  const { apiKey, baseUrl, loadTransport, time, timeouts } = host;
  let { keys } = host;
  const { generation, onPhase, pollTimeoutMs } = context;
  const isPaid = generation !== undefined;
  const totalMs = isPaid ? timeouts.generateMs : Math.min(timeouts.queryMs, pollTimeoutMs ?? Infinity);
  const tooLong = () => new Error(`the call took longer than ${describeDuration(totalMs)}`);
  const deadline = new Deadline(time, totalMs, tooLong, context.signal);
  const { signal } = deadline;
  let isKeyed = false;
  /** Whether the first byte may have left. */
  let isSending = false;
  /** What the key function or the store rejected with. */
  let blocked: { readonly error: unknown } | undefined;
  const block = (error: unknown) => {
    blocked = { error };
    throw error;
  };
  const beforeSend = async () => {
    // The call has ended: nothing must be recorded after its outcome.
    signal.throwIfAborted();
    await onPhase?.("sending").catch(block);
    signal.throwIfAborted();
    isSending = true;
  };
  try {
    const key = typeof apiKey === "function" ? await orAbort(apiKey().catch(block), signal) : apiKey;
    isKeyed = true;
    const url = baseUrl + operation.path;
    // A transport knows the type of a form.
    const typed = isPaid ? undefined : { "content-type": "application/json" };
    const headers = mergeHeaders(host.headers, context.headers, keyHeaders(key, url), typed);
    if (key) keys = keys.with(key);
    const body = isPaid ? await orAbort(toMultipart(wire), signal) : JSON.stringify(wire);
    const transport = await loadTransport();
    // A fetch function may ignore the signal.
    const reply = await orAbort(transport({ url, headers, body }, { signal, isPaid, beforeSend }), signal);
    const answer = readAnswer(reply, time.now(), keys);
    return { keys, answer, verdict: isPaid ? verdictOn(answer) : undefined, hasKey: key !== undefined };
  } catch (error) {
    // A wait continues if there is no key for one of its polls.
    if (blocked && pollTimeoutMs === undefined) throw blocked.error;
    // A file has changed, no header can carry the key, or a proxy cannot be used.
    if (!isSending && error instanceof InvalidRequestError) throw error;
    // Engines report an abort in many ways. Only a `NeverSentError` says more.
    const reason = signal.aborted && !(error instanceof NeverSentError) ? signal.reason : error;
    if (isSending || reason instanceof NeverSentError) return { keys, error: reason };
    const unsent = new NeverSentError(reason);
    // A key that does not come in time would not come in the next attempt.
    if (!isKeyed && deadline.passed) throw new ConnectionError(operation.id, unsent, unsent.message);
    return { keys, error: unsent };
  } finally {
    deadline.end();
  }
}

/** Returns the error that a call ends with. `isLost`: the response to an earlier attempt was lost. */
function failureOf(
  tried: Tried,
  operation: Operation,
  { generation, signal }: CallContext,
  { isLost, hide }: { readonly isLost: boolean; readonly hide: Hide },
): unknown {
  const { id } = operation;
  const { answer, verdict, error, hasKey } = tried;
  if (!answer) {
    // The caller's own abort reason is passed on unchanged.
    const cause = signal?.aborted && error === signal.reason ? error : hideInError(error, hide);
    const isUnsent = error instanceof NeverSentError;
    if (generation && !isUnsent) return new OutcomeUnknownError(noResponse(cause), id, generation, { cause });
    if (signal?.aborted) return signal.reason;
    // The error of a request that was never sent says so itself.
    return new ConnectionError(id, cause, isUnsent ? messageOf(cause) : undefined);
  }
  const reason = describe(answer, verdict);
  const response = { ...answer, ...answer.envelope };
  if (generation && verdict === "unknown") return new OutcomeUnknownError(reason, id, generation, response);
  const isDeletion = Object.values(operations).some((kind) => kind.delete === operation);
  const what = [
    reason,
    generation && "No task was created",
    // The lost attempt may have caused the rejection.
    isLost && isDeletion && "The response to an earlier attempt was lost: the tasks may already be deleted",
    !hasKey && "No API key was sent",
  ];
  const { status, envelope } = answer;
  const isRetryable = mayPass(status) || (isSuccess(status) && !envelope);
  const isOut = envelope?.code === codes.insufficientCredits;
  const correct = generation
    ? "Correct what the service names, then generate it again."
    : "Check the task's id and baseUrl.";
  // A query or a deletion is safe to repeat. A generation is here only if it created no task.
  const advice = isOut ? addCredits : (hints[status] ?? (isRetryable ? "It is safe to retry." : correct));
  return serviceError(what.filter(Boolean).join(". "), id, response, { isRetryable, advice });
}

const addCredits = "Add credits, then make the same call again.";
const keyHint = "Check the API key (apiKey or MEDIAGEN_API_KEY) and baseUrl.";
/** Advice for an HTTP status. */
const hints: Readonly<Record<number, string>> = {
  401: keyHint,
  403: keyHint,
  404: "Check baseUrl: the paths of operations are added to it.",
  413: "Use smaller files: these are too large for the service or a proxy.",
};
