import { hideInError } from "../call/hide-key.ts";
import { readRetryAfter } from "../call/answer.ts";
import { describeDuration, shorten } from "../errors/issue.ts";
import { afterCreation, ConnectionError, mayPass, MediaGenError, ServiceError } from "../errors/errors.ts";
import type { Retries } from "../call/retries.ts";
import type { ResultOptions } from "../task/task.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { isPrivate } from "../call/address.ts";
import { NeverSentError } from "../call/evidence.ts";
import type { ResultContext, ResultResponse } from "./context.ts";
import { isAsStored, lengthOf, mediaTypeIn } from "./headers.ts";
import { followRedirects } from "./redirects.ts";
import type { TaskResult } from "./results-of.ts";
import { compressed, privateNetwork, type UnusableUrl } from "./unusable-url.ts";

/** Bytes of a result. If it cannot be continued after an interruption, `at` is 0 again, and what came before is void. */
export interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
  /** The media type in the server's Content-Type. */
  readonly type: string | undefined;
  /** The size of the complete result, if its server says it. */
  readonly totalBytes: number | undefined;
}

/** Options of `readResult`. */
interface ReadOptions extends ResultOptions {
  /** Whether the reader may take long between two pieces, which is not the server's time. */
  readonly isSlow?: boolean;
}

/**
 * Yields the bytes of one result: follows a few redirects, retries, renews an expired URL once, and continues after an
 * interruption if the server supports it.
 */
export async function* readResult(
  result: TaskResult,
  context: ResultContext,
  options: ReadOptions,
): AsyncGenerator<Piece, void> {
  const { resultTimeoutMs = 30 * 60_000, signal } = options;
  const { time, emit, retries } = context;
  const timeout = () => new Error(`the result took longer than ${describeDuration(resultTimeoutMs)}`);
  const deadline = new Deadline(time, resultTimeoutMs, timeout, signal);
  const transfer = new Transfer(result, context, options);
  const start = time.steady();
  try {
    for (let attempt = 1; ; attempt++) {
      const failure = yield* transfer.attempt(deadline.signal);
      if (!failure) return retries.succeeded();
      // Engines and fetch functions name the URL in their errors.
      const error = failure instanceof ServiceError ? failure : hideInError(failure, context.hide);
      afterCreation(error, result.task);
      if (deadline.passed) throw new ConnectionError("download", deadline.signal.reason);
      deadline.signal.throwIfAborted();
      const delayMs = delayAfter(failure, attempt, retries);
      if (delayMs === undefined) throw error instanceof ServiceError ? error : new ConnectionError("download", error);
      const { kind, model, taskid, generationId } = result.task;
      const [at, durationMs] = [time.now(), Math.round(time.steady() - start)];
      const facts = { operation: "download", kind, model, taskid, generationId, at, durationMs, requestId: undefined };
      const status = error instanceof ServiceError ? error.status : undefined;
      emit({ type: "retried", ...facts, attempt, delayMs, status, error });
      // If the sleep is cut short, the next attempt fails at once, and says whether the deadline or the caller ended it.
      await time.sleep(delayMs, deadline.signal, "pause").catch(() => undefined);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    deadline.end();
  }
}

function delayAfter(failure: unknown, attempt: number, retries: Retries): number | undefined {
  const isService = failure instanceof ServiceError;
  const isFinal = isService ? !mayPass(failure.status) : failure instanceof NeverSentError && failure.isFinal;
  return isFinal ? undefined : retries.nextDelay(attempt, false, isService ? failure.retryAfterMs : undefined);
}

/** The reason to request the result again within the same attempt. */
type Repeat = "expired" | "changed";

/** The identity of the result whose first bytes were read. */
interface Part {
  readonly etag: string;
  readonly totalBytes: number;
}

/** The statuses of an expired URL. */
const expiredStatuses: readonly number[] = [401, 403, 404, 410];
/** The first byte of HTML, and of no image or video: a gateway may send a sign-in page instead of a result. */
const startOfHtml = "<".charCodeAt(0);
/** A strong validator: two results with the same one have the same bytes. A weak one begins with `W/`. */
const strongEtag = /^"[^"]*"$/;
/** The default maximum size of a result, in bytes. */
const mostBytes = 2 ** 32;

