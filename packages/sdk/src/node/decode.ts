import type { IncomingMessage } from "node:http";
import { Duplex, pipeline, type Readable } from "node:stream";
import zlib from "node:zlib";

const decoders: Readonly<Record<string, () => Duplex>> = {
  gzip: () => zlib.createGunzip(),
  "x-gzip": () => zlib.createGunzip(),
  br: () => zlib.createBrotliDecompress(),
  deflate: () => new Inflate(),
};
/** Each encoding takes memory before a byte arrives. */
const mostEncodings = 4;

/** Returns the encodings of a response's body, in the order in which they were applied. */
function encodingsOf({ headers }: IncomingMessage): readonly string[] {
  const given = headers["content-encoding"];
  if (given === undefined) return [];
  const names = given.toLowerCase().split(",");
  return names.map((name) => name.trim()).filter((name) => name !== "" && name !== "identity");
}

/**
 * Returns the body of a response as it was before it was encoded. Some gateways compress even if the request accepts no encoding.
 * It is read as it arrives, and a body that ends before its encoding does is an error.
 *
 * @throws An `Error` if an encoding is not supported
 */
export function decode(message: IncomingMessage): Readable {
  const encodings = encodingsOf(message);
  if (encodings.length === 0) return message;
  const unsupported = encodings.find((name) => !Object.hasOwn(decoders, name));
  if (unsupported !== undefined || encodings.length > mostEncodings)
    throw new Error(`the response has an encoding that is not supported (${unsupported ?? encodings.join()})`);
  // Whoever reads the body receives its error.
  const body = encodings.reduceRight<Readable>((encoded, name) => {
    const decoder = decoders[name]?.();
    return decoder ? pipeline(encoded, decoder, () => undefined) : encoded;
  }, message);
  // Bytes that follow the end of br or deflate are read by nobody, and so the message would not end. After gzip they are an error.
  return body.once("end", () => message.destroy());
}

/** A decoder of "deflate", by which servers mean two formats: with and without the header of zlib, which the first byte shows. */
class Inflate extends Duplex {
  #inflate: zlib.Inflate | zlib.InflateRaw | undefined;

  override _write(piece: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#inflate ??= this.#create(((piece[0] ?? 0) & 0x0f) === 8);
    this.#inflate.write(piece, encoding, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#inflate ??= this.#create(true);
    this.#inflate.end();
    done();
  }

  override _read(): void {
    this.#inflate?.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inflate?.destroy();
    done(error);
  }

  #create(hasHeader: boolean): zlib.Inflate | zlib.InflateRaw {
    const inflate = hasHeader ? zlib.createInflate() : zlib.createInflateRaw();
    return inflate
      .on("data", (piece: Buffer) => void (this.push(piece) || inflate.pause()))
      .once("end", () => this.push(null))
      .once("error", (error) => this.destroy(error));
  }
}
