import { readRetryAfter } from "../call/answer.ts";
import type { CallHost } from "../call/call.ts";
import type { Fetch } from "../call/fetch.ts";
import { type Hide, hideInError } from "../call/hide-key.ts";
import { afterCreation, ConnectionError, MediaGenError, ServiceError } from "../errors/errors.ts";
import type { Report } from "../errors/events.ts";
import { describeDuration } from "../errors/issue.ts";
import { mediaTypeOf } from "../form/files.ts";
import type { Check, ResultOptions, Task } from "../task/task.ts";
import { onAbort, orAbort } from "../time/deadline.ts";
import { isEncoded, lengthOf, readBody, type Wait } from "./body.ts";
import {
  getPublic,
  isPrivate,
  type ResultGet,
  type ResultResponse,
  showUrl,
  UnusableError,
  webGet,
} from "./get.ts";

export interface ResultHost extends Pick<
  CallHost,
  "baseUrl" | "emit" | "keys" | "retries" | "time"
> {
  readonly fetch?: Fetch | undefined;
  /** The runtime's own way to get a result, if it has a better one than fetch. */
  readonly get?: ResultGet;
  readonly report: Report;
  /**
   * Checks a task without reporting a failure, because the call that needs its results reports it.
   */
  readonly check: (task: Task, signal: AbortSignal | undefined) => Promise<Check>;
}

export interface Result {
  readonly task: Task;
  readonly host: ResultHost;
  readonly index: number;
  readonly count: number;
  readonly url: string;
}

/**
 * Bytes of a result. If it cannot be continued after an interruption, `at` is 0 again, and what
 * came before is void.
 */
export interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string | undefined;
  readonly totalBytes: number | undefined;
}

