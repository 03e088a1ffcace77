import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from "node:http";
import { connect as connectPlain, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";
import { connect as connectTls } from "node:tls";
import { messageOf } from "../errors/errors.ts";
import { type FormPart, formParts } from "../form/form.ts";
import { longestDelayMs } from "../time/clock.ts";
import { NeverSentError } from "../transport/evidence.ts";
import { type Arriving, type Exchange, FormBody, OutgoingRequest, type Transport } from "../transport/transport.ts";
import { checkFiles, type Encoded, encodeForm, readPieces } from "./multipart.ts";
import { refuseProxy } from "./proxy.ts";

/** How the Node door connects. */
export interface ConnectOptions {
  /**
   * How long a connection may take until it stands, TLS included, in milliseconds. Nothing has been sent by then.
   * @default 10_000
   */
  readonly connectTimeoutMs?: number | undefined;
}

/** Sockets of queries and deletions that may be open at once. */
const poolSize = 64;
/** How long one of them may idle: shorter than servers keep theirs open, so that few are found closed when used again. */
const idleMs = 4_000;
/** How long an address of several may take before the next is tried; Node's own 250 ms are too short for far away places. */
const addressTimeoutMs = 1_000;
/** An answer with a longer head is not one of the service's. */
const longestHead = 16 * 1024;

/**
 * The transport on node:http. It sends nothing, not even into a buffer, before the connection stands and its certificate is
 * known to be good: what fails until then is a {@link NeverSentError}, and whatever fails later is not.
 */
export function nodeTransport({ connectTimeoutMs = 10_000 }: ConnectOptions = {}): Transport {
  /** Sockets that stand: those from which on bytes may leave. */
  const standing = new WeakSet<Duplex>();

  function connect(url: URL): Socket {
    const { protocol, hostname, port } = url;
    const secure = protocol === "https:";
    const host = hostname.replace(/^\[|\]$/g, "");
    const to = {
      host,
      port: Number(port || (secure ? 443 : 80)),
      noDelay: true,
      autoSelectFamilyAttemptTimeout: addressTimeoutMs,
    };
    const socket = secure
      ? connectTls({ ...to, servername: isIP(host) ? "" : host, ALPNProtocols: ["http/1.1"] })
      : connectPlain(to);
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection stood within ${connectTimeoutMs} ms`)),
      Math.min(connectTimeoutMs, longestDelayMs),
    );
    socket.once("close", () => clearTimeout(timer));
    socket.once(secure ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      standing.add(socket);
      socket.emit("standing");
    });
    return socket;
  }

  const pools = new Map<string, Agent>();
  function poolOf(url: URL): Agent {
    let pool = pools.get(url.origin);
    if (!pool) {
      // It does not hold the process: an Agent unrefs its idle sockets.
      pool = new Agent({ keepAlive: true, maxSockets: poolSize, timeout: idleMs, scheduling: "lifo" });
      pool.createConnection = () => connect(url);
      pools.set(url.origin, pool);
    }
    return pool;
  }

  return async (request, { paid, signal, onLeaving }) => {
    const url = new URL(request.url);
    // Whoever has a pool of connections there has been asked.
    if (paid || !pools.has(url.origin)) refuseProxy(url, process.env);
    const body = encode(request.body);
    if (body.pieces.length > 1) await checkFiles(body);
    if (signal.aborted) throw new NeverSentError("aborted before anything was sent", signal.reason);
    const exchange = httpRequest({
      host: url.hostname,
      method: request.method,
      path: url.pathname + url.search,
      headers: headersOf(request, url, body),
      maxHeaderSize: longestHead,
      // The socket speaks TLS by itself where the URL says so. A paid request has one of its own: a pooled one that the
      // server closes just then looks the same as a lost answer.
      ...(paid ? { createConnection: () => connect(url) } : { agent: poolOf(url) }),
    });
    return exchangeOn(exchange, body, standing, url, { paid, signal, onLeaving });
  };
}

/** Sends the body as soon as the request's socket stands, and answers when the answer's head has come. */
function exchangeOn(
  request: ClientRequest,
  body: Encoded,
  standing: WeakSet<Duplex>,
  url: URL,
  { paid, signal, onLeaving }: Exchange,
): Promise<Arriving> {
  return new Promise((resolve, reject) => {
    let sent = false;
    let answered = false;
    const fail = (cause: unknown) => reject(sent ? cause : neverSent(url, cause, request.socket));
    const abort = () => {
      fail(signal.reason);
      // Its answer ends with the reason, whoever reads it.
      request.destroy(signal.reason instanceof Error ? signal.reason : new Error("aborted", { cause: signal.reason }));
    };
    signal.addEventListener("abort", abort, { once: true });
    request.once("close", () => {
      signal.removeEventListener("abort", abort);
      // As when the server switches protocols.
      if (!answered) fail(new Error("the connection closed without an answer"));
    });
    request.on("error", fail);
    request.once("socket", (socket) => {
      const send = () => {
        sent = true;
        request.once("finish", () => onLeaving?.(true));
        write(request, body, () => onLeaving?.(false)).catch(fail);
      };
      if (standing.has(socket)) send();
      else socket.once("standing", send);
    });
    request.once("response", (message) => {
      answered = true;
      // An answer may come before the whole request has left; after it, nothing more of it is wanted.
      if (paid) message.once("end", () => request.destroy());
      try {
        resolve(arriving(message, signal));
      } catch (error) {
        fail(error);
        request.destroy();
      }
    });
  });
}

async function write(request: ClientRequest, body: Encoded, onPiece: () => void): Promise<void> {
  const [only] = body.pieces;
  // A body without files leaves in one write with its head, and as text at the least cost.
  if (body.pieces.length <= 1 && typeof only !== "object") request.end(only);
  else await pipeline(readPieces(body, onPiece), request);
}

function encode(body: unknown): Encoded {
  if (body === null || body === undefined) return { length: 0, pieces: [] };
  if (body instanceof FormBody) return encodeForm(formParts(body.fields));
  if (body instanceof FormData) return encodeForm(partsOf(body));
  if (typeof body !== "string")
    throw new NeverSentError("nothing was sent", new TypeError("a body must be fields, FormData or text"));
  return { length: Buffer.byteLength(body), pieces: [body] };
}

function* partsOf(form: FormData): Generator<FormPart, void, undefined> {
  for (const [name, value] of form) yield typeof value === "string" ? [name, value] : [name, value, value.name];
}

function headersOf({ headers }: OutgoingRequest, url: URL, { type, length }: Encoded): Record<string, string> {
  return {
    accept: "*/*",
    "user-agent": "mediagen",
    ...fieldsOf(headers),
    ...(type === undefined ? {} : { "content-type": type }),
    host: url.host,
    "content-length": String(length),
    // A compressed answer that is cut short reads as a short text, without an error.
    "accept-encoding": "identity",
  };
}

/** Headers as an object; their iterator would sort them and copy each. */
function fieldsOf(headers: Headers): Record<string, string> {
  const fields: Record<string, string> = {};
  headers.forEach((value, name) => (fields[name] = value));
  return fields;
}

/** What comes before an answer (1xx) and where it points to (3xx) are left alone. */
function arriving(message: IncomingMessage, signal: AbortSignal): Arriving {
  const { statusCode: status = 0, headers } = message;
  if (status < 200 || status > 599) throw new Error(`the answer's status is ${status}, which HTTP does not have`);
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding.trim().toLowerCase() !== "identity")
    throw new Error(`the answer is compressed (${encoding}), which was not asked for`);
  return {
    status,
    header: (name) => headers[name]?.toString() ?? null,
    read: (onPiece) =>
      new Promise((resolve, reject) => {
        message.on("data", (bytes: Uint8Array) => {
          try {
            onPiece(bytes);
          } catch (error) {
            reject(error);
            message.destroy();
          }
        });
        // A body without a length ends with its connection, also where it was the abort that ended that.
        message.once("end", () => (signal.aborted ? reject(signal.reason) : resolve()));
        message.once("error", reject);
      }),
    response() {
      const init = {
        status,
        headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
      };
      if (![204, 205, 304].includes(status)) return new Response(bodyOf(message, signal), init);
      message.resume(); // No body belongs to it; its connection is free as soon as it has been read.
      return new Response(null, init);
    },
  };
}

function bodyOf(message: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      message.on("data", (bytes: Uint8Array) => {
        controller.enqueue(bytes);
        if ((controller.desiredSize ?? 0) <= 0) message.pause();
      });
      message.once("end", () => (signal.aborted ? controller.error(signal.reason) : controller.close()));
      message.once("error", (error) => controller.error(error));
    },
    pull: () => void message.resume(),
    cancel: () => void message.destroy(),
  });
}

function neverSent({ origin }: URL, cause: unknown, socket: Socket | null): NeverSentError {
  const reason = cause instanceof AggregateError ? cause.errors.map(messageOf).join("; ") : messageOf(cause);
  const badCertificate = socket !== null && "authorizationError" in socket && Boolean(socket.authorizationError);
  return new NeverSentError(`nothing was sent, for no connection to ${origin} stood: ${reason}`, cause, badCertificate);
}
