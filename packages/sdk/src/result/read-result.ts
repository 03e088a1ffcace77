import { hideInError } from "../call/hide-key.ts";
import { readRetryAfter } from "../call/answer.ts";
import { afterCreation, ConnectionError, MediaGenError, mayPass, ServiceError } from "../errors/errors.ts";
import { describeDuration, shorten } from "../errors/issue.ts";
import { headLength, mediaTypeOf } from "../form/files.ts";
import type { ResultOptions, Task } from "../task/task.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { isPrivate } from "./address.ts";
import { Body } from "./body.ts";
import { getPublic, type ResultResponse, UnusableError, webGet } from "./get.ts";
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

interface ReadOptions extends ResultOptions {
  /** Whether the reader may take long between two pieces, which is not the server's time. */
  readonly isSlow?: boolean;
}

/**
 * Yields the bytes of one result: follows a few redirects, retries, renews an expired URL once, and continues after an
 * interruption if the server supports it.
 */
export async function* readResult(result: Result, options: ReadOptions): AsyncGenerator<Piece, void> {
  const { resultTimeoutMs = 30 * 60_000, signal, onProgress } = options;
  const { index, count, host } = result;
  const timeout = () => new Error(`the result took longer than ${describeDuration(resultTimeoutMs)}`);
  const deadline = new Deadline(host.time, resultTimeoutMs, timeout, signal);
  const transfer = new Transfer(result, options);
  const start = host.time.steady();
  let attempt = 1;
  const next = async (): Promise<Piece | undefined> => {
    try {
      return await transfer.next(deadline.signal);
    } catch (failure) {
      signal?.throwIfAborted();
      if (deadline.passed) throw new ConnectionError("download", deadline.signal.reason);
      if (await transfer.renew(failure)) return next();
      const delayMs = delayAfter(failure, result, attempt++, start);
      // If the sleep is cut short, the next attempt fails at once, and says whether the deadline or the caller ended it.
      await host.time.sleep(delayMs, deadline.signal, "pause").catch(() => undefined);
      return next();
    }
  };
  try {
    for (let piece; (piece = await next());) {
      yield piece;
      const { at, bytes, totalBytes } = piece;
      await onProgress?.({ index, count, bytes: at + bytes.byteLength, totalBytes });
    }
    host.retries.succeeded();
  } finally {
    transfer.close();
    deadline.end();
  }
}

/** Returns the delay before the next attempt, and reports it. Throws the failure if there is no other attempt. */
function delayAfter(failure: unknown, { task, host }: Result, attempt: number, start: number): number {
  const { kind, model, taskid, generationId } = task;
  const { retries, time, emit, keys } = host;
  const { status, retryAfterMs } = failure instanceof ServiceError ? failure : {};
  const isFinal = failure instanceof MediaGenError && !(status !== undefined && mayPass(status));
  const delayMs = isFinal ? undefined : retries.nextDelay(attempt, false, retryAfterMs);
  // Engines and fetch functions name the URL in their errors.
  const error = failure instanceof MediaGenError ? afterCreation(failure, task) : hideInError(failure, keys.hide);
  if (delayMs === undefined) throw error instanceof MediaGenError ? error : new ConnectionError("download", error);
  const about = { operation: "download", kind, model, taskid, generationId, requestId: undefined };
  const [at, durationMs] = [time.now(), Math.round(time.steady() - start)];
  emit({ type: "retried", ...about, at, durationMs, attempt, delayMs, status, error });
  return delayMs;
}

/** The statuses of an expired URL. */
const expiredStatuses: readonly number[] = [401, 403, 404, 410];
/** The first byte of HTML, and of no image or video: a gateway may send a sign-in page instead of a result. */
const startOfHtml = "<".charCodeAt(0);
/** The default maximum size of a result, in bytes. */
const mostBytes = 2 ** 32;
const fetchElsewhere = "The task is not lost: fetch the URL in another way.";

/** The transfer of one result. */
class Transfer {
  readonly #result: Result;
  readonly #options: ReadOptions;
  #url: string;
  #isRenewed = false;
  #stall: Deadline | undefined;
  /** Aborted at the end of an attempt: a fetch function may end a response only by its signal. */
  #attempt = new AbortController();
  /** The response that is being read. */
  #body: Body | undefined;
  /** The response whose pieces were yielded last. */
  #start: Body | undefined;
  #type: string | undefined;

