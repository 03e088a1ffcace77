import type { Hide } from "../call/hide-key.ts";
import { readRetryAfter } from "../call/read-response.ts";
import { MediaGenError } from "../errors/errors.ts";
import { shorten } from "../errors/issue.ts";
import { ServiceError } from "../errors/response-errors.ts";
import type { ResultOptions } from "../task/task.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import { isPrivate } from "../transport/address.ts";
import { describeDuration } from "../errors/duration.ts";
import type { ResultContext, ResultResponse } from "./context.ts";
import { isAsStored, lengthOf, mediaTypeIn } from "./headers.ts";
import { followRedirects } from "./redirects.ts";
import type { TaskResult } from "./results-of.ts";
import { compressed, privateNetwork, type UnusableUrl } from "./unusable-url.ts";

/** Receives a result's bytes. */
export interface ResultSink {
  write(piece: Uint8Array): Promise<void> | void;
  /** Whether writing waits for a reader. */
  readonly waits?: boolean;
  /** Called with the head of a response, before its first byte, unless that continues what is in the sink. */
  begin?(type: string | undefined, totalBytes: number | undefined): void;
  /** Discards everything written so far: the bytes come again from the first. */
  restart(): Promise<void> | void;
}

/** The outcome of an attempt to copy a result. Another attempt may succeed after `failed`. */
type Attempt =
  | { readonly state: "done"; readonly type: string | undefined }
  | { readonly state: "failed"; readonly error: unknown };

/** The statuses of an expired URL. */
const expiredStatuses: readonly number[] = [401, 403, 404, 410];
/** The first byte of HTML, and of no image or video: a gateway may send a sign-in page instead of a result. */
const startOfHtml = "<".charCodeAt(0);

/** The reason to request the result again within the same attempt. */
type Repeat = { readonly state: "expired" } | { readonly state: "changed" };

/** A strong validator: two results with the same one have the same bytes. A weak one begins with `W/`. */
const strongEtag = /^"[^"]*"$/;

/** The identity of the result whose first bytes are in a sink. */
interface Part {
  readonly etag: string;
  readonly totalBytes: number;
}

/** The properties of a response's body, from its status and headers. */
interface Body {
  readonly status: number;
  /** Whether it continues where the last attempt stopped, and is of the same result. */
  readonly isRest: boolean;
  /** The size of the complete result. */
  readonly totalBytes: number | undefined;
  readonly type: string | undefined;
}

/** Copies one result into a sink, over as many attempts as it takes. */
export class Transfer {
  readonly #result: TaskResult;
  readonly #sink: ResultSink;
  readonly #context: ResultContext;
  readonly #options: ResultOptions;
  #url: string;
  #renewed = false;
  #bytes = 0;
  /** The identity of the result in the sink; undefined if another attempt cannot be sure to continue it. */
  #part: Part | undefined;

  constructor(result: TaskResult, sink: ResultSink, context: ResultContext, options: ResultOptions) {
    this.#result = result;
    this.#sink = sink;
    this.#context = context;
    this.#options = options;
    this.#url = result.url;
  }

  /** The number of bytes in the sink. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Requests the result, or the rest of it, and renews an expired URL once.
   *
   * @returns `failed` if the network or the result's server failed
   * @throws whatever another attempt would meet again: a URL that must not be requested, a result that is too large, and
   *   the errors of the sink and of `onProgress`
   */
  async attempt(signal: AbortSignal): Promise<Attempt> {
    for (;;) {
      const attempt = await this.#attemptOnce(signal);
      if (attempt.state === "expired") {
        this.#renewed = true;
        this.#url = (await this.#result.renew()) ?? this.#url;
      } else if (attempt.state === "changed") await this.#startAgain();
      else return attempt;
    }
  }

