import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../errors/errors.ts";
import { beforeRequest, isCertificateError, NeverSentError } from "../call/evidence.ts";
import type { IncomingResponse, OutgoingRequest, SendOptions, Transport } from "../call/transport.ts";
import { Agents, hostOf, limitConnecting, type PoolOptions, serverNameOf, whenConnected } from "./agents.ts";
import { decode } from "./decode.ts";
import { loadHttpModules, moduleFor } from "./http-modules.ts";
import { rejectChangedFiles, encode, type Encoded, readPieces } from "./multipart.ts";

/** The maximum length of a response's head. The service sends no longer one. */
const longestHead = 16 * 1024;
/** The maximum number of cached URLs. A service has a few. */
const maxTargets = 100;

/**
 * Creates the transport on node:http. It sends nothing, not even into a buffer, before the connection is established and its
 * certificate is known to be good: what fails until then is a {@link NeverSentError}, and whatever fails later is not.
 */
export async function nodeTransport(options: PoolOptions = {}): Promise<Transport> {
  const modules = await loadHttpModules();
  const agents = new Agents(modules, options);
  const targets = new Map<string, Target>();
  const targetOf = (text: string) => {
    const target = targets.get(text) ?? createTarget(new URL(text));
    if (targets.size < maxTargets) targets.set(text, target);
    return target;
  };
  return async (request, sendOptions) => {
    const { paid, signal } = sendOptions;
    const { url, options: target } = targetOf(request.url);
    const body = encode(request.body);
    if (body.pieces.length > 1) await rejectChangedFiles(body);
    if (signal.aborted) throw new NeverSentError("aborted before anything was sent", signal.reason);
    let exchange: ClientRequest;
    try {
      const agent = paid ? agents.single(url) : agents.pool(url);
      exchange = moduleFor(url, modules).request({ ...target, headers: headersOf(request, url, body), agent });
    } catch (error) {
      throw beforeRequest(error);
    }
    return exchangeOn(exchange, body, url, sendOptions);
  };
}

/** Sends the body as soon as the request's socket is connected, and resolves when the head of the response has arrived. */
function exchangeOn(
  request: ClientRequest,
  body: Encoded,
  url: URL,
  { paid, signal, beforeSend }: SendOptions,
): Promise<IncomingResponse> {
  return new Promise((resolve, reject) => {
    let sent = false;
    let responded = false;
    const fail = (cause: unknown) => {
      stop();
      reject(sent ? cause : neverSent(url, cause));
    };
    const stop = limitConnecting(request, (error) => {
      fail(error);
      request.destroy(error);
    });
    const abort = () => {
      fail(signal.reason);
      // Reading the response ends with the reason, too.
      request.destroy(signal.reason instanceof Error ? signal.reason : new Error("aborted", { cause: signal.reason }));
    };
    const send = async () => {
      stop();
      try {
        await beforeSend?.();
        if (request.destroyed) return;
        sent = true;
        const [only] = body.pieces;
        // A body without files leaves in one write with its head, and as text at the least cost.
        if (body.pieces.length <= 1 && typeof only !== "object") request.end(only);
        else await pipeline(readPieces(body), request);
      } catch (error) {
        fail(error);
        if (!sent) request.destroy();
      }
    };
    signal.addEventListener("abort", abort);
    request.on("close", () => {
      stop();
      signal.removeEventListener("abort", abort);
      // As when the server switches protocols.
      if (!responded) fail(new Error("the connection closed without a response"));
    });
    request.on("error", fail);
    request.on("socket", (socket) => {
      whenConnected(socket, url, (error) => void (error ? request.destroy(error) : send()));
    });
    request.on("response", (message) => {
      responded = true;
      try {
        const body = decode(message);
        // A response may arrive before the complete request has left; after it, nothing more of it is wanted.
        if (paid) body.once("end", () => request.destroy());
        resolve(incoming(message, body, signal));
      } catch (error) {
        fail(error);
        request.destroy();
      }
    });
  });
}

/** Returns a URL as options of node:http, which would parse it and find out its server name for each request. */
function createTarget(url: URL) {
  const { protocol, port, pathname, search } = url;
  const options = {
    method: "POST",
    protocol,
    hostname: hostOf(url),
    servername: serverNameOf(url),
    // Agents of other libraries expect a number, as a URL would be read.
    ...(port && { port: Number(port) }),
    path: pathname + search,
    maxHeaderSize: longestHead,
    ALPNProtocols: ["http/1.1"], // A server that only speaks HTTP/2 then rejects the TLS session.
  };
  return { url, options };
}

type Target = ReturnType<typeof createTarget>;

function headersOf({ headers }: OutgoingRequest, url: URL, { type, length }: Encoded): Record<string, string> {
  return {
    accept: "*/*",
    ...(type === undefined ? {} : { "content-type": type }),
    ...headers,
    host: url.host,
    "content-length": String(length),
    // Responses are short: compressing them costs more than it saves.
    "accept-encoding": "identity",
  };
}

/** Returns a message as a response. Interim responses (1xx) and the targets of redirects (3xx) are ignored. */
function incoming(
  { statusCode: status = 0, headers }: IncomingMessage,
  body: Readable,
  signal: AbortSignal,
): IncomingResponse {
  if (status < 200 || status > 599) throw new Error(`the response's status is ${status}, which HTTP does not have`);
  return {
    status,
    header: (name) => headers[name]?.toString() ?? null,
    headers: () => pairsOf(headers),
    read: (onPiece) =>
      new Promise((resolve, reject) => {
        body.on("data", (bytes: Uint8Array) => {
          try {
            onPiece(bytes);
          } catch (error) {
            reject(error);
            body.destroy();
          }
        });
        // A body without a length ends with its connection, also if the abort ended that.
        body.on("end", () => (signal.aborted ? reject(signal.reason) : resolve()));
        body.on("error", reject);
      }),
  };
}

function pairsOf(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, String(value)]);
}

function neverSent({ origin }: URL, cause: unknown): NeverSentError {
  if (cause instanceof NeverSentError) return cause;
  const reason = cause instanceof AggregateError ? cause.errors.map(messageOf).join("; ") : messageOf(cause);
  const message = `nothing was sent, because there was no connection to ${origin}: ${reason}`;
  return new NeverSentError(message, cause, isCertificateError(cause) || isRejectedTunnel(cause));
}

/** Returns whether a proxy has rejected a tunnel for good: it requires another user, or does not allow the host. */
function isRejectedTunnel(error: unknown): boolean {
  // The cast: Node's error of a rejected CONNECT has its status.
  const { code, statusCode = 0 } = Object(error) as { readonly code?: unknown; readonly statusCode?: number };
  return code === "ERR_PROXY_TUNNEL" && statusCode >= 300 && statusCode < 500 && ![408, 429].includes(statusCode);
}
