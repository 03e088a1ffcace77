import { readRetryAfter } from "../call/answer.ts";
import { hideInError } from "../call/hide-key.ts";
import { afterCreation, ConnectionError, MediaGenError, ServiceError } from "../errors/errors.ts";
import { describeDuration } from "../errors/issue.ts";
import { mediaTypeOf } from "../form/files.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { onAbort, orAbort } from "../time/deadline.ts";
import { isPrivate } from "./address.ts";
import { isEncoded, lengthOf, readBody, type Wait } from "./body.ts";
import { getPublic, type ResultResponse, showUrl, UnusableError, webGet } from "./get.ts";
import type { ResultHost } from "./result-host.ts";

/** One result of a task. */
export interface Result {
  readonly task: Task;
  readonly host: ResultHost;
  readonly index: number;
  readonly count: number;
  readonly url: string;
}

/** Bytes of a result. If it cannot be continued after an interruption, `at` is 0 again, and what came before is void. */
export interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The media type, from the first bytes, or else from the server's Content-Type. */
  readonly type: string | undefined;
  /** The size of the complete result, if its server says it. */
  readonly totalBytes: number | undefined;
}

/** Yields the bytes of one result. */
export async function* readResult(result: Result, options: ResultOptions): AsyncGenerator<Piece, void> {
  const { index, count } = result;
  for await (const piece of new Transfer(result, options).pieces()) {
    yield piece;
    const { at, bytes, totalBytes } = piece;
    await options.onProgress?.({ index, count, bytes: at + bytes.byteLength, totalBytes });
  }
}

/** The statuses of an expired URL. */
const expiredStatuses: readonly number[] = [401, 403, 404, 410];
/** The first byte of HTML, and of no image or video: a gateway may send a sign-in page instead of a result. */
const startOfHtml = "<".charCodeAt(0);
/** The default maximum size of a result, in bytes. */
const mostBytes = 2 ** 32;
const advice = "The task is not lost: fetch its results again later, or their URLs in another way.";

/** The transfer of one result. */
class Transfer {
  readonly #result: Result;
  readonly #options: ResultOptions;
  #url: string;
  /** The position of the next piece. */
  #at = 0;
  #totalBytes: number | undefined;
  #etag = "";
  #type: string | undefined;

  constructor(result: Result, options: ResultOptions) {
    this.#result = result;
    this.#options = options;
    this.#url = result.url;
  }

