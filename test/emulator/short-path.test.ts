import { connect } from "node:net";
import { createEmulator, faultEffects, listen, type EmulatorServer, type FaultName } from "@mediagen/emulator/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRoutes } from "../../packages/emulator/src/service/routes.ts";
import { exactTestOf } from "../../packages/emulator/src/service/exact-test.ts";
import { type Schema as ValidatorSchema, Validator } from "@cfworker/json-schema";
import fc from "fast-check";

// A request that comes in one piece may take the short path. Node's own server reads one that comes in two.
const options = { clock: "manual", behaviour: { bodyLimit: 2_000, queryLatencyMs: 0 } } as const;
const [short, usual] = [createEmulator(options), createEmulator(options)];
const servers: EmulatorServer[] = [];
beforeAll(async () => void servers.push(await listen(short), await listen(usual)));
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** Sends pieces, and returns all that comes until the other side has been silent or has closed the connection. */
function talk(baseUrl: string, pieces: readonly string[], responses: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1", async () => {
      for (const piece of pieces) {
        socket.write(piece, "latin1");
        await new Promise((next) => setTimeout(next, 10));
      }
    });
    let text = "";
    const end = () => (socket.destroy(), resolve(text));
    socket.setTimeout(1_500, end);
    socket.on("error", end).on("close", end);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const heads = text.split("HTTP/1.1 ").length - 1;
      const [, length = "0"] = /content-length: (\d+)\r\n(?![^]*content-length:)/i.exec(text) ?? [];
      if (heads === responses && text.length >= text.lastIndexOf("\r\n\r\n") + Number(length)) end();
    });
  });
}

async function seen(request: string, fault?: FaultName, responses = 1) {
  const cut = Math.floor(request.length / 2);
  return Promise.all(
    [[request], [request.slice(0, cut), request.slice(cut)]].map(async (pieces, index) => {
      const emulator = index === 0 ? short : usual;
      const { baseUrl = "" } = servers[index] ?? {};
      emulator.reset();
      if (fault) emulator.next({ fault });
      const text = await talk(baseUrl, pieces, responses);
      const plain = text.replace(/date: .*\r\n/gi, "").replace(/emulator-\d+/g, "emulator-N");
      return { text: plain.replaceAll(baseUrl, "(base)"), calls: emulator.calls, snapshot: emulator.snapshot() };
    }),
  );
}

const queryPath = "/v1/video/infobytaskid";
const headers = { Host: "localhost", Authorization: "emulator-key", "Content-Type": "application/json" };
const requestOf = (body: string, more: Readonly<Record<string, string>> = {}, path = queryPath, method = "POST") => {
  const all = Object.entries({ ...headers, "Content-Length": String(body.length), ...more });
  return `${method} ${path} HTTP/1.1\r\n${all.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
};
const query = '{"taskid":"t-0"}';
const form = '--b\r\nContent-Disposition: form-data; name="prompt"\r\n\r\nA fox\r\n--b--\r\n';
const type = { "Content-Type": "multipart/form-data; boundary=b" };

const requests: Readonly<Record<string, string>> = {
  "a query": requestOf(query),
  "a generation": requestOf(form, type, "/v1/video/vidmodelv2"),
  "a body of odd bytes": requestOf('{"taskid":"\xff\0"}'),
  "an empty body": requestOf(""),
  "a body beyond the limit": requestOf("x".repeat(3_000)),
  "a key with spaces at its end": requestOf(query, { Authorization: "emulator-key  " }),
  "a wrong key": requestOf(query, { Authorization: "other" }),
  "no key": requestOf(query).replace("Authorization: emulator-key\r\n", ""),
  "two keys": requestOf(query, { authorization: "emulator-key" }),
  "no host": requestOf(query).replace("Host: localhost\r\n", ""),
  "an empty host": requestOf(query, { Host: "" }),
  "an odd host": requestOf(query, { Host: "a b" }),
  "another host": requestOf(query, { Host: "example.com:8080" }),
  "a host in capitals": requestOf(query, { Host: "LOCALHOST" }),
  "a forwarded host": requestOf(query, { "X-Forwarded-Host": "example.com" }),
  "two lengths": requestOf(query, { "content-length": "3" }),
  "a length that is none": requestOf(query, { "Content-Length": "x" }),
  "a negative length": requestOf(query, { "Content-Length": "-1" }),
  chunks: requestOf("5\r\nhello\r\n0\r\n\r\n", { "Transfer-Encoding": "chunked" }).replace(/Content-Length.*\r\n/, ""),
  "a length and chunks": requestOf("0\r\n\r\n", { "Transfer-Encoding": "chunked" }),
  "an end of the connection": requestOf(query, { Connection: "close" }),
  "a connection that is kept": requestOf(query, { Connection: "keep-alive" }),
  "HTTP/1.0": requestOf(query).replace("HTTP/1.1", "HTTP/1.0"),
  GET: requestOf("", {}, queryPath, "GET"),
  PUT: requestOf(query, {}, queryPath, "PUT"),
  "a path that is none": requestOf(query, {}, "/v1/none"),
  "two slashes": requestOf(query, {}, `/${queryPath}`),
  "an encoded path": requestOf(query, {}, queryPath.replace("v1", "%761")),
  "a query string": requestOf(query, {}, `${queryPath}?a=b`),
  "a complete URL": requestOf(query, {}, `http://other.test${queryPath}`),
  "a header in several lines": requestOf(query, { "X-Long": "a\r\n b" }),
  "a header without a colon": requestOf(query).replace("Host:", "Odd\r\nHost:"),
  "a header with a space before its colon": requestOf(query).replace("Host:", "Host :"),
  "a header with odd bytes": requestOf(query, { "User-Agent": "\xe9\x01" }),
  "expecting to continue": requestOf(query, { Expect: "100-continue" }),
  "line feeds alone": requestOf(query).replaceAll("\r\n", "\n"),
  "no HTTP": "hello\r\n\r\n",
  "the control API": requestOf('{"credits":5}', {}, "/_emulator/credits"),
  "the control API of another host": requestOf('{"credits":5}', { Host: "evil.test" }, "/_emulator/credits"),
  "the control API without a slash": requestOf("{}", {}, "/_emulator"),
};

