import type { WebFetch } from "../call/fetch.ts";
import type { ResultGet, ResultResponse } from "./context.ts";
import { isCompressed } from "./headers.ts";
import { compressed, UnusableUrl } from "./unusable-url.ts";

/** Returns a getter that uses a fetch function. */
export function webGet(fetch: WebFetch): ResultGet {
  // Browsers hide a redirect that they do not follow. They also protect private hosts themselves.
  const redirect = typeof document === "undefined" ? "manual" : "follow";
  return async (url, { headers, signal, maxBytes }) => {
    const response = await fetch(url.href, { headers, signal, redirect });
    // The reader of a 206 requests the result again if the rest is compressed.
    if (response.status !== 200 || !isCompressed(response)) return readAhead(response, maxBytes);
    void response.body?.cancel().catch(() => undefined);
    throw new UnusableUrl(url.href, compressed);
  };
}

/** Node 20 has no navigator. */
const isNode = (globalThis.navigator?.userAgent ?? "Node.js").startsWith("Node.js");

/**
 * Returns a response whose body is read as fast as it arrives, if its connection may close behind it. The fetch of Node 22 and 24
 * ends the process if a connection closes while a slow reader makes it wait: with an assertion, which nobody can catch. With a
 * length and `keep-alive` the close is an error like any other, so that only requested pieces are held in memory. Other runtimes
 * show no `connection`, and have no such fault.
 */
function readAhead(response: Response, maxBytes: number): ResultResponse {
  const { status, headers, body } = response;
  if (!isNode) return response;
  const hasEnd = headers.get("content-length") ?? headers.get("transfer-encoding");
  const staysOpen = hasEnd !== null && headers.get("connection")?.toLowerCase() === "keep-alive";
  return { status, headers, body: body && !staysOpen ? arrivals(body, maxBytes) : body };
}

function arrivals(body: NonNullable<ResultResponse["body"]>, maxBytes: number): ResultResponse["body"] {
  const reader = body.getReader();
  const copy = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
    try {
      let bytes = 0;
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        bytes += value.byteLength;
        if (bytes <= maxBytes) continue;
        // Nobody wants the rest, which would all be held in memory.
        controller.close();
        return await reader.cancel();
      }
    } catch (error) {
      controller.error(error);
    }
  };
  return new ReadableStream({
    // Not awaited: a stream whose start is under way cannot be read.
    start: (controller) => void copy(controller),
    cancel: (reason) => reader.cancel(reason),
  });
}
