import { ConnectionError, InvalidRequestError, type SentGeneration } from "../errors/errors.ts";
import type { Emit, Subject } from "../errors/events.ts";
import { describeDuration } from "../errors/issue.ts";
import type { WireFields } from "../form/form.ts";
import { toMultipart } from "../form/multipart.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { RequestHeaders } from "../task/task.ts";
import type { Time } from "../time/clock.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { type Answer, dataIn, readAnswer, taskidIn, verdictOn } from "./answer.ts";
import { type ApiKey, keyHeaders } from "./api-key.ts";
import { NeverSentError } from "./evidence.ts";
import { failureOf, failureWithout } from "./failure.ts";
import { mergeHeaders } from "./headers.ts";
import { hideInError, type UsedKeys } from "./hide-key.ts";
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
  readonly transport: Transport;
  /** The timeouts of each attempt, in milliseconds. That of a generation includes its uploads. */
  readonly timeouts: { readonly queryMs: number; readonly generateMs: number };
  readonly retries: Retries;
  readonly time: Time;
  readonly emit: Emit;
}

/** A generation that is being sent, with the fields of its event. */
export interface SendingGeneration extends SentGeneration {
  readonly resultCount: number;
  readonly origin: string;
}

/** The subject and the options of a call. */
export interface CallContext {
  readonly subject: Subject & { readonly kind: Kind };
  readonly signal?: AbortSignal | undefined;
  /** The caller's headers for this request. */
  readonly headers?: RequestHeaders | undefined;
  /** Given if the operation is paid. */
  readonly generation?: SendingGeneration | undefined;
  /** Set for a poll of a wait: its timeout, besides `queryMs`. It is sent once, because the wait itself repeats it. */
  readonly pollTimeoutMs?: number | undefined;
  /** Called immediately before the first byte of each attempt leaves, and before each delay: if it rejects, nothing is sent. */
  readonly onPhase?: ((phase: "sending" | "claimed") => Promise<void>) | undefined;
}

/** The `data` of an envelope, and its response. */
interface Opened {
  readonly data: Readonly<Record<string, unknown>>;
  readonly response: Answer;
}

/** Sends one operation, with retries, and opens the envelope of its response. */
export async function call(
  host: CallHost,
  operation: Operation,
  wire: WireFields,
  context: CallContext,
): Promise<Opened> {
  const { emit, keys, retries, time } = host;
  const { generation, onPhase, subject, signal, pollTimeoutMs } = context;
  const { kind, model, taskid, generationId = generation?.generationId } = subject;
  const ids = { operation: operation.id, kind, model, taskid, generationId };
  const start = time.steady();
  let isLost = false;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const tried = await tryOnce(host, operation, wire, context);
    const { answer, verdict, error, hasKey } = tried;
    const about = () => {
      const durationMs = Math.round(time.steady() - start);
      return { ...ids, at: time.now(), durationMs, attempt, requestId: answer?.requestId?.() };
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
    if (!answer) throw failureWithout(error, operation.id, generation, signal, keys.hide);
    retries.succeeded();
    const data = dataIn(answer, verdict);
    if (!data) throw failureOf(answer, verdict, operation.id, generation, noteOn(operation, isLost, hasKey));
    if (generation) {
      const { resultCount, origin } = generation;
      emit({ type: "generated", ...about(), taskid: taskidIn(data) ?? "", resultCount, origin });
    }
    return { data, response: answer };
  }
}

/** Sends one request, once, within its timeout. Rejects only if something other than the network failed before it was sent. */
async function tryOnce(host: CallHost, operation: Operation, wire: WireFields, context: CallContext): Promise<Tried> {
  const { queryMs, generateMs } = host.timeouts;
  const totalMs = context.generation ? generateMs : Math.min(queryMs, context.pollTimeoutMs ?? Infinity);
  const tooLong = () => new Error(`the call took longer than ${describeDuration(totalMs)}`);
  const deadline = new Deadline(host.time, totalMs, tooLong, context.signal);
  try {
    const key = await readKey(host.apiKey, operation, context, deadline);
    return await exchange(host, operation, wire, context, key, deadline.signal);
  } finally {
    deadline.end();
  }
}

async function readKey(
  apiKey: ApiKey,
  operation: Operation,
  { pollTimeoutMs, signal }: CallContext,
  deadline: Deadline,
): Promise<string | undefined> {
  try {
    return typeof apiKey === "function" ? await orAbort(apiKey(), deadline.signal) : apiKey;
  } catch (error) {
    // A wait continues if there is no key for one of its polls.
    const isOwn = !deadline.passed && (pollTimeoutMs === undefined || signal?.aborted);
    if (isOwn) throw error;
    const noKey = new NeverSentError(error);
    throw new ConnectionError(operation.id, noKey, noKey.message);
  }
}

/** Sends one request with a key, and reads its response. */
async function exchange(
  { baseUrl, keys, time, transport, ...host }: CallHost,
  operation: Operation,
  wire: WireFields,
  { generation, onPhase, headers: own }: CallContext,
  key: string | undefined,
  signal: AbortSignal,
): Promise<Tried> {
  const isPaid = generation !== undefined;
  /** Whether the first byte may have left. */
  let isSending = false;
  let blocked: { readonly error: unknown } | undefined;
  const beforeSend = async () => {
    await onPhase?.("sending").catch((error: unknown) => {
      blocked = { error };
      throw error;
    });
    signal.throwIfAborted();
    isSending = true;
  };
  const send = async () => {
    const url = baseUrl + operation.path;
    // A transport knows the type of a form.
    const typed = isPaid ? undefined : { "content-type": "application/json" };
    const headers = mergeHeaders(host.headers, own, keyHeaders(key, url), typed);
    if (key) keys.add(key);
    const body = isPaid ? await toMultipart(wire) : JSON.stringify(wire);
    return transport({ url, headers, body }, { signal, isPaid, beforeSend });
  };
  try {
    // A fetch function may ignore the signal.
    const answer = readAnswer(await orAbort(send(), signal), time.now(), keys);
    return { answer, verdict: isPaid ? verdictOn(answer) : undefined, hasKey: key !== undefined };
  } catch (error) {
    if (blocked) throw blocked.error;
    // A file has changed, no header can carry the key, or a proxy cannot be used.
    if (!isSending && error instanceof InvalidRequestError) throw error;
    // Engines report an abort in many ways. Only a `NeverSentError` says more.
    const reason = signal.aborted && !(error instanceof NeverSentError) ? signal.reason : error;
    return { error: isSending || reason instanceof NeverSentError ? reason : new NeverSentError(reason) };
  }
}

/** Returns the end of a rejection's message. An earlier attempt whose response was lost may have caused the rejection. */
function noteOn(operation: Operation, isLost: boolean, hasKey: boolean | undefined): string {
  const isDeletion = isLost && Object.values(operations).some((kind) => kind.delete === operation);
  const deleted = isDeletion ? ". The response to an earlier attempt was lost: the tasks may already be deleted" : "";
  return deleted + (hasKey ? "" : ". No API key was sent");
}
