import { MediaGenError, messageOf } from "../errors/errors.ts";
import { orAbort } from "../time/deadline.ts";
import { fetchEvidence, NeverSentError } from "./evidence.ts";
import type { FetchInit, WebFetch } from "./fetch.ts";
import type { IncomingResponse, OutgoingRequest, Transport } from "./transport.ts";

/**
 * Creates the transport on a fetch function.
 *
 * @param sendsOnce whether it is the runtime's fetch, or one that is said to send each request once and to follow no redirect: only
 *   then does a rejection prove anything
 */
export function webTransport(fetch: WebFetch, sendsOnce: boolean): Transport {
  return async (request, { signal, beforeSend, onLeaving, onUpload }) => {
    rejectAborted(signal);
    const body = await toFetchBody(request.body);
    await beforeSend?.();
    rejectAborted(signal);
    const sending = fetch(request.url, fetchInit(request.headers, body, signal));
    // No engine reports when an upload has left. Everything else leaves at once.
    if (!hasFiles(request.body)) onLeaving?.(true);
    // Even if a fetch ignores the signal, the call ends.
    const response = await orAbort(sending, signal).catch((error: unknown) => {
      if (!signal.aborted) throw whatFailed(error, sendsOnce);
      // A fetch that ignores the signal may still respond: the connection of a body that nobody reads would stay open.
      sending.then(({ body }) => body?.cancel()).catch(() => undefined);
      throw error;
    });
    if (body instanceof Blob) onUpload?.(body.size, body.size);
    return incoming(response, signal);
  };
}

function rejectAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new NeverSentError("aborted before anything was sent", signal.reason);
}

/** Returns what a rejection of fetch means. */
function whatFailed(error: unknown, sendsOnce: boolean): unknown {
  const evidence = sendsOnce && fetchEvidence(error);
  if (evidence)
    return new NeverSentError(`nothing was sent (${messageOf(error)})`, error, evidence === "cannot be sent");
  // One of our own errors that a caller's fetch throws is about another request than this one.
  const isOurs = error instanceof MediaGenError || error instanceof NeverSentError;
  return isOurs ? new Error("the fetch function failed", { cause: error }) : error;
}

function incoming(response: Response, signal: AbortSignal): IncomingResponse {
  const { status, headers, body, redirected } = response;
  return {
    status,
    redirected,
    header: (name) => headers.get(name),
    headers: () => headers,
    async read(onPiece) {
      const reader = body?.getReader();
      if (!reader) return;
      try {
        await orAbort(readAll(reader, onPiece), signal);
      } catch (error) {
        // What comes of the cancelling tells nothing more.
        reader.cancel().catch(() => undefined);
        throw error;
      }
    },
    response: () => response,
  };
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onPiece: (bytes: Uint8Array) => void,
): Promise<void> {
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) onPiece(piece.value);
}

function hasFiles(body: OutgoingRequest["body"]): boolean {
  return typeof body !== "string" && (body instanceof Blob || body.pieces.length > 1);
}

function fetchInit(headers: OutgoingRequest["headers"], body: string | Blob, signal: AbortSignal): FetchInit {
  // A followed redirect would carry the key elsewhere and hide whether the first host took the request. workerd knows no
  // "error", only "manual", whose 3xx is rejected like any other.
  const redirect = globalThis.navigator?.userAgent === "Cloudflare-Workers" ? "manual" : "error";
  return { method: "POST", headers, signal, redirect, body };
}

/**
 * One Blob, never FormData. If redirects are errors, a response that comes before FormData has left ends the process on Node 24 and
 * 26. On every Node a slow network fills the memory with it.
 */
async function toFetchBody(body: OutgoingRequest["body"]): Promise<string | Blob> {
  if (typeof body === "string" || body instanceof Blob) return body;
  const parts = body.pieces.map((piece) => (typeof piece === "string" ? piece : piece.blob));
  const { type } = body;
  const whole = new Blob(parts, { type });
  const sizes = parts.map((part) => (typeof part === "string" ? new Blob([part]).size : part.size));
  if (whole.size === sizes.reduce((sum, size) => sum + size, 0)) return whole;
  // Bun leaves out a Blob that is a file on disk: the form would be billed without its picture.
  const read = parts.map((part) => (typeof part === "string" ? part : part.arrayBuffer()));
  return new Blob(await Promise.all(read), { type });
}
