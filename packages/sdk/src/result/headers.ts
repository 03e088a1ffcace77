import type { ResultResponse } from "./context.ts";

/** Returns whether a body is not compressed: offsets in a compressed one are not offsets in the result. */
export function isAsStored({ headers }: ResultResponse): boolean {
  return (headers.get("content-encoding") ?? "identity") === "identity";
}

/** Returns whether a body is compressed, so that fetch decompresses it. */
export function isCompressed({ headers }: Pick<ResultResponse, "headers">): boolean {
  return /gzip|br|deflate|zstd|compress/i.test(headers.get("content-encoding") ?? "");
}

/** Returns the length of a response's body, if its server says it. */
export function lengthOf(response: ResultResponse): number | undefined {
  // If the body was decompressed, the Content-Length is that of the compressed one.
  const length = isAsStored(response) ? (response.headers.get("content-length") ?? "") : "";
  return /^\d+$/.test(length) ? Number(length) : undefined;
}

/** Returns the media type in a response's Content-Type. */
export function mediaTypeIn({ headers }: ResultResponse): string | undefined {
  return headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
}
