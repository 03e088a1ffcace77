import {
  ConnectionError,
  InvalidRequestError,
  messageOf,
  noResponse,
  OutcomeUnknownError,
  type SentGeneration,
  type ServiceResponse,
} from "../errors/errors.ts";
import type { Emit, Subject } from "../errors/events.ts";
import type { WireFields } from "../form/form.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import { orAbort } from "../time/deadline.ts";
import { NeverSentError } from "./evidence.ts";
import { isEnvelope, isSuccess, openEnvelope, taskidIn } from "./envelope.ts";
import {
  type Connection,
  exchange,
  type Exchanged,
  type ExchangeOptions,
  type NoResponse,
  type Responded,
} from "./exchange.ts";
import { hideInError } from "./hide-key.ts";
import type { Retries } from "./retries.ts";

/** A generation that is being sent, with the fields of its event. */
export interface SendingGeneration extends SentGeneration {
  readonly resultCount: number;
  readonly origin: string;
}

/** The subject and the options of a call. */
export interface CallContext extends ExchangeOptions {
  readonly subject: Subject & { readonly kind: Kind };
  /** Given if the operation is paid. */
  readonly generation?: SendingGeneration | undefined;
  /** Called immediately before the first byte of each attempt leaves, and before each delay: if it rejects, nothing is sent. */
  readonly onPhase?: ((phase: "sending" | "claimed") => Promise<void>) | undefined;
}

/** The `data` of an envelope, and its response. */
interface Opened {
  readonly data: Readonly<Record<string, unknown>>;
  readonly response: ServiceResponse;
}

/** Dependencies of `call`. */
export interface CallHost extends Connection {
  readonly emit: Emit;
  readonly retries: Retries;
}

/** Sends one operation, with retries, and opens the envelope of its response. */
export async function call(
  host: CallHost,
  operation: Operation,
  wire: WireFields,
  context: CallContext,
): Promise<Opened> {
  const { emit, retries, time } = host;
  const { generation, onPhase, subject, signal, pollTimeoutMs } = context;
  const { kind, model, taskid } = subject;
  const generationId = generation?.generationId ?? subject.generationId;
  const paid = generation !== undefined;
  const start = time.steady();
  const beforeSend = onPhase && (() => onPhase("sending"));
  let lost = false;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const exchanged = await exchange(host, operation, wire, context, paid, beforeSend);
    const about = () => ({
      operation: operation.id,
      kind,
      model,
      taskid,
      generationId,
      at: time.now(),
      durationMs: Math.round(time.steady() - start),
      attempt,
      requestId: exchanged.response?.requestId?.(),
    });
    const isOver = pollTimeoutMs !== undefined || (!exchanged.response && signal?.aborted);
    const delayMs = isOver ? undefined : delayBeforeRetry(retries, exchanged, attempt, paid);
    if (delayMs !== undefined) {
      lost ||= exchanged.response ? exchanged.response.status !== 429 : exchanged.delivery === "unknown";
      emit({ type: "retried", ...about(), delayMs, ...whyRetried(exchanged) });
      await orAbort(onPhase?.("claimed") ?? Promise.resolve(), signal);
      await time.sleep(delayMs, signal ?? new AbortController().signal, "pause");
      continue;
    }
    if (!exchanged.response) throw failureOf(exchanged, operation, context);
    const { response } = exchanged;
    retries.succeeded();
    const data = openAfter(lost, exchanged, operation, generation);
    if (generation) {
      const { resultCount, origin } = generation;
      emit({ type: "generated", ...about(), taskid: taskidIn(data) ?? "", resultCount, origin });
    }
    return { data, response };
  }
}

/** Returns the delay before a retry; undefined if the request must not or need not be retried. */
function delayBeforeRetry(retries: Retries, exchanged: Exchanged, attempts: number, paid: boolean): number | undefined {
  const { response } = exchanged;
  // A success that cannot be read counts as no response.
  if (response && !paid && isSuccess(response.status) && !isEnvelope(response))
    return retries.afterFailure(attempts, paid);
  if (response) return retries.afterResponse(response, attempts, paid);
  const { delivery } = exchanged;
  const isFinal = delivery === "not tried" || delivery === "cannot be sent" || (paid && delivery === "unknown");
  return isFinal ? undefined : retries.afterFailure(attempts, paid);
}

function whyRetried(exchanged: Exchanged): { readonly status: number | undefined; readonly error: unknown } {
  if (exchanged.response) return { status: exchanged.response.status, error: undefined };
  return { status: undefined, error: hideInError(exchanged.cause, exchanged.hide) };
}

/** Returns the error to throw if there is no response. */
function failureOf(
  { cause: given, hide, delivery }: NoResponse,
  operation: Operation,
  { signal, generation, pollTimeoutMs }: CallContext,
): unknown {
  // A wait continues if there is no key for one of its polls.
  const isOwn = pollTimeoutMs === undefined || signal?.aborted || given instanceof InvalidRequestError;
  if (delivery === "not tried" && !(given instanceof NeverSentError) && isOwn) return given;
  // The caller's own abort reason is passed on unchanged.
  const cause = signal?.aborted && given === signal.reason ? given : hideInError(given, hide);
  if (generation && delivery === "unknown") {
    return new OutcomeUnknownError(noResponse(cause), operation.id, generation, { cause });
  }
  if (signal?.aborted) return signal.reason;
  // The error of a request that was never sent says so itself.
  return new ConnectionError(operation.id, cause, delivery === "unknown" ? undefined : messageOf(cause));
}

/** Opens the envelope. If the response to an earlier attempt was lost, that attempt may have caused a rejection. */
function openAfter(
  lost: boolean,
  { response, hasKey }: Responded,
  operation: Operation,
  generation: SentGeneration | undefined,
): Readonly<Record<string, unknown>> {
  const isDeletion = lost && Object.values(operations).some((kind) => kind.delete === operation);
  const deleted = isDeletion ? ". The response to an earlier attempt was lost: the tasks may already be deleted" : "";
  const keyless = hasKey ? "" : ". No API key was sent";
  return openEnvelope(response, operation.id, generation, deleted + keyless);
}
