import type { Socket } from "node:net";
import { close, drips, flood, hangsAfter, hangSoon, reset } from "./behaviours.ts";
import { makeCertificate } from "./certificate.ts";
import {
  badCertificate,
  type FaultRow,
  lost,
  neverSent,
  outcomes,
  rejected,
  succeeded,
  undecodable,
  unread,
} from "./expectations.ts";
import { bytes, chunked, envelope, half, head, reply } from "./replies.ts";
import type { Fault, RawServer } from "./raw-server.ts";

const certificate = makeCertificate("localhost");
const expired = makeCertificate("localhost", new Date("2021-01-01"));
const wrongHost = makeCertificate("other.example");
const onlyHttp2 = { ...certificate, ALPNProtocols: ["h2"] };
/** The certificates to trust. The one that is made in the table below is not among them. */
export const trusted: readonly string[] = [certificate, expired, wrongHost].map(({ cert }) => cert);

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
  onFetch: {
    generate: ["OutcomeUnknownError", 2, []],
    because: "it sends what is paid on used connections",
  },
});

/** The faults of a connection, and of what comes instead of a response. */
export const connectionFaults: readonly FaultRow[] = [
  // Before there is a connection.
  { name: "a port where nobody listens", isClosed: true, ...neverSent, connections: 0 },
  {
    name: "a close in the TLS handshake",
    ...inHandshake((socket) => socket.end()),
    ...neverSent,
    connections: 3,
  },
  { name: "a close before TLS", certificate, onConnection: close, ...neverSent, connections: 3 },
  {
    name: "a reset in the TLS handshake",
    ...inHandshake(reset),
    ...neverSent,
    connections: 3,
    onFetch: {
      generate: ["OutcomeUnknownError", 0],
      because: "a reset while reading does not mention TLS",
    },
  },
  {
    name: "plain HTTP instead of TLS",
    certificate,
    onConnection: (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    ...neverSent,
    connections: 3,
    onFetch: {
      generate: ["OutcomeUnknownError", 0],
      because: "it reports a bad record of an established session alike",
    },
  },
  { name: "only HTTP/2", certificate: onlyHttp2, ...neverSent, connections: 3 },
  {
    name: "a hang in the TLS handshake",
    ...inHandshake((_, server) => server.hang()),
    ...neverSent,
    connections: 3,
    onFetch: {
      generate: ["OutcomeUnknownError", 0],
      because: "fetch does not say what its time passed with",
    },
  },
  {
    name: "a self-signed certificate",
    certificate: makeCertificate("localhost"),
    ...badCertificate,
    connections: 1,
  },
  { name: "an expired certificate", certificate: expired, ...badCertificate, connections: 1 },
  {
    name: "a certificate of another host",
    certificate: wrongHost,
    ...badCertificate,
    connections: 1,
  },
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
    onConnection(socket, server) {
      socket.pause();
      hangSoon(server);
    },
    ...unread,
    connections: 1,
  },
  { name: "a reset after half of a large request", onHalf: reset, large: true, ...lost },
  { name: "a close after half of a large request", onHalf: close, large: true, ...lost },
  {
    name: "a hang after half of a large request",
    onHalf(socket, server) {
      socket.pause();
      hangSoon(server);
    },
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
  {
    name: "a response over TLS",
    certificate,
    onRequest: (socket) => void socket.end(reply()),
    ...succeeded,
  },
  { name: "garbage", ...bytes("\0\x01\xff\xfe no http at all \r\n\r\n"), ...lost },
  {
    name: "the request itself",
    onRequest: (socket, _, __, request) => void socket.end(request),
    ...lost,
  },
  { name: "a response of HTTP/2", ...bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), ...lost },
  { name: "TLS instead of plain HTTP", ...bytes(Buffer.from("15030100020246", "hex")), ...lost },
  {
    name: "two lengths",
    ...bytes(`${head}Content-Length: 5\r\nContent-Length: 50\r\n\r\n${envelope}`),
    ...lost,
  },
  {
    name: "a head of 64 KiB",
    ...bytes(`${head}X-Long: ${"x".repeat(65_536)}\r\n\r\n${envelope}`),
    ...lost,
  },
  {
    name: "a head without an end",
    onRequest(socket) {
      socket.write(head);
      flood(socket, Buffer.from(`X-More: ${"x".repeat(9_000)}\r\n`));
    },
    ...lost,
  },
  { name: "a hang within the headers", ...hangsAfter(`${head}Content-Len`), ...lost },
  {
    name: "a hang after the headers",
    ...hangsAfter(`${head}Content-Length: 100\r\n\r\n`),
    ...lost,
  },
  {
    name: "a hang within the body",
    ...hangsAfter(`${head}Content-Length: 100\r\n\r\n${half}`),
    ...lost,
  },
  {
    name: "half of a body",
    ...bytes(`${head}Content-Length: ${envelope.length}\r\n\r\n${half}`),
    ...lost,
  },
  {
    name: "an envelope shorter than its length",
    ...bytes(`${head}Content-Length: 1000\r\n\r\n${envelope}`),
    ...lost,
    generate: ["t-1", 1],
  },
  {
    name: "a hang behind an envelope",
    ...hangsAfter(`${head}Content-Length: 1000\r\n\r\n${envelope}`),
    ...lost,
    generate: ["t-1", 1],
  },
  {
    name: "a reset behind an envelope",
    onRequest: (socket) =>
      void socket.write(`${head}Content-Length: 1000\r\n\r\n${envelope}`, () =>
        setTimeout(reset, 5, socket),
      ),
    ...lost,
    generate: ["t-1", 1],
  },
  {
    name: "a rejection behind which it breaks off",
    ...bytes(`${head}Content-Length: 1000\r\n\r\n{"code":9999,"msg":"no"}`),
    ...lost,
  },
  {
    name: "no last chunk",
    ...bytes(`${chunked}${envelope.length.toString(16)}\r\n${envelope}\r\n`),
    ...lost,
    generate: ["t-1", 1],
  },
  {
    name: "the request itself as a chunk",
    onRequest: (socket, _, __, request) => void socket.end(chunked + request),
    ...lost,
  },
  {
    name: "a reset within the body",
    onRequest: (socket) =>
      void socket.write(`${head}Content-Length: 100\r\n\r\n${half}`, () =>
        setTimeout(reset, 5, socket),
      ),
    ...lost,
  },
  {
    name: "a body without an end",
    onRequest(socket) {
      socket.write(`${head}\r\n`);
      flood(socket, Buffer.alloc(65_536, " "));
    },
    ...undecodable,
  },
  {
    name: "a body that drips",
    ...drips(`${head}\r\n`, " ".repeat(500)),
    ...lost,
    download: ["file", 1],
  },
  {
    name: "headers that drip without an end",
    ...drips(head, "X-More: 1\r\n".repeat(10_000)),
    ...lost,
  },
];
