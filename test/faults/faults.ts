import type { Socket } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { makeCertificate } from "./certificate.ts";
import type { Fault, RawServer } from "./raw-server.ts";

/** What is requested: of the service, or of the host of a result. */
export type Requested = "generate" | "query" | "delete" | "download";

/**
 * What a call comes to: an error's name, a taskid, or "file"; how many requests the server has seen by then; and how long the
 * client paused before each retry, in milliseconds.
 */
export type Expected = readonly [outcome: string, heads: number, pauses?: readonly number[]];

/** The client's pauses with two retries, if the server names none. */
export const backoff: readonly number[] = [250, 500];
/** The present, on the client's clock. */
export const now: number = Date.UTC(2026, 10, 21);

/** A fault, and what comes of it, with two retries. A deletion is repeated as a query is. */
export interface FaultRow extends Fault {
  readonly name: string;
  readonly generate: Expected;
  readonly query: Expected;
  readonly download: Expected;
  /** What differs with the runtime's fetch. */
  readonly onFetch?: Partial<Record<Requested, Expected>> & { readonly because: string };
  /** Connections that a generation may take, if that is not one for each request. */
  readonly connections?: number;
  /** Whether the form has a file of some megabytes: on node:http only, because fetch can end the process then. */
  readonly large?: boolean;
  /** Whether the client has used the server before, so that there is a connection. */
  readonly warm?: boolean;
}

type Outcomes = Pick<FaultRow, "generate" | "query" | "download">;

const outcomes = (generate: Expected, query: Expected, download: Expected): Outcomes => ({ generate, query, download });
const all = (expected: Expected) => outcomes(expected, expected, expected);

const neverSent = all(["ConnectionError", 0, backoff]);
const badCertificate = outcomes(["ConnectionError", 0], ["ConnectionError", 0], ["ConnectionError", 0, backoff]);
const unread: Outcomes = { ...neverSent, generate: ["OutcomeUnknownError", 0] };
const lost = outcomes(["OutcomeUnknownError", 1], ["ConnectionError", 3], ["ConnectionError", 3]);
/** No response that the service documents. As a result it is what it is. */
const undocumented = outcomes(["OutcomeUnknownError", 1], ["ServiceError", 1], ["file", 1]);
/** The same, and no result either. */
const unusable: Outcomes = { ...undocumented, download: ["ServiceError", 1] };
/** A success that cannot be read. */
const unreadable = outcomes(["OutcomeUnknownError", 1], ["ServiceError", 3], ["file", 1]);
/** No response, and as a result it is too large or in no known encoding. */
const undecodable: Outcomes = { ...lost, download: ["ServiceError", 1] };
const rejected = all(["ServiceError", 1]);
const limited = all(["ServiceError", 3]);
const down: Outcomes = { ...limited, generate: ["OutcomeUnknownError", 1] };
const succeeded = outcomes(["t-1", 1], ["t-1", 1], ["file", 1]);
/** A result whose URL is rejected gets a new URL, once. */
const expiredLink: Outcomes = { ...rejected, download: ["ServiceError", 2, []] };
const compressed = {
  ...succeeded,
  onFetch: { download: ["ServiceError", 1], because: "it does not notice if the end of compressed bytes is missing" },
} satisfies Partial<FaultRow>;
const redirected = { query: ["ConnectionError", 3], because: "fetch reports a redirect as a failure" } as const;

const pausing = (pauses: readonly number[], { generate, query, download }: Outcomes): Outcomes => {
  const paused = ([outcome, heads]: Expected): Expected => [outcome, heads, pauses.slice(0, heads - 1)];
  return outcomes(paused(generate), paused(query), paused(download));
};

const certificate = makeCertificate("localhost");
const expired = makeCertificate("localhost", new Date("2021-01-01"));
const wrongHost = makeCertificate("other.example");
const onlyHttp2 = { ...certificate, ALPNProtocols: ["h2"] };
/** The certificates to trust. The one that is made in the table below is not among them. */
export const trusted: readonly string[] = [certificate, expired, wrongHost].map(({ cert }) => cert);

const envelope = JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: [], status: "Success" } });

/** A response as text, with its length. */
export function reply(body: string | Buffer = envelope, status = "200 OK", ...headers: readonly string[]): Buffer {
  const lines = [`HTTP/1.1 ${status}`, "Content-Type: application/json", `Content-Length: ${body.length}`, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), Buffer.from(body as string)]);
}

