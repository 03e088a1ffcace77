import { orAbort } from "../time/deadline.ts";
import { type ResultResponse, UnusableError } from "./get.ts";

/** A strong validator: two results with the same one have the same bytes. A weak one begins with `W/`. */
const strongEtag = /^"[^"]*"$/;

/** The body of a result or a source image, or the rest of one. */
export class Body {
  /** The position of the next piece. */
  at: number;
  /** The size of all of it, if its server says it. */
  readonly totalBytes: number | undefined;
  /** The media type in the server's Content-Type. */
  readonly type: string | undefined;
  readonly #maxBytes: number;
  readonly #etag: string;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  /** @param start what was read before of a response that this one continues */
  constructor(response: ResultResponse, maxBytes: number, start?: Body) {
    const { headers } = response;
    const length = headers.get("content-length") ?? "";
    this.at = start?.at ?? 0;
    // If the body was decompressed, the Content-Length is that of the compressed one.
    this.totalBytes = start?.totalBytes ?? (isAsStored(response) && /^\d+$/.test(length) ? Number(length) : undefined);
    this.type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
    this.#maxBytes = maxBytes;
    this.#etag = headers.get("etag") ?? "";
    this.#reader = response.body?.getReader();
  }

  /** Resolves to the next piece; to undefined at the end. */
  async next(signal: AbortSignal): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { at, totalBytes = at } = this;
    if (Math.max(at, totalBytes) > this.#maxBytes) throw tooLarge(this.#maxBytes);
    const { done, value } = this.#reader ? await orAbort(this.#reader.read(), signal) : endOfBody;
    if (done && at !== totalBytes) throw new Error(`it ended after ${at} of ${totalBytes} bytes`);
    if (done) return undefined;
    // A caller's own stream may have text in it.
    if (!ArrayBuffer.isView(value)) throw new Error("it has something else than bytes");
    this.at += value.byteLength;
    // The cast: a response's bytes are never in shared memory.
    return value as Uint8Array<ArrayBuffer>;
  }

  /** The headers that request the rest; undefined if that cannot be continued for sure. */
  get rest(): Readonly<Record<string, string>> | undefined {
    const isPart = this.at > 0 && this.totalBytes !== undefined && strongEtag.test(this.#etag);
    return isPart ? { range: `bytes=${this.at}-`, "if-range": this.#etag } : undefined;
  }

  /** Returns whether a response is the rest (RFC 9110, 15.3.7.3). */
  isContinuedBy(response: ResultResponse): boolean {
    const { at, totalBytes = 0 } = this;
    const isRest = response.headers.get("content-range") === `bytes ${at}-${totalBytes - 1}/${totalBytes}`;
    return response.status === 206 && isRest && response.headers.get("etag") === this.#etag && isAsStored(response);
  }

  /** Releases the connection, which an abandoned body would keep. */
  cancel(): void {
    void this.#reader?.cancel().catch(() => undefined);
  }
}

const endOfBody = { done: true, value: undefined } as const;

/** Returns whether a body is not compressed: offsets in a compressed one are not offsets in the result. */
function isAsStored({ headers }: ResultResponse): boolean {
  return (headers.get("content-encoding") ?? "identity") === "identity";
}

/** Creates the error of a result or an image that is larger than it may be. */
export function tooLarge(maxBytes: number | undefined): UnusableError {
  return new UnusableError(`has more than ${maxBytes} bytes`, undefined, "Pass { maxBytes } to raise the limit.");
}
