import {
  ConnectionError,
  InvalidRequestError,
  mayPass,
  noResponse,
  OutcomeUnknownError,
  type SentGeneration,
  serviceError,
} from "../errors/errors.ts";
import type { Emit, Subject } from "../errors/events.ts";
import { describeDuration } from "../errors/issue.ts";
import type { WireFields } from "../form/form.ts";
import { toMultipart } from "../form/multipart.ts";
import { NeverSentError } from "../money/evidence.ts";
import { type Answer, isSuccess, taskidIn, type Tried } from "../money/response.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import { codes, operations } from "../spec/operations.gen.ts";
import { withoutUndefined } from "../spec/values.ts";
import type { RequestHeaders, TaskJSON } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import { Deadline, type Ending, orAbort } from "../time/deadline.ts";
import { describe, readAnswer } from "./answer.ts";
import { type ApiKey, keyHeaders } from "./headers.ts";
import { type Hide, hideInError, type UsedKeys } from "./hide-key.ts";
import type { Retries } from "./retries.ts";
import type { OutgoingRequest, Transport } from "./transport.ts";

export interface CallHost {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly origin: string;
  readonly apiKey: ApiKey;
  readonly keys: UsedKeys;
  readonly headers: RequestHeaders;
  readonly loadTransport: () => Promise<Transport>;
  /** The timeouts of each attempt, in milliseconds. That of a generation includes its uploads. */
  readonly timeouts: { readonly queryMs: number; readonly generateMs: number };
  readonly retries: Retries;
  readonly time: Time;
  readonly emit: Emit;
}

export interface CallContext {
  readonly subject: Subject & { readonly kind: Kind };
  readonly signal?: Ending | undefined;
  readonly headers?: RequestHeaders | undefined;
  /** Given if the operation is paid. */
  readonly generation?: (SentGeneration & Pick<TaskJSON, "resultCount" | "origin">) | undefined;
  /**
   * Set for a poll of a wait: its timeout, besides `queryMs`. It is sent once, because the wait
   * itself repeats it.
   */
  readonly pollTimeoutMs?: number | undefined;
  /**
   * Called immediately before the first byte of each attempt leaves, and before each delay: if it
   * rejects, nothing is sent.
   */
  readonly onPhase?: ((phase: "sending" | "claimed") => Promise<void>) | undefined;
}

/**
 * Sends one operation, with retries, and opens the envelope of its response. Its `data` is that of
 * a success.
 */
export async function call(
  host: CallHost,
  operation: Operation,
  wire: WireFields,
  context: CallContext,
): Promise<{ readonly data: Readonly<Record<string, unknown>>; readonly response: Answer }> {
  const { emit, retries, time } = host;
  const { generation, onPhase, subject, signal, pollTimeoutMs } = context;
  const { kind, model, taskid, generationId = generation?.generationId } = subject;
  const isPaid = generation !== undefined;
  const start = time.steady();
  let isLost = false;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const tried = await tryOnce(host, operation, wire, context);
    const { answer, error } = tried;
    const ids = {
      operation: operation.id,
      kind,
      model,
      taskid,
      generationId,
      requestId: answer?.requestId,
    };
    const about = {
      ...ids,
      at: time.now(),
      durationMs: Math.round(time.steady() - start),
      attempt,
    };
    const isOver =
      pollTimeoutMs !== undefined ||
      (!answer && signal?.aborted) ||
      !retries.mayRepeat(tried, isPaid);
    const delayMs = isOver ? undefined : retries.nextDelay(attempt, isPaid, answer?.retryAfterMs);
    if (delayMs !== undefined) {
      isLost ||= answer ? answer.status !== 429 : !(error instanceof NeverSentError);
      emit({ type: "retried", ...about, delayMs, status: answer?.status, error });
      await orAbort(onPhase?.("claimed") ?? Promise.resolve(), signal);
      await time.sleep(delayMs, signal, "pause");
      continue;
    }
    if (answer) retries.succeeded();
    const { code, data, status = 0, verdict } = answer ?? {};
    const isDone = generation ? verdict === "created" : code === codes.success && isSuccess(status);
    if (!answer || !isDone || !data)
      throw failureOf(tried, operation, context, { apiKey: host.apiKey, isLost });
    if (generation) {
      const { resultCount, origin } = generation;
      emit({ type: "generated", ...about, taskid: taskidIn(data) ?? "", resultCount, origin });
    }
    return { data, response: answer };
  }
}

/**
 * Sends one request, once, within its timeout. Rejects only if something other than the network
 * failed before it was sent.
 */