describe("a request gets the same response on the short path and through node:http", () => {
  test.for(Object.entries(requests))("%s", async ([, request]) => {
    const [one, other] = await seen(request);
    expect(one).toEqual(other);
  });

  // The casts: Object.keys forgets which keys there are.
  const faults = (Object.keys(faultEffects) as FaultName[]).filter((name) => !/^(link|download|taskF)|hang/.test(name));
  test.for(faults)("the fault %s", async (fault) => {
    const [one, other] = await seen(requestOf(query), fault);
    expect(one).toEqual(other);
  });

  test("three in one piece, one of which needs node:http, are answered in order", async () => {
    const three = requestOf(query) + requestOf("", {}, "/v1/none", "GET") + requestOf('{"taskid":"t-1"}');
    const [one, other] = await seen(three, undefined, 3);
    expect(one).toEqual(other);
    expect(one?.calls).toHaveLength(3);
  });
});

test("the fast test of a schema decides as the validator does", () => {
  const odd = fc.oneof(
    ...[fc.string(), fc.integer(), fc.double(), fc.boolean(), fc.constant(null), fc.array(fc.string()), fc.object()],
    fc.constantFrom(5, 10, "16:9", "1", "https://a", "x".repeat(9_000), Infinity, Number.NaN, 3_600, "1024x1024"),
  );
  let [valid, invalid] = [0, 0];
  for (const { body, response, data, operation } of readRoutes().values()) {
    for (const schema of [body, response, data]) {
      const exact = exactTestOf(schema);
      if (!exact) {
        expect(operation).toBe("generateImgmodelv45"); // x-total-pixels is no keyword of JSON Schema
        continue;
      }
      // The cast: the validator's type of a schema has fewer keywords than the validator reads.
      const validator = new Validator(schema as ValidatorSchema, "2020-12", false);
      const names = Object.keys((schema.oneOf?.[0] ?? schema).properties ?? { a: {} });
      const envelope = fc.record(
        { code: fc.constantFrom(1000, 9999, 9000, 1), msg: odd, data: odd },
        { requiredKeys: [] },
      );
      const fields = (maxKeys: number) => fc.dictionary(fc.constantFrom(...names), odd, { maxKeys });
      const form = fields(1).map((some) => ({ ...some, prompt: "A fox" }));
      const value = fc.oneof(odd, fields(4), form, envelope);
      const property = fc.property(value, (one) => {
        const expected = validator.validate(one).valid;
        expected ? valid++ : invalid++;
        return exact(one) === expected;
      });
      fc.assert(property, { numRuns: 150, seed: 1 });
    }
  }
  expect(Math.min(valid, invalid)).toBeGreaterThan(200);
});
