import type { Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { makeCertificate } from "./certificate.ts";
import type { Fault, RawServer } from "./raw-server.ts";

/** What is asked of the server: of the service, or of the host of a result. */
export type Asked = "generate" | "query" | "delete" | "download";

/**
 * What a call comes to: an error's name, or the answer's taskid, or "file"; how many requests the server has seen by then;
 * and how long the client paused before each that it sent again, in milliseconds.
 */
export type Expected = readonly [outcome: string, heads: number, pauses?: readonly number[]];

/** The client's pauses with two retries, where the server names none. */
export const backoff: readonly number[] = [250, 500];
/** The present, on the client's clock. */
export const now: number = Date.UTC(2026, 10, 21);

/** A fault, and what comes of it, with two retries allowed. */
export interface FaultRow extends Fault {
  readonly name: string;
  readonly generate: Expected;
  readonly query: Expected;
  /** Where that is not what comes of a query. */
  readonly delete?: Expected;
  readonly download: Expected;
  /** What differs on global fetch, which sees less and follows its own mind. */
  readonly onFetch?: Partial<Record<Asked, Expected>> & { readonly because: string };
  /** Connections that a generation may take, where that is not one for each request. */
  readonly connections?: number;
  /** Whether the form carries a file of some megabytes: only on node:http, for under it fetch can end the process. */
  readonly large?: boolean;
  /** Whether the client has used the server before, so that a connection stands. */
  readonly warm?: boolean;
}

type Outcomes = Pick<FaultRow, "generate" | "query" | "download">;

const neverSent: Outcomes = {
  generate: ["ConnectionError", 0, backoff],
  query: ["ConnectionError", 0, backoff],
  download: ["ConnectionError", 0, backoff],
};
const badCertificate: Outcomes = { ...neverSent, generate: ["ConnectionError", 0], query: ["ConnectionError", 0] };
const unread: Outcomes = { ...neverSent, generate: ["OutcomeUnknownError", 0] };
const lost: Outcomes = {
  generate: ["OutcomeUnknownError", 1],
  query: ["ConnectionError", 3],
  download: ["ConnectionError", 3],
};
/** No response that the service documents; as a result it is what it is. */
const undocumented: Outcomes = {
  generate: ["OutcomeUnknownError", 1],
  query: ["ServiceError", 1],
  download: ["file", 1],
};
/** A success that cannot be read. */
const unreadable: Outcomes = {
  generate: ["OutcomeUnknownError", 1],
  query: ["ServiceError", 3],
  download: ["file", 1],
};
const refused: Outcomes = { generate: ["ServiceError", 1], query: ["ServiceError", 1], download: ["ServiceError", 1] };
const limited: Outcomes = { generate: ["ServiceError", 3], query: ["ServiceError", 3], download: ["ServiceError", 3] };
const down: Outcomes = { ...limited, generate: ["OutcomeUnknownError", 1] };
const answered: Outcomes = { generate: ["t-1", 1], query: ["t-1", 1], download: ["file", 1] };
const compressed = {
  ...answered,
  onFetch: { download: ["ServiceError", 1], because: "it does not notice when the end of compressed bytes is missing" },
} satisfies Partial<FaultRow>;
/** An address of a result that is refused is asked for anew, once. */
const expiredLink: Outcomes = { ...refused, download: ["ServiceError", 2, []] };

/** The same with these pauses. */
const pausing = (pauses: readonly number[], { generate, query, download }: Outcomes): Outcomes => {
  const paused = ([outcome, heads]: Expected): Expected => [outcome, heads, pauses.slice(0, heads - 1)];
  return { generate: paused(generate), query: paused(query), download: paused(download) };
};

const valid = makeCertificate("localhost");
const expired = makeCertificate("localhost", new Date("2021-01-01"));
const wrongHost = makeCertificate("other.example");
const onlyHttp2 = { ...valid, ALPNProtocols: ["h2"] };
/** The certificates to trust; the one that is made for the table below is not among them. */
export const trusted: readonly string[] = [valid, expired, wrongHost].map(({ cert }) => cert);

const envelope = JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: [], status: "Success" } });