/** Responds to a complete request with these bytes and closes. */
const bytes = (bytes: string | Buffer): Fault => ({ onRequest: (socket) => void socket.end(bytes) });
/** Responds to a complete request with a status and a body, and closes. */
const response = (status: string, body: string | Buffer = "", ...headers: readonly string[]): Fault =>
  bytes(reply(body, status, "Connection: close", ...headers));
/** Hangs once the client has seen what it was sent: timers come before that in a turn of the event loop. */
const hangSoon = (server: RawServer) => void setTimeout(setImmediate, 10, server.hang);
/** Responds to a complete request with these bytes and then does nothing more. */
const hangsAfter = (bytes: string): Fault => ({
  onRequest: (socket, server) => void socket.write(bytes, () => hangSoon(server)),
});
const reset = (socket: Socket) => void socket.resetAndDestroy();
const close = (socket: Socket) => void socket.destroy();
/** Does this as soon as the client has begun to agree on TLS. */
const inHandshake = (act: (socket: Socket, server: RawServer) => unknown): Fault => ({
  certificate,
  onConnection: (socket, server) => void socket.once("data", () => act(socket, server)),
});
/** Responds to the first request of a connection, and ends it when it is used again. */
const endsWhenUsedAgain = (end: (socket: Socket) => void): Omit<FaultRow, "name"> => ({
  warm: true,
  onRequest: (socket, _, nth) => void (nth === 1 ? socket.write(reply()) : end(socket)),
  ...outcomes(["t-1", 2, []], ["t-1", 3, [250]], ["file", 1]),
  onFetch: { generate: ["OutcomeUnknownError", 2, []], because: "it sends what is paid on used connections" },
});

/** Writes for as long as the client reads. */
function flood(socket: Socket, bytes: Buffer): void {
  while (!socket.destroyed && socket.write(bytes));
  if (!socket.destroyed) socket.once("drain", () => flood(socket, bytes));
}

function drip(socket: Socket, bytes: Buffer): void {
  if (bytes.length === 0 || socket.destroyed) return void socket.end();
  socket.write(bytes.subarray(0, 1));
  setImmediate(drip, socket, bytes.subarray(1));
}

