import { describeDuration } from "../errors/issue.ts";
import { InvalidRequestError, type ServiceResponse } from "../errors/errors.ts";
import type { WireFields } from "../form/form.ts";
import type { RequestHeaders } from "../task/task.ts";
import { formParts, toMultipart } from "../form/multipart.ts";
import type { Operation } from "../spec/operation.ts";
import type { Time } from "../time/clock.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { NeverSentError } from "./evidence.ts";
import type { Transport } from "./transport.ts";
import { type ApiKey, type Keyed, readKey } from "./api-key.ts";
import type { Hide } from "./hide-key.ts";
import { readResponse } from "./read-response.ts";

/** The base URL, transport, API key and timeouts of calls. */
export interface Connection {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly apiKey: ApiKey;
  /**
   * Returns the parts of requests that depend on the key.
   *
   * @throws An {@link InvalidRequestError} if no header can carry the key, or it must not be sent there
   */
  readonly keyed: (key: string | undefined) => Keyed;
  readonly time: Time;
  readonly timeouts: Timeouts;
}

/** Timeouts of a call, in milliseconds. */
export interface Timeouts {
  /** For each attempt of a query or deletion. */
  readonly queryMs: number;
  /** For a generation, including its uploads. */
  readonly generateMs: number;
}

/** Options of one request. */
export interface ExchangeOptions {
  readonly signal?: AbortSignal | undefined;
  /** The caller's headers for this request. */
  readonly headers?: RequestHeaders | undefined;
  /** Set for a poll of a wait: its timeout, besides `queryMs`. It is sent once, because the wait itself repeats it. */
  readonly pollTimeoutMs?: number | undefined;
}

/** The outcome of an exchange: a response, or the reason why there is none. */
export type Exchanged = Responded | NoResponse;

export interface Responded {
  readonly response: ServiceResponse;
  /** Whether the request had a key. */
  readonly hasKey: boolean;
}

export interface NoResponse {
  readonly response?: undefined;
  readonly cause: unknown;
  readonly hide: Hide;
  readonly delivery: Delivery;
}

/**
 * The delivery of a request without a response. `not tried`: something other than the network failed before anything was sent.
 * `never sent` and `cannot be sent`: it provably did not leave. `unknown`: it may have been sent.
 */
type Delivery = "not tried" | "never sent" | "cannot be sent" | "unknown";

/**
 * Sends one request, once, and reads its response, within the connection's timeout. Never rejects. `onSending` is called immediately
 * before the first byte leaves.
 */
export async function exchange(
  connection: Connection,
  operation: Operation,
  wire: WireFields,
  options: ExchangeOptions,
  paid: boolean,
  onSending: (() => Promise<void>) | undefined,
): Promise<Exchanged> {
  const { time, timeouts } = connection;
  const totalMs = paid ? timeouts.generateMs : Math.min(timeouts.queryMs, options.pollTimeoutMs ?? Infinity);
  const tooLong = () => new Error(`the call took longer than ${describeDuration(totalMs)}`);
  const deadline = new Deadline(time, totalMs, tooLong, options.signal);
  const { signal } = deadline;
  let isTried = false;
  let hide: Hide = (text) => text;
  let blocked: { readonly error: unknown } | undefined;
  const beforeSend =
    onSending &&
    (() =>
      orAbort(onSending(), options.signal).catch((error: unknown) => {
        blocked = { error };
        throw error;
      }));
  try {
    const url = connection.baseUrl + operation.path;
    const given = readKey(connection.apiKey, signal);
    const keyed = connection.keyed(given instanceof Promise ? await given : given);
    hide = keyed.hide;
    const body = paid ? toMultipart(formParts(wire)) : JSON.stringify(wire);
    const headers = keyed.headers(!paid, options.headers);
    const request = { url, headers, body };
    isTried = true;
    const incoming = await connection.transport(request, { paid, signal, beforeSend });
    const response = await readResponse(incoming, time.now(), hide);
    return { response, hasKey: keyed.key !== undefined };
  } catch (cause) {
    if (blocked) return { cause: blocked.error, hide, delivery: "not tried" };
    const isAbort = options.signal?.aborted && cause === options.signal.reason;
    if (isAbort) return { cause, hide, delivery: isTried ? "unknown" : "not tried" };
    // A transport notices a changed file or an unusable proxy before anything is sent.
    if (cause instanceof InvalidRequestError) return { cause, hide, delivery: "not tried" };
    // Engines report an abort in many ways, and the deadline knows the reason. Only a `NeverSentError` says more.
    const reason = deadline.passed && !(cause instanceof NeverSentError) ? signal.reason : cause;
    if (isTried) return { cause: reason, hide, delivery: deliveryOf(reason) };
    const noKey = new NeverSentError("no key came, and nothing was sent", reason);
    return { cause: deadline.passed ? noKey : reason, hide, delivery: "not tried" };
  } finally {
    deadline.end();
  }
}

function deliveryOf(reason: unknown): Delivery {
  if (!(reason instanceof NeverSentError)) return "unknown";
  return reason.isFinal ? "cannot be sent" : "never sent";
}