/** An answer as text, with its length. */
export function reply(body: string | Buffer = envelope, status = "200 OK", ...headers: readonly string[]): Buffer {
  const lines = [`HTTP/1.1 ${status}`, "Content-Type: application/json", `Content-Length: ${body.length}`, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), Buffer.from(body as string)]);
}

/** Answers a whole request with these bytes and closes. */
const withBytes = (bytes: string | Buffer): Fault => ({ onRequest: (socket) => void socket.end(bytes) });
/** Answers a whole request with a body and a status. */
const withReply = (...given: Parameters<typeof reply>): Fault =>
  withBytes(reply(given[0], given[1], "Connection: close", ...(given.slice(2) as string[])));
/** Hangs once the client has seen what it was sent: timers come before that in a turn of the event loop. */
const hangSoon = (server: RawServer) => void setTimeout(setImmediate, 10, server.hang);
/** Answers a whole request with these bytes and then does nothing more. */
const hangsAfter = (bytes: string): Fault => ({
  onRequest: (socket, server) => void socket.write(bytes, () => hangSoon(server)),
});
const reset = (socket: Socket) => void socket.resetAndDestroy();
const close = (socket: Socket) => void socket.destroy();

/** Writes for as long as the client takes it. */
function flood(socket: Socket, bytes: Buffer): void {
  while (!socket.destroyed && socket.write(bytes));
  if (!socket.destroyed) socket.once("drain", () => flood(socket, bytes));
}

function drip(socket: Socket, bytes: Buffer): void {
  if (bytes.length === 0) return void socket.end();
  socket.write(bytes.subarray(0, 1));
  setImmediate(drip, socket, bytes.subarray(1));
}

const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
const half = envelope.slice(0, envelope.length / 2);
const zipped = gzipSync(envelope);
/** A hundred mebibytes of JSON in a hundred kilobytes. */
const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, " "));

/** The key that a request came with. */
const keyIn = (request: string) => /^authorization: (.*)\r$/im.exec(request)?.[1] ?? "no key";
/** Answers with what it makes of the request's key. */
const echoes = (answerWith: (key: string) => Buffer): Fault => ({
  onRequest: (socket, _, __, request) => void socket.end(answerWith(keyIn(request))),
});

/** Retry-After in all forms, and how long the client pauses before it asks again; not at all where that is undefined. */
const retryAfters: readonly (readonly [form: string, header: string, pauses: readonly number[] | undefined])[] = [
  ["in seconds", "3", [3_000, 3_000]],
  ["of 0", "0", [0, 0]],
  ["of a negative number", "-1", backoff],
  ["of a fraction", "1.5", backoff],
  ["of a date", new Date(now + 3_000).toUTCString(), [3_000, 3_000]],
  ["of a date gone by", new Date(now - 3_000).toUTCString(), [0, 0]],
  ["of a month", "2592000", undefined],
  ["of garbage", "soon; or \tlater", backoff],
  ["beyond all timers", "9".repeat(40), undefined],
];