  /** Discards all bytes. Without bytes no range is requested, so this happens once between two responses with bytes. */
  async #startAgain(): Promise<void> {
    this.#bytes = 0;
    this.#part = undefined;
    await this.#sink.restart();
  }

  async #attemptOnce(signal: AbortSignal): Promise<Attempt | Repeat> {
    const { stallTimeoutMs = 30_000 } = this.#options;
    const stalled = () => new Error(`the result stalled for ${describeDuration(stallTimeoutMs)}`);
    const stall = new Deadline(this.#context.time, stallTimeoutMs, stalled, signal);
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    let attempt: Attempt | undefined;
    try {
      const received = await receive(this.#request(stall.signal), stall);
      if ("error" in received) return { state: "failed", error: received.error };
      const { value: response } = received;
      reader = response.body?.getReader();
      if (expiredStatuses.includes(response.status) && !this.#renewed) return { state: "expired" };
      const body = this.#readHeaders(response);
      // The server has the rest of another result, or none.
      if (this.#part && !body.isRest && [206, 416].includes(response.status)) return { state: "changed" };
      if (response.status !== 200 && !body.isRest) return { state: "failed", error: this.#statusError(response) };
      if (this.#bytes > 0 && !body.isRest) await this.#startAgain();
      if (response.status === 200) this.#part = partOf(response, body);
      if (!body.isRest) this.#sink.begin?.(body.type, body.totalBytes);
      return (attempt = await this.#readBody(body, reader, stall, () => stall.restart(stallTimeoutMs, stalled)));
    } finally {
      stall.end();
      // An abandoned body would keep its connection, and so the process. If it cannot be cancelled, it is over anyway.
      if (attempt?.state !== "done") void reader?.cancel().catch(() => undefined);
    }
  }

  async #request(signal: AbortSignal): Promise<ResultResponse> {
    const { get, baseUrl, hide } = this.#context;
    const { allowPrivateHosts: allowPrivate = isPrivate(new URL(baseUrl)), maxBytes = mostBytes } = this.#options;
    const headers: Record<string, string> = { "accept-encoding": "identity" };
    if (this.#bytes > 0 && this.#part) {
      headers["range"] = `bytes=${this.#bytes}-`;
      headers["if-range"] = this.#part.etag;
    }
    const explain = (unusable: UnusableUrl) => toServiceError(unusable, hide);
    return followRedirects(this.#url, get, { headers, signal, allowPrivate, maxBytes }, explain);
  }

  #readHeaders(response: ResultResponse): Body {
    const { status } = response;
    const type = mediaTypeIn(response);
    const isRest = status === 206 && this.#isRest(response);
    // The server may send less than all that is missing, so the total is that of the first response.
    if (isRest) return { status, isRest, totalBytes: this.#part?.totalBytes, type };
    return { status, isRest, totalBytes: lengthOf(response), type };
  }

  /** Returns whether a part is the requested one, of the result whose first bytes are in the sink (RFC 9110, 15.3.7.3). */
  #isRest(response: ResultResponse): boolean {
    const { headers } = response;
    if (!this.#part || this.#bytes === 0) return false;
    const [, from, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
    const isSame = headers.get("etag") === this.#part.etag && Number(total) === this.#part.totalBytes;
    return isSame && Number(from) === this.#bytes && isAsStored(response);
  }

  async #readBody(
    { status, totalBytes, type }: Body,
    reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
    stall: Deadline,
    startTime: () => void,
  ): Promise<Attempt> {
    const { index, count } = this.#result;
    for (;;) {
      this.#checkSize(totalBytes, status);
      const received = await receive(reader?.read() ?? Promise.resolve(endOfBody), stall);
      if ("error" in received) return { state: "failed", error: received.error };
      const { done, value: piece } = received.value;
      if (done) return this.#finish(totalBytes, type);
      startTime();
      // A reader's time is not the server's.
      if (this.#sink.waits) stall.pause();
      if (this.#bytes === 0 && type === "text/html" && piece[0] === startOfHtml)
        return { state: "failed", error: new Error("the server sent an HTML page instead of the result") };
      await this.#sink.write(piece);
      this.#bytes += piece.byteLength;
      await this.#options.onProgress?.({ index, count, bytes: this.#bytes, totalBytes });
      if (this.#sink.waits) startTime();
    }
  }

  #checkSize(totalBytes: number | undefined, status: number): void {
    const { maxBytes = mostBytes } = this.#options;
    if (Math.max(this.#bytes, totalBytes ?? 0) > maxBytes)
      throw new ServiceError(
        `the result is larger than ${maxBytes} bytes. Pass { maxBytes } to raise the limit`,
        "download",
        { status, text: "" },
      );
  }

  #finish(totalBytes: number | undefined, type: string | undefined): Attempt {
    if (this.#bytes === 0) return { state: "failed", error: new Error("the result is empty") };
    if (totalBytes === undefined || this.#bytes === totalBytes) return { state: "done", type };
    return { state: "failed", error: new Error(`the result ended after ${this.#bytes} of ${totalBytes} bytes`) };
  }

  #statusError({ status, headers }: ResultResponse): ServiceError {
    const retryAfterMs = readRetryAfter(headers.get("retry-after"), this.#context.time.now());
    return new ServiceError(`the result's server returned HTTP ${status}`, "download", {
      status,
      text: "",
      retryAfterMs,
    });
  }
}

function toServiceError({ url, why }: UnusableUrl, hide: Hide): ServiceError {
  // Hidden first: half a key is no longer recognized.
  const shown = JSON.stringify(shorten(hide(url)));
  const advice = adviceOn[why] ?? "";
  return new ServiceError(`the result's URL ${shown} ${why}${advice}`, "download", { status: 0, text: "" });
}

const adviceOn: Readonly<Record<string, string>> = {
  [privateNetwork]: ". Pass { allowPrivateHosts: true } if you trust the service's URLs",
  [compressed]: ". The task is not lost: fetch its result with @mediagen/sdk/node, without the option fetch",
};

/** Returns the identity that a later attempt must find again to continue. */
function partOf({ headers }: ResultResponse, { totalBytes }: Body): Part | undefined {
  const etag = headers.get("etag");
  return etag !== null && strongEtag.test(etag) && totalBytes !== undefined ? { etag, totalBytes } : undefined;
}

/** The default maximum size of a result, in bytes. */
const mostBytes = 2 ** 32;

const endOfBody = { done: true, value: undefined } as const;

/**
 * Resolves to the value of a promise, or to the error of the network. The SDK's own errors are thrown: they are decisions
 * about a URL, which another attempt would meet again.
 */
async function receive<T>(
  promise: Promise<T>,
  stall: Deadline,
): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await orAbort(promise, stall.signal) };
  } catch (error) {
    if (error instanceof MediaGenError) throw error;
    return { error: stall.passed ? stall.signal.reason : error };
  }
}
