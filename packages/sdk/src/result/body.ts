import { compressionsIn } from "../call/headers.ts";
import { joinBytes } from "../form/bytes.ts";
import { headLength } from "../form/files.ts";
import { type ResultResponse, UnusableError } from "./get.ts";

export type Wait = <T>(promise: Promise<T>) => Promise<T>;

const none = new Uint8Array();

/**
 * Yields the bytes of a result or a source image that were not read before. The first piece is long
 * enough to show the type.
 */
export async function* readBody(
  response: ResultResponse,
  maxBytes: number,
  wait: Wait,
  { at, totalBytes }: { readonly at: number; readonly totalBytes: number | undefined },
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  if (response.body?.locked) throw new UnusableError("has been read before");
  const reader = response.body?.getReader();
  try {
    if (isEncoded(response))
      throw new UnusableError("is compressed, and fetch does not notice if its end is missing");
    let held: Uint8Array = none;
    for (let end = at; ;) {
      if (Math.max(end, totalBytes ?? 0) > maxBytes) throw tooLarge(maxBytes);
      const { done, value = none } = reader
        ? await wait(reader.read())
        : { done: true, value: none };
      end += value.byteLength;
      if (done && end !== (totalBytes ?? end))
        throw new Error(`it ended after ${end} of ${totalBytes} bytes`);
      held = held.length === 0 ? value : joinBytes([held, value]);
      if (held.length > 0 && (done || end >= headLength)) {
        // The cast: a response's bytes are never in shared memory.
        yield held as Uint8Array<ArrayBuffer>;
        held = none;
      }
      if (done) return;
    }
  } finally {
    // An abandoned body would keep its connection.
    void reader?.cancel().catch(() => undefined);
  }
}

/** Returns whether a body is compressed: offsets in it are not offsets in the result. */
export function isEncoded({ headers }: ResultResponse): boolean {
  return compressionsIn(headers.get("content-encoding")).length > 0;
}

export function lengthOf({ headers }: ResultResponse): number | undefined {
  const length = headers.get("content-length") ?? "";
  return /^\d+$/.test(length) ? Number(length) : undefined;
}

export function tooLarge(maxBytes: number): UnusableError {
  return new UnusableError(`has more than ${maxBytes} bytes, the limit that { maxBytes } sets`);
}