/** Responds byte by byte, and hangs by then. */
const drips = (first: string, more: string): Fault => ({
  onRequest: (socket, server) => (socket.write(first), hangSoon(server), drip(socket, Buffer.from(more))),
});

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const half = envelope.slice(0, envelope.length / 2);
const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n`;
const zipped = gzipSync(envelope);
/** A hundred mebibytes of JSON in a hundred kilobytes. */
const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, " "));
const interim = ["100 Continue", "102 Processing", "103 Early Hints\r\nLink: </a>"];

/** The key that a request came with. */
const keyIn = (request: string) => /^authorization: (.*)\r$/im.exec(request)?.[1] ?? "no key";
/** Responds with what it makes of the request's key. */
const echoes = (respond: (key: string) => Buffer): Fault => ({
  onRequest: (socket, _, __, request) => void socket.end(respond(keyIn(request))),
});

/** Retry-After in all forms, and how long the client pauses before it retries, which it does not if that is undefined. */
const retryAfters: readonly (readonly [form: string, header: string, pauses: readonly number[] | undefined])[] = [
  ["in seconds", "3", [3_000, 3_000]],
  ["of 0", "0", [0, 0]],
  ["of a negative number", "-1", backoff],
  ["of a fraction", "1.5", backoff],
  ["of a date", new Date(now + 3_000).toUTCString(), [3_000, 3_000]],
  ["of a past date", new Date(now - 3_000).toUTCString(), [0, 0]],
  ["of a month", "2592000", undefined],
  ["of garbage", "soon; or \tlater", backoff],
  ["beyond all timers", "9".repeat(40), undefined],
];

/** Every fault of the connection and of the response, and what becomes of each call. */
export const faults: readonly FaultRow[] = [
  // Before there is a connection.
  { name: "a port where nobody listens", isClosed: true, ...neverSent, connections: 0 },
  { name: "a close in the TLS handshake", ...inHandshake((socket) => socket.end()), ...neverSent, connections: 3 },
  { name: "a close before TLS", certificate, onConnection: close, ...neverSent, connections: 3 },
  {
    name: "a reset in the TLS handshake",
    ...inHandshake(reset),
    ...neverSent,
    connections: 3,
    onFetch: { generate: ["OutcomeUnknownError", 0], because: "a reset while reading does not mention TLS" },
  },
  {
    name: "plain HTTP instead of TLS",
    certificate,
    onConnection: (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    ...neverSent,
    connections: 3,
    onFetch: { generate: ["OutcomeUnknownError", 0], because: "it reports a bad record of an established session alike" },
  },
  { name: "only HTTP/2", certificate: onlyHttp2, ...neverSent, connections: 3 },
  {
    name: "a hang in the TLS handshake",
    ...inHandshake((_, server) => server.hang()),
    ...neverSent,
    connections: 3,
    onFetch: { generate: ["OutcomeUnknownError", 0], because: "fetch does not say what its time passed with" },
  },
  { name: "a self-signed certificate", certificate: makeCertificate("localhost"), ...badCertificate, connections: 1 },
  { name: "an expired certificate", certificate: expired, ...badCertificate, connections: 1 },
  { name: "a certificate of another host", certificate: wrongHost, ...badCertificate, connections: 1 },
  // While the request is sent.
  { name: "a close before it reads", onConnection: close, ...unread, connections: 1 },
  {
    name: "a reset before it reads",
    onConnection: (socket) => void setTimeout(reset, 20, socket.pause()),
    ...unread,
    connections: 1,
  },
  {
    name: "a hang before it reads",
    onConnection: (socket, server) => void (socket.pause(), hangSoon(server)),
    ...unread,
    connections: 1,
  },
  { name: "a reset after half of a large request", onHalf: reset, large: true, ...lost },
  { name: "a close after half of a large request", onHalf: close, large: true, ...lost },
  {
    name: "a hang after half of a large request",
    onHalf: (socket, server) => void (socket.pause(), hangSoon(server)),
    large: true,
    ...lost,
  },
  {
    name: "a response before a large request has left",
    onHalf: (socket) => void socket.end(reply()),
    large: true,
    ...succeeded,
  },
  {
    name: "a rejection before a large request has left",
    onHalf: (socket) => void socket.end(reply("too large", "413 Payload Too Large")),
    large: true,
    ...rejected,
  },
  // On a connection that was used before.
  { name: "a connection that is closed when it is used again", ...endsWhenUsedAgain(close) },
  { name: "a connection that is reset when it is used again", ...endsWhenUsedAgain(reset) },
  // Instead of a response.
  { name: "a reset after the request", onRequest: reset, ...lost },
  { name: "a close after the request", onRequest: close, ...lost },
  { name: "a hang after the request", onRequest: (_, server) => void hangSoon(server), ...lost },
  { name: "a request over TLS that is lost", certificate, onRequest: close, ...lost },
  { name: "a response over TLS", certificate, onRequest: (socket) => void socket.end(reply()), ...succeeded },
  { name: "garbage", ...bytes("\0\x01\xff\xfe no http at all \r\n\r\n"), ...lost },
  { name: "the request itself", onRequest: (socket, _, __, request) => void socket.end(request), ...lost },
  { name: "a response of HTTP/2", ...bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ...lost },
  { name: "TLS instead of plain HTTP", ...bytes(Buffer.from("15030100020246", "hex")), ...lost },
  { name: "two lengths", ...bytes(`${head}Content-Length: 5\r\nContent-Length: 50\r\n\r\n${envelope}`), ...lost },
  { name: "a head of 64 KiB", ...bytes(`${head}X-Long: ${"x".repeat(65_536)}\r\n\r\n${envelope}`), ...lost },
  {
    name: "a head without an end",
    onRequest: (socket) => (socket.write(head), flood(socket, Buffer.from(`X-More: ${"x".repeat(9_000)}\r\n`))),
    ...lost,
  },
  { name: "a hang within the headers", ...hangsAfter(`${head}Content-Len`), ...lost },
  { name: "a hang after the headers", ...hangsAfter(`${head}Content-Length: 100\r\n\r\n`), ...lost },
  { name: "a hang within the body", ...hangsAfter(`${head}Content-Length: 100\r\n\r\n${half}`), ...lost },
  { name: "half of a body", ...bytes(`${head}Content-Length: ${envelope.length}\r\n\r\n${half}`), ...lost },
  { name: "an envelope shorter than its length", ...bytes(`${head}Content-Length: 1000\r\n\r\n${envelope}`), ...lost },
  { name: "no last chunk", ...bytes(`${chunked}${envelope.length.toString(16)}\r\n${envelope}\r\n`), ...lost },
  {
    name: "the request itself as a chunk",
    onRequest: (socket, _, __, request) => void socket.end(chunked + request),
    ...lost,
  },
  {
    name: "a reset within the body",
    onRequest: (socket) =>
      void socket.write(`${head}Content-Length: 100\r\n\r\n${half}`, () => setTimeout(reset, 5, socket)),
    ...lost,
  },
  {
    name: "a body without an end",
    onRequest: (socket) => (socket.write(`${head}\r\n`), flood(socket, Buffer.alloc(65_536, " "))),
    ...undecodable,
  },
  { name: "a body that drips", ...drips(`${head}\r\n`, " ".repeat(500)), ...lost, download: ["file", 1] },
  { name: "headers that drip without an end", ...drips(head, "X-More: 1\r\n".repeat(10_000)), ...lost },
  // Responses of other shapes.
  { name: "a response that drips byte by byte", onRequest: (socket) => drip(socket, reply()), ...succeeded },
  {
    name: "a body that ends with its connection",
    ...bytes(`${head}Connection: close\r\n\r\n${envelope}`),
    ...succeeded,
  },
  {
    name: "a response after 100, 102 and 103",
    ...bytes(interim.map((line) => `HTTP/1.1 ${line}\r\n\r\n`).join("") + reply().toString()),
    ...succeeded,
    onFetch: { ...lost, because: "undici rejects a 100 that it did not request" },
  },
  {
    name: "a switch of protocols",
    ...bytes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"),
    ...lost,
  },
  { name: "an empty body", ...response("200 OK"), ...unreadable, download: ["ConnectionError", 3] },
  {
    name: "204",
    ...bytes("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
    ...unreadable,
    download: ["ServiceError", 1],
  },
  {
    name: "JSON that calls itself HTML",
    ...bytes(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${envelope}`),
    ...succeeded,
  },
  {
    name: "HTML",
    ...bytes("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>Welcome to the hotel</html>"),
    ...unreadable,
    download: ["ConnectionError", 3],
  },
  { name: "JSON that is cut", ...response("200 OK", half), ...unreadable },
  { name: "JSON null", ...response("200 OK", "null"), ...unreadable },
  { name: "an unknown code", ...response("200 OK", '{"code":1234,"msg":"?"}'), ...undocumented },
  { name: "gzip", ...response("200 OK", zipped, "Content-Encoding: gzip"), ...compressed },
  { name: "Brotli", ...response("200 OK", brotliCompressSync(envelope), "Content-Encoding: br"), ...compressed },
  {
    name: "an encoding that is not supported",
    ...response("200 OK", envelope, "Content-Encoding: compress"),
    ...undecodable,
    onFetch: { ...succeeded, download: ["ServiceError", 1], because: "fetch reads it as the text itself" },
  },
  {
    name: "many encodings",
    ...response("200 OK", envelope, `Content-Encoding: ${"gzip, ".repeat(1_000)}gzip`),
    ...undecodable,
    onFetch: { download: ["ConnectionError", 3], because: "fetch fails while it reads" },
  },
  {
    name: "gzip after whose end more comes",
    ...bytes(Buffer.concat([reply(zipped, "200 OK", "Content-Encoding: gzip"), Buffer.alloc(100_000)])),
    ...compressed,
  },
  {
    name: "gzip that is cut",
    ...response("200 OK", zipped.subarray(0, 40), "Content-Encoding: gzip"),
    ...lost,
    onFetch: { query: ["ServiceError", 3], download: ["ServiceError", 1], because: "fetch reads it as a short text" },
  },
  { name: "a gzip bomb", ...response("200 OK", bomb, "Content-Encoding: gzip"), ...undecodable },
  { name: "two responses at once", ...bytes(Buffer.concat([reply(), reply()])), ...succeeded },
  // Statuses.
  ...[301, 302, 303, 307, 308].flatMap((status): FaultRow[] => [
    {
      name: `redirect ${status}`,
      ...response(`${status} Elsewhere`, "", "Location: /elsewhere"),
      ...undocumented,
      download: ["ServiceError", 4, []],
      onFetch: redirected,
    },
    {
      name: `redirect ${status} to another origin`,
      onRequest: (socket, { elsewhere }) =>
        void socket.end(reply("", `${status} Elsewhere`, "Connection: close", `Location: ${elsewhere}/there`)),
      ...undocumented,
      onFetch: redirected,
    },
  ]),
  { name: "a redirect to nowhere", ...response("302 Found"), ...unusable, onFetch: redirected },
  { name: "300 with choices", ...response("300 Choices"), ...unusable },
  { name: "304", ...bytes("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"), ...unusable },
  { name: "201", ...response("201 Created", envelope), ...succeeded, download: ["ServiceError", 1] },
  {
    name: "206 that was not requested",
    ...response("206 Partial Content", envelope, `Content-Range: bytes 0-${envelope.length - 1}/1000`),
    ...succeeded,
    download: ["ServiceError", 1],
  },
  ...["400", "413", "425", "501"].map((status) => ({ name: status, ...response(`${status} No`), ...rejected })),
  ...["401", "403", "404", "410"].map((status) => ({ name: status, ...response(`${status} No`), ...expiredLink })),
  ...["408", "409"].map((status) => ({ name: status, ...response(`${status} No`), ...unusable })),
  {
    name: "421",
    ...response("421 Misdirected Request"),
    ...rejected,
    onFetch: {
      ...outcomes(["OutcomeUnknownError", 2, []], ["ConnectionError", 6, backoff], ["ServiceError", 2, []]),
      because: "Node's fetch resends it by itself, with an empty body by then",
    },
  },
  { name: "429", ...response("429 Too Many Requests"), ...limited },
  ...["500", "503", "504", "599"].map((status) => ({ name: status, ...response(`${status} No`), ...down })),
  { name: "502 in HTML", ...response("502 Bad Gateway", "<html></html>"), ...down },
  ...retryAfters.flatMap(([form, header, pauses]): FaultRow[] => [
    {
      name: `429 with a Retry-After ${form}`,
      ...response("429 Too Many Requests", "", `Retry-After: ${header}`),
      ...(pauses ? pausing(pauses, limited) : rejected),
    },
    {
      name: `503 with a Retry-After ${form}`,
      ...response("503 Unavailable", "", `Retry-After: ${header}`),
      ...(pauses ? pausing(pauses, down) : { ...rejected, generate: down.generate }),
    },
  ]),
  // The envelope is read before the status: there is a task, and it has been billed.
  {
    name: "500 with a success",
    ...response("500 No", envelope),
    ...down,
    generate: ["t-1", 1],
    query: ["ServiceError", 1],
  },
  { name: "429 with a success", ...response("429 No", envelope), ...limited, generate: ["t-1", 1] },
  { name: "429 with a rejection", ...response("429 No", '{"code":9999,"msg":"no"}'), ...limited },
  {
    name: "429 with an unknown code",
    ...response("429 No", '{"code":7,"msg":"what"}'),
    ...limited,
    generate: ["OutcomeUnknownError", 1],
  },
  {
    name: "429 that is cut",
    ...bytes('HTTP/1.1 429 Too Many Requests\r\nContent-Length: 100\r\n\r\n{"code":'),
    ...lost,
    download: ["ServiceError", 3],
  },
  { name: "409 with a rejection", ...response("409 Conflict", '{"code":9999,"msg":"no"}'), ...rejected },
  {
    name: "999",
    ...response("999 What"),
    ...lost,
    download: ["ServiceError", 3],
    onFetch: { query: ["ServiceError", 3], because: "fetch returns statuses that no Response may have" },
  },
  { name: "a rejection", ...response("200 OK", '{"code":9999,"msg":"no"}'), ...rejected, download: ["file", 1] },
  {
    name: "no credits",
    ...response("200 OK", '{"code":9000,"msg":"no"}'),
    ...outcomes(["InsufficientCreditsError", 1], ["InsufficientCreditsError", 1], ["file", 1]),
  },
  // The key, repeated.
  {
    name: "a rejection with the key in it",
    ...echoes((key) => reply(JSON.stringify({ code: 9999, msg: `the key ${key} is bad` }))),
    ...rejected,
    download: ["file", 1],
  },
  {
    name: "an unknown code with the key in it",
    ...echoes((key) => reply(JSON.stringify({ code: 7, msg: key, data: { [key]: [key] } }))),
    ...undocumented,
  },
  {
    name: "HTML under 403 with the key in it",
    ...echoes((key) => reply(`<p>${encodeURIComponent(key)} or ${key}</p>`, "403 Forbidden")),
    ...expiredLink,
  },
  {
    name: "500 with the key in its text and headers",
    ...echoes((key) => reply(key, `500 ${key}`, `X-Key: ${key}`, `Retry-After: ${key}`)),
    ...down,
  },
  {
    name: "a redirect with the key in its URL",
    ...echoes((key) => reply("", "302 Found", `Location: ftp://${key}@elsewhere/${key}`)),
    ...unusable,
    onFetch: redirected,
  },
  { name: "garbage with the key in it", ...echoes((key) => Buffer.from(`${key} ${key}\r\n\r\n`)), ...lost },
];
