import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { UnusableError } from "../result/get.ts";

/** Returns a decoded body: some gateways encode unasked. A body that is cut is an error. */
export function decode(message: IncomingMessage): Readable {
  const given = message.headers["content-encoding"]?.toLowerCase().split(/[\s,]+/) ?? [];
  const encoding = given.filter((name) => name !== "" && name !== "identity").join();
  if (encoding === "") return message;
  if (!["gzip", "x-gzip", "deflate", "br"].includes(encoding))
    throw new UnusableError("is in an encoding that is not supported");
  const zlib = process.getBuiltinModule("node:zlib"); // Loaded only here: few responses are encoded.
  const decoder = encoding === "br" ? zlib.createBrotliDecompress() : zlib.createUnzip();
  // They are not those of the decoded body.
  delete message.headers["content-encoding"];
  delete message.headers["content-length"];
  // Bytes that follow the end of the encoding are read by nobody, and so the message would not end.
  return pipeline(message, decoder, () => undefined).once("end", () => message.destroy());
}
