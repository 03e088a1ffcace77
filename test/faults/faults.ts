import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { makeCertificate } from "./certificate.ts";
import type { Fault } from "./raw-server.ts";

/** What a call comes to, and how many requests the server has seen by then: an error's name, or "t-1" for an answer. */
export type Expected = readonly [outcome: string, heads: number];

/** A fault, and what comes of it, with two retries allowed. */
export interface FaultRow extends Fault {
  readonly name: string;
  readonly generate: Expected;
  readonly query: Expected;
  /** What differs on global fetch, which sees less and follows its own mind. */
  readonly onFetch?: { readonly generate?: Expected; readonly query?: Expected; readonly because: string };
  /** Connections that a generation may take, where that is not one for each request. */
  readonly connections?: number;
  /** Whether the form carries a file of some megabytes: only on node:http, for under it fetch can end the process. */
  readonly large?: boolean;
}

type Outcomes = Pick<FaultRow, "generate" | "query">;

const neverSent: Outcomes = { generate: ["ConnectionError", 0], query: ["ConnectionError", 0] };
const unread: Outcomes = { generate: ["OutcomeUnknownError", 0], query: ["ConnectionError", 0] };
const lost: Outcomes = { generate: ["OutcomeUnknownError", 1], query: ["ConnectionError", 3] };
const unreadable: Outcomes = { generate: ["OutcomeUnknownError", 1], query: ["ServiceError", 1] };
const refused: Outcomes = { generate: ["ServiceError", 1], query: ["ServiceError", 1] };
const answered: Outcomes = { generate: ["t-1", 1], query: ["t-1", 1] };

const valid = makeCertificate("localhost");
const expired = makeCertificate("localhost", new Date("2021-01-01"));
const wrongHost = makeCertificate("other.example");
/** The certificates to trust; the one that is made for the table below is not among them. */
export const trusted: readonly string[] = [valid, expired, wrongHost].map(({ cert }) => cert);

const envelope = JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1", url: [] } });

/** An answer as text, with its length. */
export function reply(body: string | Buffer = envelope, status = "200 OK", ...headers: readonly string[]): Buffer {
  const lines = [`HTTP/1.1 ${status}`, "Content-Type: application/json", `Content-Length: ${body.length}`, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), Buffer.from(body as string)]);
}