  constructor(result: Result, options: ReadOptions) {
    this.#result = result;
    this.#options = options;
    this.#url = result.url;
  }

  /** Resolves to the next piece; to undefined at the end. After a failure, the next call requests what is missing. */
  async next(signal: AbortSignal): Promise<Piece | undefined> {
    const { stallTimeoutMs = 30_000, isSlow } = this.#options;
    const stalled = () => new Error(`the result stalled for ${describeDuration(stallTimeoutMs)}`);
    const last = this.#stall;
    const stall = (this.#stall = new Deadline(this.#result.host.time, stallTimeoutMs, stalled, signal));
    // Until here it ran on, so that a reader that takes too long between two pieces fails, unless it may be slow.
    last?.end();
    try {
      if (last?.passed) throw last.signal.reason;
      const body = (this.#body ??= await orAbort(this.#open(this.#attempt.signal), stall.signal));
      const { at, totalBytes } = body;
      const bytes = at === 0 ? await this.#readHead(body, stall.signal) : await body.next(stall.signal);
      if (isSlow) stall.end();
      // Only what was yielded is continued. First bytes that do not show the type yet are requested again.
      if (bytes) this.#start = body;
      return bytes && { at, bytes, type: this.#type, totalBytes };
    } catch (error) {
      this.close();
      if (error instanceof UnusableError) throw this.#serviceError(error);
      throw stall.passed ? stall.signal.reason : error;
    }
  }

  /** Releases the connection. */
  close(): void {
    this.#stall?.end();
    this.#attempt.abort("the attempt has ended");
    this.#attempt = new AbortController();
    this.#body?.cancel();
    this.#stall = this.#body = undefined;
  }

  /** Checks the task again for the result's current URL, if that may help. URLs expire. */
  async renew(failure: unknown): Promise<boolean> {
    const { task, host, index } = this.#result;
    if (this.#isRenewed || !(failure instanceof ServiceError && expiredStatuses.includes(failure.status))) return false;
    this.#isRenewed = true;
    this.#url = (await host.check(task, this.#options.signal)).record?.url[index] ?? this.#url;
    return true;
  }

  /** Requests the result, or the rest of it. */
  async #open(signal: AbortSignal): Promise<Body> {
    const { baseUrl, fetch, get = webGet(fetch) } = this.#result.host;
    const { allowPrivateHosts: allowPrivate = isPrivate(new URL(baseUrl)), maxBytes = mostBytes } = this.#options;
    const rest = this.#start?.rest;
    const headers = { "accept-encoding": "identity", ...rest };
    const response = await getPublic(this.#url, get, { headers, signal, allowPrivate, maxBytes });
    const { status } = response;
    if (rest && this.#start?.isContinuedBy(response)) return new Body(response, maxBytes, this.#start);
    if (status === 200) return new Body(response, maxBytes);
    void response.body?.cancel().catch(() => undefined);
    if (!rest || (status !== 206 && status !== 416)) throw this.#statusError(response);
    // The server has the rest of another result, or none.
    this.#start = undefined;
    return this.#open(signal);
  }

  /** Reads as many first bytes as show the type. */
  async #readHead(body: Body, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    let head = new Uint8Array();
    for (let bytes; head.length < headLength && (bytes = await body.next(signal));)
      head = head.length === 0 ? bytes : Uint8Array.from([...head, ...bytes]);
    if (head.length === 0) throw new Error("the result is empty");
    if (body.type === "text/html" && head[0] === startOfHtml)
      throw new Error("the server sent an HTML page instead of the result");
    this.#type = mediaTypeOf(head)?.type ?? body.type;
    return head;
  }

  #statusError({ status, headers }: ResultResponse): ServiceError {
    const retryAfterMs = readRetryAfter(headers.get("retry-after"), this.#result.host.time.now());
    const what = `the result's server returned HTTP ${status}`;
    const advice = mayPass(status) ? "The task is not lost: fetch its results again later." : fetchElsewhere;
    return new ServiceError(what, "download", { status, body: "", retryAfterMs }, { advice });
  }

  #serviceError({ url = this.#url, message, advice = fetchElsewhere }: UnusableError): ServiceError {
    // Hidden first: half a key is no longer recognized.
    const shown = JSON.stringify(shorten(this.#result.host.keys.hide(url)));
    return new ServiceError(`the result's URL ${shown} ${message}`, "download", { status: 0, body: "" }, { advice });
  }
}
