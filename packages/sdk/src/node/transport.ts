import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import {
  BodyText,
  isLoopback,
  type OutgoingRequest,
  type Reply,
  type Transport,
} from "../call/transport.ts";
import { invalidRequest } from "../errors/errors.ts";
import { nothingWasSent } from "../errors/issue.ts";
import { mostInFlight, type PollingOptions } from "../wait/poll-limit.ts";
import type { ConnectOptions } from "./connect-options.ts";
import { agentFor, decode, exchange, isIntercepted, targetOf } from "./connection.ts";

/**
 * With 64 KiB, 512 MiB took 79 MB of memory; with 32 KiB 52 MB, but a third longer. Node makes a
 * second copy of longer pieces.
 */
const pieceBytes = 48 * 1024;

/**
 * Creates the transport on node:http. The connection is established before it calls `beforeSend`.
 */
export function nodeTransport(origin: URL, options: ConnectOptions & PollingOptions): Transport {
  const polls = mostInFlight(options);
  const fresh = agentFor(origin, options);
  const pool = agentFor(origin, options, polls);
  let url = origin;
  let target = targetOf(origin);
  return (request, { isPaid, deadline, beforeSend }) => {
    const { body } = request;
    // To parse it takes as long as all else here.
    if (url.href !== request.url) {
      url = new URL(request.url);
      target = targetOf(url);
    }
    let agent = isPaid ? fresh : pool;
    // A mocking library may have come since.
    if (isIntercepted()) agent = agentFor(url, options, isPaid ? undefined : polls);
    if (isPaid && !options.agent) rejectMockedFetch(url);
    return exchange(
      { ...target, method: "POST", headers: headersOf(request), agent },
      deadline,
      async (sending) => {
        await beforeSend();
        if (sending.destroyed) return;
        if (typeof body === "string") sending.end(body);
        else await pipeline(piecesOf(body), sending);
      },
      async (message, sending) => {
        const { statusCode: status = 0, headers } = message;
        if (status > 599)
          throw new Error(`the response's status is ${status}, which HTTP does not have`);
        const body = await readBody(decode(message));
        // A response may arrive before the complete request has left; after it, nothing more of it
        // is wanted.
        if (isPaid) sending.destroy();
        return { status, redirected: false, ...body, headers };
      },
    );
  };
}

/**
 * Rejects a generation if a test has replaced `fetch`, which this transport does not call: the test
 * would pay.
 */
function rejectMockedFetch(url: URL): void {
  // Mocks of Vitest, Jest and node:test all have this property.
  const { fetch } = globalThis as { readonly fetch?: { readonly mock?: unknown } };
  if (fetch?.mock === undefined || isLoopback(url)) return;
  const advice = "Use createMediaGen({ fetch }) with the mock, or the emulator.";
  const problem = "is a mock, and @mediagen/sdk/node does not call globalThis.fetch";
  throw invalidRequest("generate", "fetch", "notAllowed", problem, advice, nothingWasSent);
}

function headersOf({ headers, body }: OutgoingRequest): Record<string, string | number> {
  const length = typeof body === "string" ? Buffer.byteLength(body) : body.size;
  const type = typeof body === "string" ? undefined : { "content-type": body.type };
  // Responses are short: compressing them costs more than it saves.
  return {
    accept: "*/*",
    ...headers,
    ...type,
    "content-length": length,
    "accept-encoding": "identity",
  };
}

/**
 * Yields a form by slices, each read while the one before is sent: Node's streams of Blobs on disk
 * ignore backpressure.
 */
async function* piecesOf(form: Blob): AsyncGenerator<Uint8Array, void> {
  const changed = (cause: unknown) => new Error("a file changed while it was sent", { cause });
  const slice = (at: number) => form.slice(at, at + pieceBytes).arrayBuffer();
  let next = slice(0).catch(changed);
  for (let at = 0; at < form.size; at += pieceBytes) {
    const piece = await next;
    if (piece instanceof Error) throw piece;
    next = slice(at + pieceBytes).catch(changed);
    yield new Uint8Array(piece);
    // A server that rejects the request may have responded and closed: its response has to be read
    // before another write fails.
    await setImmediate();
  }
}

/**
 * Reads a body by its events, which take half as long as its iterator, to its end or until it
 * breaks off.
 */
function readBody(body: Readable): Promise<Pick<Reply, "text" | "broken">> {
  return new Promise((resolve) => {
    const collected = new BodyText();
    body.on("data", (piece: Uint8Array) => {
      const tooLong = collected.add(piece);
      if (tooLong) body.destroy(tooLong);
    });
    body.on("error", (broken) => resolve({ text: String(collected), broken }));
    body.on("end", () => resolve({ text: String(collected) }));
  });
}