/** Answers a whole request with these bytes and closes. */
const withBytes = (bytes: string | Buffer): Fault => ({ onRequest: (socket) => void socket.end(bytes) });
/** Answers a whole request with a body and a status. */
const withReply = (...given: Parameters<typeof reply>): Fault => withBytes(reply(given[0], given[1], "Connection: close", ...given.slice(2) as string[]));
/** Answers a whole request with these bytes and then does nothing more. */
const hangsAfter = (bytes: string): Fault => ({
  onRequest: (socket, server) => void socket.write(bytes, () => setTimeout(server.hang, 5)),
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

/** Every fault of the connection and of the answer, and what becomes of a generation and a query. */
export const faults: readonly FaultRow[] = [
  // Before the connection stands.
  { name: "a server that closes while TLS is agreed on", certificate: valid, onConnection: (socket) => void socket.once("data", () => socket.end()), ...neverSent, connections: 3 },
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
    onFetch: { generate: ["OutcomeUnknownError", 0], because: "fetch's error does not say when it arose" },
  },
  {
    name: "a server that hangs while TLS is agreed on",
    certificate: valid,
    onConnection: (socket, server) => void socket.once("data", server.hang),
    ...neverSent,
    connections: 3,
    onFetch: { generate: ["OutcomeUnknownError", 0], because: "fetch does not say what it was at when its time was over" },
  },
  { name: "a certificate nobody vouches for", certificate: makeCertificate("localhost"), ...neverSent, connections: 1 },
  { name: "an expired certificate", certificate: expired, ...neverSent, connections: 1 },
  { name: "a certificate of another host", certificate: wrongHost, ...neverSent, connections: 1 },
  // While the request is sent.
  { name: "a server that closes before it reads", onConnection: close, ...unread, connections: 1 },
  { name: "a server that resets before it reads", onConnection: (socket) => void setTimeout(reset, 20, socket.pause()), ...unread, connections: 1 },
  { name: "a server that hangs before it reads", onConnection: (socket, server) => void setTimeout(server.hang, 20, socket.pause()), ...unread, connections: 1 },
  { name: "a reset after half of a large request", onHalf: reset, large: true, ...lost },
  { name: "a close after half of a large request", onHalf: close, large: true, ...lost },
  { name: "a hang after half of a large request", onHalf: (socket, server) => void (socket.pause(), setTimeout(server.hang, 20)), large: true, ...lost },
  { name: "an answer before a large request has left", onHalf: (socket) => void socket.end(reply()), large: true, ...answered },
  { name: "a refusal before a large request has left", onHalf: (socket) => void socket.end(reply("too large", "413 Payload Too Large")), large: true, ...refused },
  // Instead of an answer.
  { name: "a reset after the request", onRequest: reset, ...lost },
  { name: "a close after the request", onRequest: close, ...lost },
  { name: "an end after the request", onRequest: (socket) => void socket.end(), ...lost },
  { name: "a hang after the request", onRequest: (_, server) => server.hang(), ...lost },
  { name: "a request over TLS that is lost", certificate: valid, onRequest: close, ...lost },
  { name: "an answer over TLS", certificate: valid, onRequest: (socket) => void socket.end(reply()), ...answered },
  { name: "half of a status line", ...withBytes("HTTP/1.1 2"), ...lost },
  { name: "half of the headers", ...withBytes(`${head}Content-Len`), ...lost },
  { name: "garbage", ...withBytes("\0\x01\xff\xfe no http at all \r\n\r\n"), ...lost },
  { name: "the request itself", onRequest: (socket, _, __, request) => void socket.end(request), ...lost },
  { name: "an answer of HTTP/2", ...withBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ...lost },
  { name: "two lengths", ...withBytes(`${head}Content-Length: 5\r\nContent-Length: 50\r\n\r\n${envelope}`), ...lost },
  { name: "a head of 64 KiB", ...withBytes(`${head}X-Long: ${"x".repeat(65_536)}\r\n\r\n${envelope}`), ...lost },
  { name: "a head without an end", onRequest: (socket) => (socket.write(head), flood(socket, Buffer.from(`X-More: ${"x".repeat(100)}\r\n`.repeat(100)))), ...lost },
  { name: "a hang within the status line", ...hangsAfter("HTTP/1.1 2"), ...lost },
  { name: "a hang within the headers", ...hangsAfter(`${head}Content-Len`), ...lost },
  { name: "a hang after the headers", ...hangsAfter(`${head}Content-Length: 100\r\n\r\n`), ...lost },
  { name: "a hang within the body", ...hangsAfter(`${head}Content-Length: 100\r\n\r\n${half}`), ...lost },
  { name: "a body shorter than its length", ...withBytes(`${head}Content-Length: ${envelope.length}\r\n\r\n${half}`), ...lost },
  { name: "a whole envelope shorter than its length", ...withBytes(`${head}Content-Length: 1000\r\n\r\n${envelope}`), ...lost },
  { name: "a chunk that is cut", ...withBytes(`${head}Transfer-Encoding: chunked\r\n\r\n${envelope.length.toString(16)}\r\n${half}`), ...lost },
  { name: "chunks without the last", ...withBytes(`${head}Transfer-Encoding: chunked\r\n\r\n${envelope.length.toString(16)}\r\n${envelope}\r\n`), ...lost },
  { name: "the request itself for a chunk", onRequest: (socket, _, __, request) => void socket.end(`${head}Transfer-Encoding: chunked\r\n\r\n${request}`), ...lost },
  { name: "a reset within the body", onRequest: (socket) => void socket.write(`${head}Content-Length: 100\r\n\r\n${half}`, () => setTimeout(reset, 5, socket)), ...lost },
  { name: "a body without an end", onRequest: (socket) => (socket.write(`${head}\r\n`), flood(socket, Buffer.alloc(65_536, " "))), ...lost },
  // Answers of other shapes.
  { name: "an answer that drips byte by byte", onRequest: (socket) => drip(socket, reply()), ...answered },
  { name: "an answer without a length that ends with its connection", ...withBytes(`${head}Connection: close\r\n\r\n${envelope}`), ...answered },
  { name: "an answer after 100, 102 and 103", ...withBytes(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${reply().toString()}`), ...answered,
    onFetch: { generate: ["OutcomeUnknownError", 1], query: ["ConnectionError", 3], because: "undici refuses a 100 that it did not ask for" } },
  { name: "a switch of protocols", ...withBytes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"), ...lost },
  { name: "an empty answer", ...withReply(""), ...unreadable },
  { name: "204", ...withBytes("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"), ...unreadable },
  { name: "HTML", ...withReply("<html>Welcome to the hotel</html>"), ...unreadable },
  { name: "JSON that is cut", ...withReply(half), ...unreadable },
  { name: "JSON null", ...withReply("null"), ...unreadable },
  { name: "a list", ...withReply("[]"), ...unreadable },
  { name: "an unknown code", ...withReply('{"code":1234,"msg":"?"}'), ...unreadable },
  { name: "gzip", ...withReply(zipped, "200 OK", "Content-Encoding: gzip"), ...lost, onFetch: { ...answered, because: "fetch inflates unasked" } },
  { name: "gzip that is cut", ...withReply(zipped.subarray(0, 40), "200 OK", "Content-Encoding: gzip"), ...lost, onFetch: { query: ["ServiceError", 1], because: "fetch takes it for a short text" } },
  { name: "gzip that does not say so", ...withReply(zipped), ...unreadable },
  { name: "two answers at once", ...withBytes(Buffer.concat([reply(), reply()])), ...answered },
  // Statuses.
  ...[301, 302, 303, 307, 308].map((status): FaultRow => ({
    name: `redirect ${status}`,
    ...withReply("", `${status} Elsewhere`, "Location: /elsewhere"),
    ...unreadable,
    onFetch: { query: ["ConnectionError", 3], because: "fetch, told to follow none, gives a redirect as a failure" },
  })),
  { name: "304", ...withBytes("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"), ...unreadable },
  { name: "401", ...withReply("", "401 Unauthorized"), ...refused },
  { name: "404 in HTML", ...withReply("<html></html>", "404 Not Found"), ...refused },
  { name: "408", ...withReply("", "408 Request Timeout"), ...unreadable },
  { name: "429", ...withReply("", "429 Too Many Requests"), generate: ["ServiceError", 3], query: ["ServiceError", 3] },
  { name: "429 with Retry-After", ...withReply("", "429 Too Many Requests", "Retry-After: 0"), generate: ["ServiceError", 3], query: ["ServiceError", 3] },
  { name: "429 with a Retry-After of a month", ...withReply("", "429 Too Many Requests", "Retry-After: 2592000"), ...refused },
  { name: "500", ...withReply("", "500 Internal Server Error"), generate: ["OutcomeUnknownError", 1], query: ["ServiceError", 3] },
  { name: "500 with a success in it", ...withReply(envelope, "500 Internal Server Error"), generate: ["OutcomeUnknownError", 1], query: ["ServiceError", 1] },
  { name: "503 with Retry-After", ...withReply("", "503 Unavailable", "Retry-After: 0"), generate: ["OutcomeUnknownError", 1], query: ["ServiceError", 3] },
  { name: "599", ...withReply("", "599 What"), generate: ["OutcomeUnknownError", 1], query: ["ServiceError", 3] },
  { name: "999", ...withReply("", "999 What"), ...lost, onFetch: { query: ["ServiceError", 3], because: "fetch hands over statuses that no Response may have" } },
  { name: "a refusal in an envelope", ...withReply('{"code":9999,"msg":"no"}'), ...refused },
  { name: "credits that are out", ...withReply('{"code":9000,"msg":"no"}'), generate: ["InsufficientCreditsError", 1], query: ["InsufficientCreditsError", 1] },
];