const mostBytes = 2 ** 32;
/** The media types of texts. An image or a video with one of them is known by its bytes. */
const text = /^text|^application.*(json|xml)$/;
/** How an envelope, XML and HTML begin, and no image or video. */
const structured = /^\s*[{<]/;
const advice = "The task is not lost: fetch its results again later.";

interface Transfer {
  readonly result: Result;
  readonly options: ResultOptions;
  url: string;
  at: number;
  totalBytes: number | undefined;
  etag: string;
  type?: string | undefined;
  failures: number;
  readonly startedAt: number;
}

export async function* readResult(
  result: Result,
  options: ResultOptions,
): AsyncGenerator<Piece, void> {
  const { index, count } = result;
  for await (const piece of retry(result, options)) {
    yield piece;
    const { at, bytes, totalBytes } = piece;
    await options.onProgress?.({ index, count, bytes: at + bytes.byteLength, totalBytes });
  }
}

/**
 * Yields the bytes: retries, renews an expired URL once, and continues after an interruption if the
 * server supports it.
 */
async function* retry(result: Result, options: ResultOptions): AsyncGenerator<Piece, void> {
  const { url, task, host, index } = result;
  const { signal } = options;
  const unknown = { at: 0, totalBytes: undefined, etag: "", failures: 0 };
  const transfer: Transfer = { result, options, url, ...unknown, startedAt: host.time.steady() };
  for (let isRenewed = false; ;) {
    try {
      yield* readOn(transfer);
      return host.retries.succeeded();
    } catch (failure) {
      signal?.throwIfAborted();
      const isExpired =
        failure instanceof NotTheResultError ||
        (failure instanceof ServiceError && [401, 403, 404, 410].includes(failure.status));
      if (isExpired && !isRenewed) {
        const { record } = await host.check(task, signal);
        transfer.url = record?.url[index] ?? url;
        isRenewed = true;
      } else await host.time.sleep(delayAfter(failure, transfer), signal, "pause");
    }
  }
}

/** Yields what is missing. An abort closes the connection at once, also if nobody reads. */
async function* readOn(transfer: Transfer): AsyncGenerator<Piece, void> {
  const { signal, stallTimeoutMs = 30_000, maxBytes = mostBytes } = transfer.options;
  signal?.throwIfAborted();
  const attempt = new AbortController();
  const release = onAbort(signal, () => attempt.abort(signal?.reason));
  const stalled = () => new Error(`the result stalled for ${describeDuration(stallTimeoutMs)}`);
  // The time that the reader takes between two pieces is not the server's.
  const wait: Wait = (promise) => {
    const cancel = transfer.result.host.time.alarm(
      stallTimeoutMs,
      () => attempt.abort(stalled()),
      "limit",
    );
    return orAbort(promise, attempt.signal).finally(cancel);
  };
  try {
    const response = await wait(open(transfer, attempt.signal));
    const contentType = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
    for await (const bytes of readBody(response, maxBytes, wait, transfer)) {
      const { at, totalBytes } = transfer;
      if (at === 0) transfer.type = typeOf(bytes, contentType);
      transfer.at += bytes.byteLength;
      yield { at, bytes, type: transfer.type, totalBytes };
    }
    if (transfer.at === 0) throw new Error("the result is empty");
  } finally {
    release();
    // A fetch function may end a response only by its signal.
    attempt.abort("the attempt has ended");
  }
}

/** Thrown for a text, such as a sign-in page of a gateway, or the envelope of an expired URL. */
class NotTheResultError extends Error {}

/** Returns the media type of a result that begins like this. */
function typeOf(head: Uint8Array, contentType: string | undefined): string | undefined {
  const known = mediaTypeOf(head)?.type;
  const isText =
    text.test(contentType ?? "") && structured.test(String.fromCharCode(...head.subarray(0, 16)));
  if (!known && isText)
    throw new NotTheResultError(`the server sent ${contentType} instead of the result`);
  return known ?? contentType;
}

async function open(transfer: Transfer, signal: AbortSignal): Promise<ResultResponse> {
  const { baseUrl, fetch, get = webGet(fetch), time } = transfer.result.host;
  const { allowPrivateHosts: allowPrivate = isPrivate(new URL(baseUrl)), maxBytes = mostBytes } =
    transfer.options;
  const { url, at, totalBytes: end = 0, etag } = transfer;
  // Two results with the same strong ETag have the same bytes. A weak one begins with `W/`.
  const range = at > 0 &&
    end > 0 &&
    etag.startsWith('"') && { range: `bytes=${at}-`, "if-range": etag };
  const request = {
    headers: { "accept-encoding": "identity", ...range },
    signal,
    allowPrivate,
    maxBytes,
  };
  const response = await getPublic(url, get, request);
  const { status, headers } = response;
  // RFC 9110, 15.3.7.3
  const isRest =
    headers.get("content-range") === `bytes ${at}-${end - 1}/${end}` &&
    headers.get("etag") === etag;
  if (range && status === 206 && isRest && !isEncoded(response)) return response;
  if (status === 200) {
    Object.assign(transfer, {
      at: 0,
      totalBytes: lengthOf(response),
      etag: headers.get("etag") ?? "",
    });
    return response;
  }
  void response.body?.cancel().catch(() => undefined);
  if (range && (status === 206 || status === 416)) {
    // The server has the rest of another result, or none.
    transfer.etag = "";
    return open(transfer, signal);
  }
  const retryAfterMs = readRetryAfter(headers.get("retry-after"), time.now());
  const what = `the result's server returned HTTP ${status}`;
  throw new ServiceError(what, "download", { status, body: "", retryAfterMs }, { advice });
}

function delayAfter(failure: unknown, transfer: Transfer): number {
  const { task, host } = transfer.result;
  const { kind, model, taskid, generationId } = task;
  const { retries, time, emit, keys } = host;
  const attempt = ++transfer.failures;
  const error = errorOf(failure, transfer.url, keys.hide);
  afterCreation(error, task);
  const { status, retryAfterMs } = error instanceof ServiceError ? error : {};
  const delayMs = error.isRetryable ? retries.nextDelay(attempt, false, retryAfterMs) : undefined;
  if (delayMs === undefined) throw error;
  const about = { operation: "download", kind, model, taskid, generationId, requestId: undefined };
  const durationMs = Math.round(time.steady() - transfer.startedAt);
  emit({ type: "retried", ...about, at: time.now(), durationMs, attempt, delayMs, status, error });
  return delayMs;
}

/** Engines and fetch functions name the URL in their errors. It may contain the key. */
function errorOf(failure: unknown, url: string, hide: Hide): MediaGenError {
  if (failure instanceof MediaGenError) return failure;
  if (!(failure instanceof UnusableError))
    return new ConnectionError("download", hideInError(failure, hide));
  const what = `the result's URL ${showUrl(hide(url))} ${failure.message}`;
  return new ServiceError(what, "download", { status: 0, body: "" }, { advice });
}