/** Every fault of the connection and of the answer, and what becomes of a generation and a query. */
export const faults: readonly FaultRow[] = [
  // Before the connection stands.
  { name: "a port where nobody listens", refuses: true, ...neverSent, connections: 0 },
  {
    name: "a server that closes while TLS is agreed on",
    certificate: valid,
    onConnection: (socket) => void socket.once("data", () => socket.end()),
    ...neverSent,
    connections: 3,
  },
  { name: "a server that closes before TLS", certificate: valid, onConnection: close, ...neverSent, connections: 3 },
  {
    name: "a server that resets while TLS is agreed on",
    certificate: valid,
    onConnection: (socket) => void socket.once("data", () => reset(socket)),
    ...neverSent,
    connections: 3,
    onFetch: { generate: ["OutcomeUnknownError", 0], because: "a reset while reading says nothing of TLS" },
  },
  {
    name: "a server that speaks no TLS where it should",
    certificate: valid,
    onConnection: (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    ...neverSent,
    connections: 3,
  },
  {
    name: "a server that only speaks HTTP/2",
    certificate: onlyHttp2,
    ...neverSent,
    connections: 3,
  },
  {
    name: "a server that hangs while TLS is agreed on",
    certificate: valid,
    onConnection: (socket, server) => void socket.once("data", server.hang),
    ...neverSent,
    connections: 3,
    onFetch: {
      generate: ["OutcomeUnknownError", 0],
      because: "fetch does not say what it was at when its time was over",
    },
  },
  {
    name: "a certificate nobody vouches for",
    certificate: makeCertificate("localhost"),
    ...badCertificate,
    connections: 1,
  },
  { name: "an expired certificate", certificate: expired, ...badCertificate, connections: 1 },
  { name: "a certificate of another host", certificate: wrongHost, ...badCertificate, connections: 1 },
  // While the request is sent.
  { name: "a server that closes before it reads", onConnection: close, ...unread, connections: 1 },
  {
    name: "a server that resets before it reads",
    onConnection: (socket) => void setTimeout(reset, 20, socket.pause()),
    ...unread,
    connections: 1,
  },
  {
    name: "a server that hangs before it reads",
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
    name: "an answer before a large request has left",
    onHalf: (socket) => void socket.end(reply()),
    large: true,
    ...answered,
  },
  {
    name: "a rejection before a large request has left",
    onHalf: (socket) => void socket.end(reply("too large", "413 Payload Too Large")),
    large: true,
    ...refused,
  },
  // On a connection that stood already.
  {
    name: "a connection that is closed when it is used again",
    warm: true,
    onRequest: (socket, _, nth) => void (nth === 1 ? socket.write(reply()) : close(socket)),
    generate: ["t-1", 2, []],
    query: ["t-1", 3, [250]],
    download: ["file", 1],
    onFetch: { generate: ["OutcomeUnknownError", 2, []], because: "it sends what is paid on used connections" },
  },
  {
    name: "a connection that is reset when it is used again",
    warm: true,
    onRequest: (socket, _, nth) => void (nth === 1 ? socket.write(reply()) : reset(socket)),
    generate: ["t-1", 2, []],
    query: ["t-1", 3, [250]],
    download: ["file", 1],
    onFetch: { generate: ["OutcomeUnknownError", 2, []], because: "it sends what is paid on used connections" },
  },
  // Instead of an answer.
  { name: "a reset after the request", onRequest: reset, ...lost },
  { name: "a close after the request", onRequest: close, ...lost },
  { name: "an end after the request", onRequest: (socket) => void socket.end(), ...lost },
  {
    name: "a hang after the request",
    onRequest: (_, server) => void hangSoon(server),
    ...lost,
  },
  { name: "a request over TLS that is lost", certificate: valid, onRequest: close, ...lost },
  { name: "an answer over TLS", certificate: valid, onRequest: (socket) => void socket.end(reply()), ...answered },
  { name: "half of a status line", ...withBytes("HTTP/1.1 2"), ...lost },
  { name: "half of the headers", ...withBytes(`${head}Content-Len`), ...lost },
  { name: "garbage", ...withBytes("\0\x01\xff\xfe no http at all \r\n\r\n"), ...lost },
  { name: "the request itself", onRequest: (socket, _, __, request) => void socket.end(request), ...lost },
  { name: "an answer of HTTP/2", ...withBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ...lost },
  { name: "two lengths", ...withBytes(`${head}Content-Length: 5\r\nContent-Length: 50\r\n\r\n${envelope}`), ...lost },
  { name: "a head of 64 KiB", ...withBytes(`${head}X-Long: ${"x".repeat(65_536)}\r\n\r\n${envelope}`), ...lost },
  {
    name: "a head without an end",
    onRequest: (socket) => (
      socket.write(head),
      flood(socket, Buffer.from(`X-More: ${"x".repeat(100)}\r\n`.repeat(100)))
    ),
    ...lost,
  },
  { name: "a hang within the status line", ...hangsAfter("HTTP/1.1 2"), ...lost },
  { name: "a hang within the headers", ...hangsAfter(`${head}Content-Len`), ...lost },
  { name: "a hang after the headers", ...hangsAfter(`${head}Content-Length: 100\r\n\r\n`), ...lost },
  {
    name: "a hang within the body",
    ...hangsAfter(`${head}Content-Length: 100\r\n\r\n${half}`),
    ...lost,
  },
  {
    name: "a body shorter than its length",
    ...withBytes(`${head}Content-Length: ${envelope.length}\r\n\r\n${half}`),
    ...lost,
  },
  {
    name: "a whole envelope shorter than its length",
    ...withBytes(`${head}Content-Length: 1000\r\n\r\n${envelope}`),
    ...lost,
  },
  {
    name: "a chunk that is cut",
    ...withBytes(`${head}Transfer-Encoding: chunked\r\n\r\n${envelope.length.toString(16)}\r\n${half}`),
    ...lost,
  },
  {
    name: "chunks without the last",
    ...withBytes(`${head}Transfer-Encoding: chunked\r\n\r\n${envelope.length.toString(16)}\r\n${envelope}\r\n`),
    ...lost,
  },
  {
    name: "the request itself for a chunk",
    onRequest: (socket, _, __, request) => void socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n${request}`),
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
    ...lost,
    download: ["ServiceError", 1],
  },
  {
    name: "a body that drips without an end",
    onRequest: (socket, server) => (
      socket.write(`${head}\r\n`),
      hangSoon(server),
      drip(socket, Buffer.alloc(2_000, " "))
    ),
    ...lost,
    download: ["file", 1],
  },
  {
    name: "headers that drip without an end",
    onRequest: (socket, server) => (
      socket.write(head),
      hangSoon(server),
      drip(socket, Buffer.from("X-More: 1\r\n".repeat(10_000)))
    ),
    ...lost,
  },
  { name: "TLS where plain HTTP should be spoken", ...withBytes(Buffer.from("15030100020246", "hex")), ...lost },
  // Answers of other shapes.
  { name: "an answer that drips byte by byte", onRequest: (socket) => drip(socket, reply()), ...answered },
  {
    name: "an answer without a length that ends with its connection",
    ...withBytes(`${head}Connection: close\r\n\r\n${envelope}`),
    ...answered,
  },
  {
    name: "an answer after 100, 102 and 103",
    ...withBytes(
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${reply().toString()}`,
    ),
    ...answered,
    onFetch: {
      generate: ["OutcomeUnknownError", 1],
      query: ["ConnectionError", 3],
      download: ["ConnectionError", 3],
      because: "undici refuses a 100 that it did not ask for",
    },
  },
  {
    name: "a switch of protocols",
    ...withBytes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"),
    ...lost,
  },
  { name: "an empty answer", ...withReply(""), ...unreadable, download: ["ConnectionError", 3] },
  {
    name: "204",
    ...withBytes("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
    ...unreadable,
    download: ["ServiceError", 1],
  },
  {
    name: "JSON that calls itself HTML",
    ...withBytes(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${envelope}`),
    ...answered,
  },
  {
    name: "HTML",
    ...withBytes("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>Welcome to the hotel</html>"),
    ...unreadable,
    download: ["ConnectionError", 3],
  },
  { name: "JSON that is cut", ...withReply(half), ...unreadable },
  { name: "JSON null", ...withReply("null"), ...unreadable },
  { name: "a list", ...withReply("[]"), ...unreadable },
  { name: "an unknown code", ...withReply('{"code":1234,"msg":"?"}'), ...undocumented },
  { name: "gzip", ...withReply(zipped, "200 OK", "Content-Encoding: gzip"), ...compressed },
  { name: "Brotli", ...withReply(brotliCompressSync(envelope), "200 OK", "Content-Encoding: br"), ...compressed },
  { name: "deflate", ...withReply(deflateSync(envelope), "200 OK", "Content-Encoding: deflate"), ...compressed },
  {
    name: "an encoding that is not supported",
    ...withReply(envelope, "200 OK", "Content-Encoding: compress"),
    ...lost,
    download: ["ServiceError", 1],
    onFetch: { ...answered, ...compressed.onFetch, because: "fetch takes it for the text itself" },
  },
  {
    name: "many encodings",
    ...withReply(envelope, "200 OK", `Content-Encoding: ${"gzip, ".repeat(1_000)}gzip`),
    ...lost,
    download: ["ServiceError", 1],
    onFetch: { download: ["ConnectionError", 3], because: "fetch fails while it reads" },
  },
  {
    name: "gzip after whose end more comes",
    ...withBytes(Buffer.concat([reply(zipped, "200 OK", "Content-Encoding: gzip"), Buffer.alloc(100_000)])),
    ...compressed,
  },
  {
    name: "gzip that is cut",
    ...withReply(zipped.subarray(0, 40), "200 OK", "Content-Encoding: gzip"),
    ...lost,
    onFetch: { query: ["ServiceError", 3], download: ["ServiceError", 1], because: "fetch takes it for a short text" },
  },
  {
    name: "a gzip bomb",
    ...withReply(bomb, "200 OK", "Content-Encoding: gzip"),
    ...lost,
    download: ["ServiceError", 1],
  },
  { name: "gzip that does not say so", ...withReply(zipped), ...unreadable },
  { name: "two answers at once", ...withBytes(Buffer.concat([reply(), reply()])), ...answered },
  // Statuses.
  ...[301, 302, 303, 307, 308].map((status): FaultRow => ({
    name: `redirect ${status}`,
    ...withReply("", `${status} Elsewhere`, "Location: /elsewhere"),
    ...undocumented,
    download: ["ServiceError", 4, []],
    onFetch: { query: ["ConnectionError", 3], because: "fetch, told to follow none, gives a redirect as a failure" },
  })),
  ...[301, 302, 303, 307, 308].map((status): FaultRow => ({
    name: `redirect ${status} to another origin`,
    onRequest: (socket, { elsewhere }) =>
      void socket.end(reply("", `${status} Elsewhere`, "Connection: close", `Location: ${elsewhere}/there`)),
    ...undocumented,
    onFetch: { query: ["ConnectionError", 3], because: "fetch, told to follow none, gives a redirect as a failure" },
  })),
  {
    name: "a redirect to nowhere",
    ...withReply("", "302 Found"),
    ...undocumented,
    download: ["ServiceError", 1],
    onFetch: { query: ["ConnectionError", 3], because: "it gives this as a failure too" },
  },
  {
    name: "300 with choices",
    ...withReply("", "300 Multiple Choices"),
    ...undocumented,
    download: ["ServiceError", 1],
  },
  {
    name: "304",
    ...withBytes("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"),
    ...undocumented,
    download: ["ServiceError", 1],
  },
  { name: "201", ...withReply(envelope, "201 Created"), ...answered, download: ["ServiceError", 1] },
  {
    name: "206 that was not asked for",
    ...withReply(envelope, "206 Partial Content", `Content-Range: bytes 0-${envelope.length - 1}/1000`),
    ...answered,
    download: ["ServiceError", 1],
  },
  { name: "400", ...withReply("", "400 Bad Request"), ...refused },
  { name: "401", ...withReply("", "401 Unauthorized"), ...expiredLink },
  { name: "403", ...withReply("", "403 Forbidden"), ...expiredLink },
  { name: "404 in HTML", ...withReply("<html></html>", "404 Not Found"), ...expiredLink },
  { name: "410", ...withReply("", "410 Gone"), ...expiredLink },
  { name: "408", ...withReply("", "408 Request Timeout"), ...undocumented, download: ["ServiceError", 1] },
  { name: "409", ...withReply("", "409 Conflict"), ...undocumented, download: ["ServiceError", 1] },
  { name: "413", ...withReply("", "413 Payload Too Large"), ...refused },
  {
    name: "421",
    ...withReply("", "421 Misdirected Request"),
    ...refused,
    onFetch: {
      generate: ["OutcomeUnknownError", 2, []],
      query: ["ConnectionError", 6, backoff],
      download: ["ServiceError", 2, []],
      because: "Node's asks again by itself, with a body of no bytes by then",
    },
  },
  { name: "425", ...withReply("", "425 Too Early"), ...refused },
  { name: "429", ...withReply("", "429 Too Many Requests"), ...limited },
  { name: "501", ...withReply("", "501 Not Implemented"), ...refused },
  { name: "502 in HTML", ...withReply("<html></html>", "502 Bad Gateway"), ...down },
  { name: "503", ...withReply("", "503 Unavailable"), ...down },
  { name: "504", ...withReply("", "504 Gateway Timeout"), ...down },
  ...retryAfters.flatMap(([form, header, pauses]): FaultRow[] => [
    {
      name: `429 with a Retry-After ${form}`,
      ...withReply("", "429 Too Many Requests", `Retry-After: ${header}`),
      ...(pauses ? pausing(pauses, limited) : refused),
    },
    {
      name: `503 with a Retry-After ${form}`,
      ...withReply("", "503 Unavailable", `Retry-After: ${header}`),
      ...(pauses ? pausing(pauses, down) : { ...refused, generate: down.generate }),
    },
  ]),
  { name: "500", ...withReply("", "500 Internal Server Error"), ...down },
  {
    name: "500 with a success in it",
    ...withReply(envelope, "500 Internal Server Error"),
    ...down,
    // The envelope decides before the status: the task is there, and it has been billed.
    generate: ["t-1", 1],
    query: ["ServiceError", 1],
  },
  {
    name: "429 with a success in it",
    ...withReply(envelope, "429 Too Many Requests"),
    ...limited,
    generate: ["t-1", 1],
  },
  { name: "429 with a rejection in it", ...withReply('{"code":9999,"msg":"no"}', "429 Too Many Requests"), ...limited },
  {
    name: "429 with an unknown code in it",
    ...withReply('{"code":7,"msg":"what"}', "429 Too Many Requests"),
    ...limited,
    generate: ["OutcomeUnknownError", 1],
  },
  {
    name: "429 that is cut",
    ...withBytes('HTTP/1.1 429 Too Many Requests\r\nContent-Length: 100\r\n\r\n{"code":'),
    ...lost,
    download: ["ServiceError", 3],
  },
  { name: "409 with a rejection in it", ...withReply('{"code":9999,"msg":"no"}', "409 Conflict"), ...refused },
  { name: "599", ...withReply("", "599 What"), ...down },
  {
    name: "999",
    ...withReply("", "999 What"),
    ...lost,
    download: ["ServiceError", 3],
    onFetch: { query: ["ServiceError", 3], because: "fetch hands over statuses that no Response may have" },
  },
  { name: "a rejection in an envelope", ...withReply('{"code":9999,"msg":"no"}'), ...refused, download: ["file", 1] },
  {
    name: "credits that are out",
    ...withReply('{"code":9000,"msg":"no"}'),
    generate: ["InsufficientCreditsError", 1],
    query: ["InsufficientCreditsError", 1],
    download: ["file", 1],
  },
  // The key, repeated.
  {
    name: "a rejection with the key in it",
    ...echoes((key) => reply(JSON.stringify({ code: 9999, msg: `the key ${key} is bad` }))),
    ...refused,
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
    name: "a redirect with the key in its address",
    ...echoes((key) => reply("", "302 Found", `Location: ftp://${key}@elsewhere/${key}`)),
    ...undocumented,
    download: ["ServiceError", 1],
    onFetch: { query: ["ConnectionError", 3], because: "fetch, told to follow none, gives a redirect as a failure" },
  },
  { name: "garbage with the key in it", ...echoes((key) => Buffer.from(`${key} ${key}\r\n\r\n`)), ...lost },
];
