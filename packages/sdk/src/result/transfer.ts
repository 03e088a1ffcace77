import { readRetryAfter } from "../call/read-response.ts";
import { MediaGenError, ServiceError } from "../errors/errors.ts";
import type { ResultOptions } from "../task/task.ts";
import { Deadline, orAbort } from "../time/deadline.ts";
import type { ResultContext } from "./context.ts";
import { followRedirects } from "./redirects.ts";
import type { ResultSource } from "./sources.ts";

/** Receives a result's bytes. */
export interface ResultSink {
  write(piece: Uint8Array): Promise<void> | void;
  /** Discards everything written so far: the bytes come again from the first. */
  restart(): Promise<void> | void;
}

/** How an attempt to copy a result ended. Another attempt may succeed after `failed`. */
export type Attempt =
  | { readonly state: "done"; readonly type: string | undefined }
  | { readonly state: "failed"; readonly error: unknown };

/** The statuses of an expired URL. */
const expiredStatuses: readonly number[] = [401, 403, 404, 410];
/** How HTML starts, and no image or video does: a sign-in page of a gateway may come instead of a result. */
const startOfHtml = "<".charCodeAt(0);

/** What the status and the headers of a response say about its body. */
interface Body {
  readonly status: number;
  /** Whether it continues where the last attempt stopped. */
  readonly isRest: boolean;
  /** The size of the complete result. */
  readonly totalBytes: number | undefined;
  readonly type: string | undefined;
}

/** Copies one result into a sink, over as many attempts as it takes. */
export class Transfer {
  readonly #source: ResultSource;
  readonly #sink: ResultSink;
  readonly #context: ResultContext;
  readonly #options: ResultOptions;
  #url: string;
  #renewed = false;
  #bytes = 0;
  #etag: string | null = null;
  /** Whether another attempt may continue: offsets in a compressed response are not offsets in the result. */
  #resumable = true;

  constructor(source: ResultSource, sink: ResultSink, context: ResultContext, options: ResultOptions) {
    this.#source = source;
    this.#sink = sink;
    this.#context = context;
    this.#options = options;
    this.#url = source.url;
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
      if (attempt.state !== "expired") return attempt;
      this.#renewed = true;
      this.#url = (await this.#source.renew()) ?? this.#url;
    }
  }

  async #attemptOnce(signal: AbortSignal): Promise<Attempt | { readonly state: "expired" }> {
    const { stallTimeoutMs = 30_000 } = this.#options;
    const stalled = () => new Error(`the result stalled for ${stallTimeoutMs} ms`);
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
      if (response.status !== 200 && !body.isRest) return { state: "failed", error: this.#statusError(response) };
      if (this.#bytes > 0 && !body.isRest) {
        this.#bytes = 0;
        await this.#sink.restart();
      }
      return (attempt = await this.#readBody(body, reader, stall, () => stall.restart(stallTimeoutMs, stalled)));
    } finally {
      stall.end();
      // An abandoned body would keep its connection, and so the process. If it cannot be cancelled, it is over anyway.
      if (attempt?.state !== "done") void reader?.cancel().catch(() => undefined);
    }
  }

  async #request(signal: AbortSignal): Promise<Response> {
    const { get, privateBase } = this.#context;
    const { allowPrivateHosts: allowPrivate = privateBase } = this.#options;
    const headers: Record<string, string> = { "accept-encoding": "identity" };
    if (this.#bytes > 0 && this.#resumable) {
      headers["range"] = `bytes=${this.#bytes}-`;
      if (this.#etag) headers["if-range"] = this.#etag;
    }
    return followRedirects(this.#url, get, { headers, signal, allowPrivate });
  }

  #readHeaders({ status, headers }: Response): Body {
    const range = headers.get("content-range") ?? "";
    // A part that was not requested is neither the result nor the rest of it.
    const isRest = status === 206 && this.#bytes > 0 && range.startsWith(`bytes ${this.#bytes}-`);
    if (status === 200 || isRest) {
      this.#etag = headers.get("etag");
      this.#resumable = (headers.get("content-encoding") ?? "identity") === "identity";
    }
    // If fetch has decompressed the body, the Content-Length is that of the compressed one.
    const length = this.#resumable ? headers.get("content-length") : null;
    // The server may send less than all that is missing, so the total is taken from the range.
    const total = isRest ? /\/(\d+)$/.exec(range)?.[1] : length;
    const totalBytes = /^\d+$/.test(total ?? "") ? Number(total) : undefined;
    return { status, isRest, totalBytes, type: headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() };
  }

  async #readBody(
    { status, totalBytes, type }: Body,
    reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
    stall: Deadline,
    onPiece: () => void,
  ): Promise<Attempt> {
    const { index, count } = this.#source;
    for (;;) {
      this.#checkSize(totalBytes, status);
      const received = await receive(reader?.read() ?? Promise.resolve(endOfBody), stall);
      if ("error" in received) return { state: "failed", error: received.error };
      const { done, value: piece } = received.value;
      if (done) return this.#finish(totalBytes, type);
      onPiece();
      if (this.#bytes === 0 && type === "text/html" && piece[0] === startOfHtml)
        return { state: "failed", error: new Error("the server sent an HTML page instead of the result") };
      await this.#sink.write(piece);
      this.#bytes += piece.byteLength;
      await this.#options.onProgress?.({ index, count, bytes: this.#bytes, totalBytes });
    }
  }

  #checkSize(totalBytes: number | undefined, status: number): void {
    const { maxBytes = 2 ** 32 } = this.#options;
    if (Math.max(this.#bytes, totalBytes ?? 0) > maxBytes)
      throw new ServiceError(`the result is larger than ${maxBytes} bytes`, "download", { status, text: "" });
  }

  #finish(totalBytes: number | undefined, type: string | undefined): Attempt {
    if (this.#bytes === 0) return { state: "failed", error: new Error("the result is empty") };
    if (totalBytes === undefined || this.#bytes >= totalBytes) return { state: "done", type };
    return { state: "failed", error: new Error(`the result ended after ${this.#bytes} of ${totalBytes} bytes`) };
  }

  #statusError({ status, headers }: Response): ServiceError {
    const retryAfterMs = readRetryAfter(headers.get("retry-after"), this.#context.time.now());
    return new ServiceError(`the result's server returned HTTP ${status}`, "download", {
      status,
      text: "",
      retryAfterMs,
    });
  }
}

const endOfBody = { done: true, value: undefined } as const;

/**
 * Resolves to what the network gives, or to the error that it failed with. Our own errors are thrown: they are decisions
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