async function tryOnce(
  host: CallHost,
  operation: Operation,
  wire: WireFields,
  context: CallContext,
): Promise<Tried> {
  const { apiKey, baseUrl, keys, loadTransport, time, timeouts } = host;
  const { generation, onPhase, pollTimeoutMs = Infinity } = context;
  const isPaid = generation !== undefined;
  const totalMs = isPaid ? timeouts.generateMs : Math.min(timeouts.queryMs, pollTimeoutMs);
  const tooLong = () => new Error(`the call took longer than ${describeDuration(totalMs)}`);
  const deadline = new Deadline(time, totalMs, tooLong, context.signal);
  let hide: Hide | undefined;
  let isSending = false;
  /** What the key function or the store rejected with. */
  let blocked: { readonly error: unknown } | undefined;
  const block = (error: unknown) => {
    blocked = { error };
    throw error;
  };
  const beforeSend = async () => {
    // The call has ended: nothing must be recorded after its outcome.
    deadline.throwIfAborted();
    if (onPhase) await onPhase("sending").catch(block);
    deadline.throwIfAborted();
    isSending = true;
  };
  try {
    const key =
      typeof apiKey === "function" ? await orAbort(apiKey().catch(block), deadline) : apiKey;
    const headers = headersOf({ ...host.headers, ...context.headers, ...keyHeaders(key) }, isPaid);
    hide = key ? keys.add(key) : keys.hide;
    const body = isPaid ? await orAbort(toMultipart(wire), deadline) : JSON.stringify(wire);
    const request = { url: baseUrl + operation.path, headers, body };
    const send = await loadTransport();
    const reply = await send(request, { deadline, isPaid, beforeSend });
    const answer = readAnswer(reply, time.now(), hide);
    // A body that broke off proves a task, and nothing else.
    if (reply.broken !== undefined && !(isPaid && answer.verdict === "created")) throw reply.broken;
    return { answer };
  } catch (error) {
    // A wait continues if there is no key for one of its polls.
    if (blocked && pollTimeoutMs === Infinity) throw blocked.error;
    // A file has changed, no header can carry the key, or a proxy cannot be used.
    if (!isSending && error instanceof InvalidRequestError) throw error;
    // Engines report an abort in many ways. Only a `NeverSentError` says more.
    const isProof = error instanceof NeverSentError;
    const hidden = hideInError(isProof ? error.cause : error, hide ?? keys.hide);
    const reason = deadline.aborted && !isProof ? deadline.reason : hidden;
    if (isSending && !isProof) return { error: reason };
    const unsent = new NeverSentError(reason);
    // A key that does not come in time would not come in the next attempt.
    if (deadline.passed && !hide)
      throw new ConnectionError(operation.id, unsent, unsent.message, context.generation?.model);
    return { error: unsent };
  } finally {
    deadline.end();
  }
}

/** Returns the headers that have a value. A transport knows the type of a form. */
function headersOf(headers: RequestHeaders, isPaid: boolean): OutgoingRequest["headers"] {
  const type = isPaid ? {} : { "content-type": "application/json" };
  // The cast: an index signature does not say that its fields have a value.
  return withoutUndefined<RequestHeaders>({ ...headers, ...type }) as OutgoingRequest["headers"];
}

function failureOf(
  { answer, error }: Tried,
  { id }: Operation,
  { generation, signal, subject }: CallContext,
  { apiKey, isLost }: Pick<CallHost, "apiKey"> & { readonly isLost: boolean },
): unknown {
  if (!answer) {
    const isUnsent = error instanceof NeverSentError;
    if (generation && !isUnsent)
      return new OutcomeUnknownError(noResponse(error), id, generation, { cause: error });
    // The error of a request that was never sent says so itself.
    const what = isUnsent ? error.message : undefined;
    return signal?.aborted
      ? signal.reason
      : new ConnectionError(id, error, what, generation?.model);
  }
  const { status, code, verdict } = answer;
  const reason = describe(answer);
  if (generation && verdict === "unknown")
    return new OutcomeUnknownError(reason, id, generation, answer);
  const isDeletion = id === operations[subject.kind].delete.id;
  const what = [
    reason,
    generation && "No task was created",
    // The lost attempt may have caused the rejection.
    isLost && isDeletion && "An earlier response was lost: the tasks may already be deleted",
    apiKey === undefined && "No API key was sent",
  ];
  // A query or a deletion is safe to repeat. A generation is here only if it created no task.
  const isRetryable = mayPass(status) || (isSuccess(status) && code === undefined);
  const advice = adviceOn(answer, isRetryable, generation !== undefined, apiKey !== undefined);
  return serviceError(
    what.filter(Boolean).join(". "),
    id,
    answer,
    { isRetryable, advice },
    generation?.model,
  );
}

function adviceOn(
  { status, verdict, retryAfterMs }: Answer,
  isRetryable: boolean,
  isPaid: boolean,
  hasKey: boolean,
) {
  if (verdict === "noCredits") return "Add credits, then make the same call again.";
  if (status === 413) return "Use smaller files.";
  if (status === 401 || status === 403)
    return hasKey
      ? "Check baseUrl and the API key (apiKey)."
      : "If the server needs one, use apiKey.";
  if (isRetryable)
    return `It is safe to retry${retryAfterMs ? ` in ${describeDuration(retryAfterMs)}` : ""}.`;
  return `Check ${isPaid ? "the form" : "the task id and kind"}, the API key and baseUrl.`;
}
