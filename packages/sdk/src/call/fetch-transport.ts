import { MediaGenError, messageOf } from "../errors/errors.ts";
import { orAbort } from "../time/deadline.ts";
import { fetchEvidence, NeverSentError } from "./evidence.ts";
import { postInit, type WebFetch } from "./fetch.ts";
import type { IncomingResponse, OutgoingRequest, Transport } from "./transport.ts";

/**
 * Creates the transport on a fetch function.
 *
 * @param sendsOnce whether it is the runtime's fetch, or one with `fetchSendsOnce`. Only then does a rejection prove anything
 */
export function webTransport(fetch: WebFetch, sendsOnce: boolean): Transport {
  return async (request, { signal, beforeSend }) => {
    rejectAborted(signal);
    const body = await toFetchBody(request.body);
    await beforeSend?.();
    rejectAborted(signal);
    const sending = fetch(request.url, postInit(request.headers, body, signal));
    // The call ends even if a custom fetch ignores the signal.
    const response = await orAbort(sending, signal).catch((error: unknown) => {
      if (!signal.aborted) throw whatFailed(error, sendsOnce);
      // A fetch that ignores the signal may still respond. Its unread body would keep the connection open.
      sending.then(({ body }) => body?.cancel()).catch(() => undefined);
      throw error;
    });
    return incoming(response, signal);
  };
}

function rejectAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new NeverSentError("aborted before anything was sent", signal.reason);
}

/** Converts a rejection of fetch to a `NeverSentError` if it proves that nothing was sent. */
function whatFailed(error: unknown, sendsOnce: boolean): unknown {
  const evidence = sendsOnce && fetchEvidence(error);
  if (evidence)
    return new NeverSentError(`nothing was sent (${messageOf(error)})`, error, evidence === "cannot be sent");
  // If a custom fetch throws an error of the SDK, it is about another request.
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
        // The result of the cancellation is of no use.
        reader.cancel().catch(() => undefined);
        throw error;
      }
    },
  };
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onPiece: (bytes: Uint8Array) => void,
): Promise<void> {
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) onPiece(piece.value);
}

/**
 * Returns one Blob, never FormData. With `redirect: "error"`, a response before FormData has left ends the process on Node 24 and
 * 26. On every Node, FormData fills the memory if the network is slow.
 */
async function toFetchBody(body: OutgoingRequest["body"]): Promise<string | Blob> {
  if (typeof body === "string") return body;
  const parts = body.pieces.map((piece) => (typeof piece === "string" ? piece : piece.blob));
  const { type } = body;
  const whole = new Blob(parts, { type });
  const sizes = parts.map((part) => (typeof part === "string" ? new Blob([part]).size : part.size));
  if (whole.size === sizes.reduce((sum, size) => sum + size, 0)) return whole;
  // Bun omits a Blob that is a file on disk, and the form would be billed without its picture.
  const read = parts.map((part) => (typeof part === "string" ? part : part.arrayBuffer()));
  return new Blob(await Promise.all(read), { type });
}
