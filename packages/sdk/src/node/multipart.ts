import { setImmediate } from "node:timers/promises";
import { InvalidRequestError } from "../errors/errors.ts";
import { hasChanged, nothingWasSent } from "../errors/issue.ts";
import type { MultipartFile } from "../form/multipart.ts";
import { fieldOf } from "../spec/operation.ts";
import type { OutgoingRequest } from "../call/transport.ts";

/** A body before it is sent: its length is known, and files on disk are read while it leaves. */
export interface Encoded {
  /** The media type, if the body decides it. */
  readonly type?: string;
  readonly length: number;
  readonly pieces: readonly (string | MultipartFile)[];
}

/**
 * The size of the pieces in which files are read and bodies are sent. With 64 KiB, 512 MiB took 79 MB of memory, with 48 KiB 68 MB,
 * and with 32 KiB 52 MB, but a third longer. Node makes a second copy of longer pieces.
 */
const pieceBytes = 48 * 1024;

/** Returns a body with its length. */
export function encode(body: OutgoingRequest["body"]): Encoded {
  if (typeof body === "string") return { length: Buffer.byteLength(body), pieces: [body] };
  const lengths = body.pieces.map((piece) => (typeof piece === "string" ? Buffer.byteLength(piece) : piece.blob.size));
  return { ...body, length: lengths.reduce((sum, length) => sum + length, 0) };
}

/**
 * Ensures that every file can still be read as it was when it was given.
 *
 * @throws An {@link InvalidRequestError} if a file has changed
 */
export async function rejectChangedFiles({ pieces }: Encoded): Promise<void> {
  for (const piece of pieces) {
    if (typeof piece === "string") continue;
    await piece.blob
      .slice(0, 1)
      .arrayBuffer()
      .catch(() => {
        throw new InvalidRequestError("generate", [hasChanged(fieldOf(piece.name))], nothingWasSent);
      });
  }
}

/** Yields the bytes of a body, a piece at a time. */
export async function* readPieces({ pieces }: Encoded): AsyncGenerator<Uint8Array, void, undefined> {
  for (const piece of pieces) {
    for await (const bytes of typeof piece === "string" ? [Buffer.from(piece)] : readBlob(piece)) {
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        yield bytes.subarray(at, at + pieceBytes);
        // A server that rejects the request may have responded and closed: its response has to be read before another write
        // fails. The first bytes do not wait: mocking libraries take a connection that stays silent for no HTTP request.
        await setImmediate();
      }
    }
  }
}

async function* readBlob({ name, blob }: MultipartFile): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < blob.size; start += pieceBytes) {
    const end = Math.min(start + pieceBytes, blob.size);
    // By slices, because Node's streams of Blobs on disk ignore backpressure; each slice checks that the file is the same.
    const bytes = await blob
      .slice(start, end)
      .arrayBuffer()
      .catch((cause: unknown) => {
        throw new Error(`the file of ${name} changed while it was sent`, { cause });
      });
    yield new Uint8Array(bytes);
  }
}