  /** Yields the bytes: retries, renews an expired URL once, and continues after an interruption if the server supports it. */
  async *pieces(): AsyncGenerator<Piece, void> {
    const { task, host, index } = this.#result;
    const { signal } = this.#options;
    const start = host.time.steady();
    let isRenewed = false;
    for (let attempt = 1; ;) {
      try {
        yield* this.#attempt();
        return host.retries.succeeded();
      } catch (failure) {
        signal?.throwIfAborted();
        const isExpired = failure instanceof ServiceError && expiredStatuses.includes(failure.status);
        if (isExpired && !isRenewed) {
          isRenewed = true;
          this.#url = (await host.check(task, signal)).record?.url[index] ?? this.#url;
        } else await host.time.sleep(this.#delayAfter(failure, attempt++, start), signal, "pause");
      }
    }
  }

  /** Yields what is missing. An abort closes the connection at once, also if nobody reads. */
  async *#attempt(): AsyncGenerator<Piece, void> {
    const { signal, stallTimeoutMs = 30_000, maxBytes = mostBytes } = this.#options;
    signal?.throwIfAborted();
    const attempt = new AbortController();
    const release = onAbort(signal, () => attempt.abort(signal?.reason));
    const stalled = () => new Error(`the result stalled for ${describeDuration(stallTimeoutMs)}`);
    // The time that the reader takes between two pieces is not the server's.
    const wait: Wait = (promise) => {
      const { time } = this.#result.host;
      const cancel = time.alarm(stallTimeoutMs, (_, error) => attempt.abort(error ?? stalled()), "limit");
      return orAbort(promise, attempt.signal).finally(cancel);
    };
    try {
      const response = await wait(this.#open(attempt.signal));
      const start = { at: this.#at, totalBytes: this.#totalBytes };
      for await (const bytes of readBody(response, maxBytes, wait, start)) yield this.#pieceOf(bytes, response);
      if (this.#at === 0) throw new Error("the result is empty");
    } finally {
      release();
      // A fetch function may end a response only by its signal.
      attempt.abort("the attempt has ended");
    }
  }

  /** Requests the result, or the rest of it. */
  async #open(signal: AbortSignal): Promise<ResultResponse> {
    const { baseUrl, fetch, get = webGet(fetch), time } = this.#result.host;
    const { allowPrivateHosts: allowPrivate = isPrivate(new URL(baseUrl)), maxBytes = mostBytes } = this.#options;
    const [at, end, etag] = [this.#at, this.#totalBytes, this.#etag];
    // Two results with the same strong ETag have the same bytes. A weak one begins with `W/`.
    const isPart = at > 0 && end !== undefined && etag.startsWith('"');
    const range = { "accept-encoding": "identity", ...(isPart && { range: `bytes=${at}-`, "if-range": etag }) };
    const response = await getPublic(this.#url, get, { headers: range, signal, allowPrivate, maxBytes });
    const { status, headers } = response;
    // RFC 9110, 15.3.7.3
    const isSame =
      headers.get("content-range") === `bytes ${at}-${Number(end) - 1}/${end}` && headers.get("etag") === etag;
    if (isPart && status === 206 && isSame && !isEncoded(response)) return response;
    if (status === 200) {
      [this.#at, this.#totalBytes, this.#etag] = [0, lengthOf(response), headers.get("etag") ?? ""];
      return response;
    }
    void response.body?.cancel().catch(() => undefined);
    if (isPart && (status === 206 || status === 416)) {
      // The server has the rest of another result, or none.
      this.#etag = "";
      return this.#open(signal);
    }
    const retryAfterMs = readRetryAfter(headers.get("retry-after"), time.now());
    const what = `the result's server returned HTTP ${status}`;
    throw new ServiceError(what, "download", { status, body: "", retryAfterMs }, { advice });
  }

  #pieceOf(bytes: Uint8Array<ArrayBuffer>, { headers }: ResultResponse): Piece {
    const at = this.#at;
    const contentType = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
    if (at === 0 && contentType === "text/html" && bytes[0] === startOfHtml)
      throw new Error("the server sent an HTML page instead of the result");
    if (at === 0) this.#type = mediaTypeOf(bytes)?.type ?? contentType;
    this.#at += bytes.byteLength;
    return { at, bytes, type: this.#type, totalBytes: this.#totalBytes };
  }

  /** Returns the delay before the next attempt, and reports it. Throws the failure if there is no other attempt. */
  #delayAfter(failure: unknown, attempt: number, start: number): number {
    const { task, host } = this.#result;
    const { kind, model, taskid, generationId } = task;
    const { retries, time, emit } = host;
    const error = this.#errorOf(failure);
    afterCreation(error, task);
    const { status, retryAfterMs } = error instanceof ServiceError ? error : {};
    const delayMs = error.isRetryable ? retries.nextDelay(attempt, false, retryAfterMs) : undefined;
    if (delayMs === undefined) throw error;
    const about = { operation: "download", kind, model, taskid, generationId, requestId: undefined };
    const [at, durationMs] = [time.now(), Math.round(time.steady() - start)];
    emit({ type: "retried", ...about, at, durationMs, attempt, delayMs, status, error });
    return delayMs;
  }

  #errorOf(failure: unknown): MediaGenError {
    if (failure instanceof MediaGenError) return failure;
    const { hide } = this.#result.host.keys;
    // Engines and fetch functions name the URL in their errors.
    if (!(failure instanceof UnusableError)) return new ConnectionError("download", hideInError(failure, hide));
    const what = `the result's URL ${showUrl(hide(this.#url))} ${failure.message}`;
    return new ServiceError(what, "download", { status: 0, body: "" }, { advice });
  }
}
