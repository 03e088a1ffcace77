import type { ResultResponse } from "./context.ts";

/** Returns whether a body is not compressed: offsets in a compressed one are not offsets in the result. */
export function isAsStored({ headers }: ResultResponse): boolean {
  return (headers.get("content-encoding") ?? "identity") === "identity";
}

/** Returns the length of a response's body, if its server says it. */
export function lengthOf(response: ResultResponse): number | undefined {
  // If fetch has decompressed the body, the Content-Length is that of the compressed one.
  const length = isAsStored(response) ? (response.headers.get("content-length") ?? "") : "";
  return /^\d+$/.test(length) ? Number(length) : undefined;
}

/** Returns the media type in a response's Content-Type. */
export function mediaTypeIn({ headers }: ResultResponse): string | undefined {
  return headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
}
