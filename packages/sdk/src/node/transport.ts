import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { messageOf } from "../errors/errors.ts";
import { beforeRequest, NeverSentError } from "../transport/evidence.ts";
import {
  type IncomingResponse,
  type OutgoingRequest,
  type SendOptions,
  type Transport,
  withoutBytes,
} from "../transport/transport.ts";
import { Connections, hostOf, type PoolOptions, serverNameOf } from "./connections.ts";
import { decode } from "./decode.ts";
import { loadHttpModules, moduleFor } from "./http-modules.ts";
import { rejectChangedFiles, encode, type Encoded, readPieces } from "./multipart.ts";

/** The maximum length of a response's head. The service sends no longer one. */
const longestHead = 16 * 1024;
/** The maximum number of cached URLs: a service has a few, and those of the HTTP client may contain anything. */
const maxTargets = 100;

/**
 * Creates the transport on node:http. It sends nothing, not even into a buffer, before the connection is established and its
 * certificate is known to be good: what fails until then is a {@link NeverSentError}, and whatever fails later is not.
 */
export async function nodeTransport(options: PoolOptions = {}): Promise<Transport> {
  const modules = await loadHttpModules();
  const connections = new Connections(modules, options);
  const targets = new Map<string, Target>();
  const targetOf = (text: string) => {
    const target = targets.get(text) ?? createTarget(new URL(text));
    if (targets.size < maxTargets) targets.set(text, target);
    return target;
  };
  const connect = (url: URL, paid: boolean) =>
    connections.forRequest(url, paid).catch((error: unknown) => {
      throw beforeRequest(error);
    });
  return async (request, sendOptions) => {
    const { paid, signal } = sendOptions;
    const { url, options: target } = targetOf(request.url);
    const connection = (!paid && connections.pooled(url)) || (await connect(url, paid));
    const body = encode(request.body);
    if (body.pieces.length > 1) await rejectChangedFiles(body);
    if (signal.aborted) throw new NeverSentError("aborted before anything was sent", signal.reason);
    const requestOptions = {
      ...target,
      headers: headersOf(request, url, body),
      ...connection,
    };
    let exchange: ClientRequest;
    try {
      exchange = moduleFor(url, modules).request(requestOptions);
    } catch (error) {
      throw neverSent(url, error, null);
    }
    return exchangeOn(exchange, body, connections, url, sendOptions);
  };
}

/** Sends the body as soon as the request's socket is connected, and resolves when the head of the response has arrived. */
function exchangeOn(
  request: ClientRequest,
  body: Encoded,
  connections: Connections,
  url: URL,
  { paid, signal, beforeSend, onLeaving }: SendOptions,
): Promise<IncomingResponse> {
  return new Promise((resolve, reject) => {
    let sent = false;
    let responded = false;
    const fail = (cause: unknown) => reject(sent ? cause : neverSent(url, cause, request.socket));
    const stop = connections.limit(request, url, (error) => {
      fail(error);
      request.destroy(error);
    });
    const abort = () => {
      stop();
      fail(signal.reason);
      // Reading the response ends with the reason, too.
      request.destroy(signal.reason instanceof Error ? signal.reason : new Error("aborted", { cause: signal.reason }));
    };
    const left = () => onLeaving?.(true);
    const write = () => {
      if (request.destroyed) return;
      sent = true;
      const [only] = body.pieces;
      if (body.pieces.length <= 1 && typeof only !== "object") {
        // A body without files leaves in one write with its head, and as text at the least cost.
        request.end(only);
        return left();
      }
      request.on("finish", left);
      pipeline(
        readPieces(body, () => onLeaving?.(false)),
        request,
      ).catch(failSending);
    };
    const failSending = (error: unknown) => {
      fail(error);
      if (!sent) request.destroy();
    };
    const send = () => {
      if (beforeSend) return void beforeSend().then(write).catch(failSending);
      try {
        write();
      } catch (error) {
        failSending(error);
      }
    };
    // Each of the events below comes once by itself.
    signal.addEventListener("abort", abort);
    request.on("close", () => {
      signal.removeEventListener("abort", abort);
      // As when the server switches protocols.
      if (!responded) fail(new Error("the connection closed without a response"));
    });
    request.on("error", fail);
    request.on("socket", (socket) => connections.whenConnected(socket, send));
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
    response() {
      const init = { status, headers: pairsOf(headers) };
      if (![204, 205, 304].includes(status)) return new Response(streamOf(body, signal), init);
      body.resume(); // No body belongs to it; its connection is free as soon as it has been read.
      return new Response(null, init);
    },
  };
}

function pairsOf(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, String(value)]);
}

function streamOf(body: Readable, signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      body.on("data", (bytes: Uint8Array) => {
        controller.enqueue(bytes);
        if ((controller.desiredSize ?? 0) <= 0) body.pause();
      });
      body.once("end", () => (signal.aborted ? controller.error(signal.reason) : controller.close()));
      // An abort ends the connection, which is then called reset.
      body.once("error", (error) => controller.error(signal.aborted ? signal.reason : withoutBytes(error)));
    },
    pull: () => void body.resume(),
    cancel: () => void body.destroy(),
  });
}

function neverSent({ origin }: URL, cause: unknown, socket: Socket | null): NeverSentError {
  if (cause instanceof NeverSentError) return cause;
  const reason = cause instanceof AggregateError ? cause.errors.map(messageOf).join("; ") : messageOf(cause);
  const badCertificate = socket !== null && "authorizationError" in socket && Boolean(socket.authorizationError);
  return new NeverSentError(
    `nothing was sent, because there was no connection to ${origin}: ${reason}`,
    cause,
    badCertificate,
  );
}
