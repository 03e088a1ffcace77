import { brotliCompressSync, gzipSync } from "node:zlib";
import { drip } from "./behaviours.ts";
import {
  backoff,
  compressed,
  down,
  expiredLink,
  type FaultRow,
  limited,
  lost,
  now,
  outcomes,
  pausing,
  redirected,
  rejected,
  succeeded,
  undecodable,
  undocumented,
  unreadable,
  unusable,
} from "./expectations.ts";
import { bytes, envelope, half, head, reply, response } from "./replies.ts";
import type { Fault } from "./raw-server.ts";

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

/**
 * Retry-After in all forms, and how long the client pauses before it retries, which it does not if
 * that is undefined.
 */
const retryAfters: readonly (readonly [
  form: string,
  header: string,
  pauses: readonly number[] | undefined,
])[] = [
  ["in seconds", "3", [3_250, 3_500]],
  ["of 0", "0", backoff],
  ["of a negative number", "-1", backoff],
  ["of a fraction", "1.5", backoff],
  ["of a date", new Date(now + 3_000).toUTCString(), [3_250, 3_500]],
  ["of a past date", new Date(now - 3_000).toUTCString(), backoff],
  ["of a month", "2592000", undefined],
  ["of garbage", "soon; or \tlater", backoff],
  ["beyond all timers", "9".repeat(40), undefined],
];

/** The faults of a response. */
export const responseFaults: readonly FaultRow[] = [
  // Responses of other shapes.
  {
    name: "a response that drips byte by byte",
    onRequest: (socket) => drip(socket, reply()),
    ...succeeded,
  },
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
    // The URL is renewed once.
    download: ["ConnectionError", 4, backoff],
  },
  {
    name: "JSON that calls itself JSON",
    ...bytes(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n${envelope}`),
    ...succeeded,
    download: ["ConnectionError", 4, backoff],
  },
  {
    name: "HTML",
    ...bytes("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>Welcome to the hotel</html>"),
    ...unreadable,
    download: ["ConnectionError", 4, backoff],
  },
  { name: "JSON that is cut", ...response("200 OK", half), ...unreadable },
  { name: "JSON null", ...response("200 OK", "null"), ...unreadable },
  { name: "an unknown code", ...response("200 OK", '{"code":1234,"msg":"?"}'), ...undocumented },
  { name: "gzip", ...response("200 OK", zipped, "Content-Encoding: gzip"), ...compressed },
  {
    name: "Brotli",
    ...response("200 OK", brotliCompressSync(envelope), "Content-Encoding: br"),
    ...compressed,
  },
  {
    name: "an encoding that is not supported",
    ...response("200 OK", envelope, "Content-Encoding: compress"),
    ...undecodable,
    onFetch: {
      ...succeeded,
      download: ["ServiceError", 1],
      because: "fetch reads it as the text itself",
    },
  },
  // What servers write there, and is no compression.
  ...["utf-8", "aws-chunked", "none", "identity, binary"].map((coding) => ({
    name: `the encoding ${coding}`,
    ...response("200 OK", envelope, `Content-Encoding: ${coding}`),
    ...succeeded,
  })),
  {
    name: "429 with an empty body that calls itself gzip",
    ...response("429 Too Many Requests", "", "Content-Encoding: gzip"),
    ...limited,
  },
  {
    name: "many encodings",
    ...response("200 OK", envelope, `Content-Encoding: ${"gzip, ".repeat(1_000)}gzip`),
    ...undecodable,
    onFetch: { download: ["ConnectionError", 3], because: "fetch fails while it reads" },
  },
  {
    name: "gzip after whose end more comes",
    ...bytes(
      Buffer.concat([reply(zipped, "200 OK", "Content-Encoding: gzip"), Buffer.alloc(100_000)]),
    ),
    ...compressed,
  },
  {
    name: "gzip that is cut",
    ...response("200 OK", zipped.subarray(0, 40), "Content-Encoding: gzip"),
    ...lost,
    onFetch: {
      query: ["ServiceError", 3],
      download: ["ServiceError", 1],
      because: "fetch reads it as a short text",
    },
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
        void socket.end(
          reply("", `${status} Elsewhere`, "Connection: close", `Location: ${elsewhere}/there`),
        ),
      ...undocumented,
      onFetch: redirected,
    },
  ]),
  { name: "a redirect to nowhere", ...response("302 Found"), ...unusable, onFetch: redirected },
  { name: "300 with choices", ...response("300 Choices"), ...unusable },
  { name: "304", ...bytes("HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n"), ...unusable },
  {
    name: "201",
    ...response("201 Created", envelope),
    ...succeeded,
    download: ["ServiceError", 1],
  },
  {
    name: "206 that was not requested",
    ...response(
      "206 Partial Content",
      envelope,
      `Content-Range: bytes 0-${envelope.length - 1}/1000`,
    ),
    ...succeeded,
    download: ["ServiceError", 1],
  },
  ...["400", "413", "425", "501"].map((status) => ({
    name: status,
    ...response(`${status} No`),
    ...rejected,
  })),
  ...["401", "403", "404", "410"].map((status) => ({
    name: status,
    ...response(`${status} No`),
    ...expiredLink,
  })),
  ...["408", "409"].map((status) => ({ name: status, ...response(`${status} No`), ...unusable })),
  {
    name: "421",
    ...response("421 Misdirected Request"),
    ...rejected,
    onFetch: {
      ...outcomes(
        ["OutcomeUnknownError", 2, []],
        ["ConnectionError", 6, backoff],
        ["ServiceError", 2, []],
      ),
      because: "Node's fetch resends it by itself, with an empty body by then",
    },
  },
  { name: "429", ...response("429 Too Many Requests"), ...limited },
  ...["500", "503", "504", "599"].map((status) => ({
    name: status,
    ...response(`${status} No`),
    ...down,
  })),
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
  {
    name: "409 with a rejection",
    ...response("409 Conflict", '{"code":9999,"msg":"no"}'),
    ...rejected,
  },
  {
    name: "999",
    ...response("999 What"),
    ...lost,
    download: ["ServiceError", 3],
    onFetch: {
      query: ["ServiceError", 3],
      because: "fetch returns statuses that no Response may have",
    },
  },
  {
    name: "a rejection",
    ...response("200 OK", '{"code":9999,"msg":"no"}'),
    ...rejected,
    download: ["file", 1],
  },
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
  {
    name: "garbage with the key in it",
    ...echoes((key) => Buffer.from(`${key} ${key}\r\n\r\n`)),
    ...lost,
  },
];
