import type { IncomingMessage } from "node:http";
import { type Duplex, PassThrough, pipeline, type Readable } from "node:stream";
import zlib from "node:zlib";
import { UnusableError } from "../result/get.ts";

const decoders = new Map<string, (encoded: Readable) => Readable>([
  ["gzip", (encoded) => through(encoded, zlib.createGunzip())],
  ["x-gzip", (encoded) => through(encoded, zlib.createGunzip())],
  ["br", (encoded) => through(encoded, zlib.createBrotliDecompress())],
  ["deflate", inflate],
]);
/** Each encoding takes memory before a byte arrives. */
const mostEncodings = 4;

/**
 * Returns the body of a response as it was before it was encoded. Some gateways compress even if the request accepts no encoding.
 * It is read as it arrives, and a body that ends before its encoding does is an error.
 *
 * @throws An {@link UnusableError} if an encoding is not supported
 */
export function decode(message: IncomingMessage): Readable {
  const given = message.headers["content-encoding"]?.toLowerCase() ?? "";
  const encodings = given.split(/[\s,]+/).filter((name) => name !== "" && name !== "identity");
  if (encodings.length === 0) return message;
  const unsupported = encodings.find((name) => !decoders.has(name));
  if (unsupported !== undefined || encodings.length > mostEncodings)
    throw new UnusableError(`cannot be read: its encoding is not supported (${unsupported ?? encodings.join()})`);
  const body = encodings.reduceRight<Readable>((encoded, name) => decoders.get(name)?.(encoded) ?? encoded, message);
  // Bytes that follow the end of br or deflate are read by nobody, and so the message would not end. After gzip they are an error.
  return body.once("end", () => message.destroy());
}

/** An error of the encoded bytes ends the decoded ones. */
function through(encoded: Readable, decoder: Duplex): Readable {
  return pipeline(encoded, decoder, () => undefined);
}

/** Decodes "deflate", by which servers mean two formats: with and without the header of zlib, which the first byte shows. */
function inflate(encoded: Readable): Readable {
  const decoded = new PassThrough();
  encoded.once("readable", () => {
    // The cast: it has no encoding of text.
    const first = encoded.read(1) as Buffer | null;
    if (first) encoded.unshift(first);
    const hasHeader = ((first?.[0] ?? 8) & 0x0f) === 8;
    pipeline(encoded, hasHeader ? zlib.createInflate() : zlib.createInflateRaw(), decoded, () => undefined);
  });
  encoded.once("error", (error) => decoded.destroy(error));
  return decoded.once("close", () => encoded.destroy());
}
