import { orAbort } from "../time/deadline.ts";
import { type ResultResponse, UnusableError } from "./get.ts";

/** Returns whether a body is not compressed: offsets in a compressed one are not offsets in the result. */
export function isAsStored({ headers }: ResultResponse): boolean {
  return (headers.get("content-encoding") ?? "identity") === "identity";
}

/** Returns the length of a response's body, if its server says it. */
function lengthOf(response: ResultResponse): number | undefined {
  // If the body was decompressed, the Content-Length is that of the compressed one.
  const length = isAsStored(response) ? (response.headers.get("content-length") ?? "") : "";
  return /^\d+$/.test(length) ? Number(length) : undefined;
}

/** Creates the error of a result or an image that is larger than it may be. */
export function tooLarge(maxBytes: number | undefined): UnusableError {
  return new UnusableError(`has more than ${maxBytes} bytes`, { advice: "Pass { maxBytes } to raise the limit." });
}

/** Reads the body of a result or a source image. */
export class Body {
  /** The position of the next piece. */
  at: number;
  /** The size of all of it, if its server says it. */
  readonly totalBytes: number | undefined;
  /** The media type in the server's Content-Type. */
  readonly type: string | undefined;
  readonly #maxBytes: number;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  /** `totalBytes` is given for the rest of a result that begins at `at`. */
  constructor(response: ResultResponse, maxBytes: number, at = 0, totalBytes: number | undefined = lengthOf(response)) {
    this.at = at;
    this.totalBytes = totalBytes;
    this.type = response.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
    this.#maxBytes = maxBytes;
    this.#reader = response.body?.getReader();
  }

  /** Resolves to the next piece; to undefined at the end. */
  async next(signal: AbortSignal): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const [total, most] = [this.totalBytes ?? 0, this.#maxBytes];
    if (Math.max(this.at, total) > most) throw tooLarge(most);
    const { done, value } = this.#reader ? await orAbort(this.#reader.read(), signal) : endOfBody;
    if (done && this.at < total) throw new Error(`it ended after ${this.at} of ${total} bytes`);
    if (done) return undefined;
    // A caller's own stream may have text in it.
    if (!ArrayBuffer.isView(value)) throw new Error("it has something else than bytes");
    this.at += value.byteLength;
    // The cast: a response's bytes are never in shared memory.
    return value as Uint8Array<ArrayBuffer>;
  }

  /** Releases the connection, which an abandoned body would keep. */
  cancel(): void {
    void this.#reader?.cancel().catch(() => undefined);
  }
}

const endOfBody = { done: true, value: undefined } as const;