/** The attempts to read one result. */
class Transfer {
  readonly #result: TaskResult;
  readonly #context: ResultContext;
  readonly #options: ReadOptions;
  #url: string;
  #isRenewed = false;
  /** The number of bytes that were read. */
  #at = 0;
  /** The identity of the result; undefined if another attempt cannot be sure to continue it. */
  #part: Part | undefined;

  constructor(result: TaskResult, context: ResultContext, options: ReadOptions) {
    this.#result = result;
    this.#context = context;
    this.#options = options;
    this.#url = result.url;
  }

  /**
   * Requests the result, or the rest of it, and renews an expired URL once.
   *
   * @returns undefined at the end of the result, or how the network or the result's server failed
   * @throws what another attempt would meet again: a URL that must not be requested, a result that is too large
   */
  async *attempt(signal: AbortSignal): AsyncGenerator<Piece, unknown> {
    for (;;) {
      const ended = yield* this.#attemptOnce(signal);
      if (ended === "expired") {
        this.#isRenewed = true;
        this.#url = (await this.#result.renew()) ?? this.#url;
      } else if (ended === "changed") [this.#at, this.#part] = [0, undefined];
      else return ended;
    }
  }

  async *#attemptOnce(outer: AbortSignal): AsyncGenerator<Piece, Repeat | Error | undefined> {
    const { stallTimeoutMs = 30_000, isSlow } = this.#options;
    const stalled = () => new Error(`the result stalled for ${describeDuration(stallTimeoutMs)}`);
    const stall = new Deadline(this.#context.time, stallTimeoutMs, stalled, outer);
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    try {
      const received = await receive(this.#request(stall.signal), stall);
      if ("error" in received) return received.error;
      const { value: response } = received;
      reader = response.body?.getReader();
      const ended = this.#readHead(response);
      if (ended) return ended;
      const { status } = response;
      const type = mediaTypeIn(response);
      // A rest may be less than all that is missing, so the total is that of the first response.
      const totalBytes = status === 206 ? this.#part?.totalBytes : lengthOf(response);
      for (;;) {
        this.#checkSize(totalBytes, status);
        const next = await receive(reader?.read() ?? Promise.resolve(endOfBody), stall);
        if ("error" in next) return next.error;
        const { done, value: bytes } = next.value;
        if (done) return this.#missing(totalBytes);
        if (this.#at === 0 && type === "text/html" && bytes[0] === startOfHtml)
          return new Error("the server sent an HTML page instead of the result");
        if (isSlow) stall.pause();
        yield { at: this.#at, bytes, type, totalBytes };
        this.#at += bytes.byteLength;
        const { index, count } = this.#result;
        await this.#options.onProgress?.({ index, count, bytes: this.#at, totalBytes });
        stall.restart(stallTimeoutMs, stalled);
      }
    } finally {
      stall.end();
      // An abandoned body would keep its connection, and so the process. If it cannot be cancelled, it is over anyway.
      void reader?.cancel().catch(() => undefined);
    }
  }

  async #request(signal: AbortSignal): Promise<ResultResponse> {
    const { get, baseUrl, hide } = this.#context;
    const { allowPrivateHosts: allowPrivate = isPrivate(new URL(baseUrl)), maxBytes = mostBytes } = this.#options;
    const headers: Record<string, string> = { "accept-encoding": "identity" };
    if (this.#at > 0 && this.#part) {
      headers["range"] = `bytes=${this.#at}-`;
      headers["if-range"] = this.#part.etag;
    }
    const explain = (unusable: UnusableUrl) => toServiceError(unusable, hide);
    return followRedirects(this.#url, get, { headers, signal, allowPrivate, maxBytes }, explain);
  }

  /** Reads the head of a response. Returns why its body is not read, or undefined. */
  #readHead(response: ResultResponse): Repeat | Error | undefined {
    const { status } = response;
    if (expiredStatuses.includes(status) && !this.#isRenewed) return "expired";
    if (status === 206 && this.#isRest(response)) return undefined;
    // The server has the rest of another result, or none.
    if (this.#part && (status === 206 || status === 416)) return "changed";
    if (status !== 200) return this.#statusError(response);
    this.#at = 0;
    this.#part = partOf(response);
    return undefined;
  }

  /** Returns whether a part is the requested one, of the result whose first bytes were read (RFC 9110, 15.3.7.3). */
  #isRest(response: ResultResponse): boolean {
    const { headers } = response;
    if (!this.#part || this.#at === 0) return false;
    const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
    const isSame = headers.get("etag") === this.#part.etag && Number(total) === this.#part.totalBytes;
    return isSame && Number(from) === this.#at && isAsStored(response);
  }

  #checkSize(totalBytes: number | undefined, status: number): void {
    const { maxBytes = mostBytes } = this.#options;
    if (Math.max(this.#at, totalBytes ?? 0) <= maxBytes) return;
    const advice = "Pass { maxBytes } to raise the limit.";
    throw new ServiceError(`the result is larger than ${maxBytes} bytes`, "download", { status, text: "" }, { advice });
  }

  #missing(totalBytes: number | undefined): Error | undefined {
    if (this.#at === 0) return new Error("the result is empty");
    if (totalBytes === undefined || this.#at === totalBytes) return undefined;
    return new Error(`the result ended after ${this.#at} of ${totalBytes} bytes`);
  }

  #statusError({ status, headers }: ResultResponse): ServiceError {
    const retryAfterMs = readRetryAfter(headers.get("retry-after"), this.#context.time.now());
    const what = `the result's server returned HTTP ${status}`;
    const advice = mayPass(status) ? fetchLater : fetchElsewhere;
    return new ServiceError(what, "download", { status, text: "", retryAfterMs }, { advice });
  }
}

function toServiceError({ url, why }: UnusableUrl, hide: ResultContext["hide"]): ServiceError {
  // Hidden first: half a key is no longer recognized.
  const shown = JSON.stringify(shorten(hide(url)));
  const advice = adviceOn[why] ?? fetchElsewhere;
  return new ServiceError(`the result's URL ${shown} ${why}`, "download", { status: 0, text: "" }, { advice });
}

const fetchLater = "The task is not lost: fetch its results again later.";
const fetchElsewhere = "The task is not lost: fetch the URL in another way.";
const adviceOn: Readonly<Record<string, string>> = {
  [privateNetwork]: "Pass { allowPrivateHosts: true } if you trust the service's URLs.",
  [compressed]: "The task is not lost: fetch its result with @mediagen/sdk/node, without the option fetch.",
};

/** Returns the identity that a later attempt must find again to continue. */
function partOf(response: ResultResponse): Part | undefined {
  const etag = response.headers.get("etag");
  const totalBytes = lengthOf(response);
  return etag !== null && strongEtag.test(etag) && totalBytes !== undefined ? { etag, totalBytes } : undefined;
}

const endOfBody = { done: true, value: undefined } as const;

/**
 * Resolves to the value of a promise, or to the error of the network. The SDK's own errors are thrown: they are decisions
 * about a URL, which another attempt would meet again.
 */
async function receive<T>(
  promise: Promise<T>,
  stall: Deadline,
): Promise<{ readonly value: T } | { readonly error: Error }> {
  try {
    return { value: await orAbort(promise, stall.signal) };
  } catch (error) {
    if (error instanceof MediaGenError) throw error;
    const reason: unknown = stall.passed ? stall.signal.reason : error;
    return { error: reason instanceof Error ? reason : new Error(String(reason)) };
  }
}
