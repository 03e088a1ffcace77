import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import {
  createEmulator,
  listen,
  type EmulatorServer,
  type ListenOptions,
} from "@mediagen/emulator/node";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { kinds } from "../contract/cases.ts";

/** Sends a request whose target and headers stay as they are. */
async function send(
  { baseUrl }: EmulatorServer,
  path: string,
  headers: Record<string, string>,
  form?: string,
) {
  const { port } = new URL(baseUrl);
  const method = form === undefined ? "GET" : "POST";
  const sent = request({
    host: "127.0.0.1",
    port,
    path,
    method,
    headers,
    setHost: !("Host" in headers),
  }).end(form);
  // The cast: the event has this argument.
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

describe("a result's URL begins", () => {
  const [, image] = kinds;
  /**
   * Generates with a target and headers as they are, and returns the URL of the result, or the
   * status of the rejection.
   */
  async function generate(
    headers: Record<string, string>,
    target = "",
    options: ListenOptions = {},
  ) {
    const server = await listen(createEmulator(), options);
    onTestFinished(() => server.close());
    const path = image?.generate.get("imgmodelz")?.path ?? "";
    const form = "--b\r\nContent-Disposition: form-data; name=prompt\r\n\r\nA fox\r\n--b--\r\n";
    const all = {
      authorization: "emulator-key",
      "content-type": "multipart/form-data; boundary=b",
      ...headers,
    };
    const { status, body } = await send(server, target + path, all, form);
    const { data } = status === 200 ? (JSON.parse(body) as { data: { url: string } }) : {};
    return data?.url.split("/_emulator/")[0] ?? status;
  }

  const below = (publicUrl: string): ListenOptions => ({ publicUrl });
  test.for<[string, string | number, Record<string, string>, string?, ListenOptions?]>([
    ["with the Host header", "http://emulator:8080", { host: "emulator:8080" }],
    ["with an absolute target", "http://media.test", { host: "localhost" }, "http://media.test"],
    [
      "with one of a TLS proxy",
      "https://media.test:8443",
      { host: "localhost" },
      "HTTPS://media.test:8443",
    ],
    [
      "with the protocol of a TLS proxy",
      "https://media.test",
      { host: "media.test", "x-forwarded-proto": "https" },
    ],
    [
      "with the prefix that a proxy has removed, and the first of several hosts",
      "http://media.test/a",
      { "x-forwarded-host": "media.test, inner", "x-forwarded-prefix": "/a" },
    ],
    [
      "with a public URL, whose path the proxy has removed",
      "https://m.test/a",
      {},
      "",
      below("https://m.test/a"),
    ],
    [
      "with the public URL",
      "https://m.test/a",
      { "x-forwarded-host": "x.test" },
      "/a",
      below("https://m.test/a/"),
    ],
    ["nowhere if the protocol is none", 400, { "x-forwarded-proto": "javascript" }],
    ["nowhere if the host is none", 400, { "x-forwarded-host": "localhost/@media.test" }],
    ["nowhere if the prefix is none", 400, { "x-forwarded-prefix": ".media.test/" }],
    ["nowhere if the path is not below the public URL", 404, {}, "/b", below("https://m.test/a")],
  ])("%s", async ([, expected, headers, target, options]) => {
    expect(await generate(headers, target, options)).toBe(expected);
  });
});

const emulator = createEmulator({ clock: "manual" });
let server: EmulatorServer;
beforeAll(async () => void (server = await listen(emulator)));
afterAll(() => server.close());

describe("a request over HTTP with", () => {
  test.for([
    ["a page of another name", "/_emulator/state", { Host: "evil.example" }, 400],
    ["a name that begins with one", "/_emulator/state", { Host: "127.0.0.1.evil.example" }, 400],
    [
      "another name that says it is this machine",
      "/_emulator/state",
      { Host: "evil.example", "X-Forwarded-Host": "localhost" },
      400,
    ],
    [
      "another name as the target",
      "http://evil.example/_emulator/state",
      { Host: "localhost" },
      400,
    ],
    [
      "another name for results, which any page may read",
      "/_emulator/results/t/1.png",
      { Host: "media.example" },
      404,
    ],
    [
      "an address of another machine, which no DNS leads here",
      "/_emulator/state",
      { Host: "192.0.2.1:80" },
      200,
    ],
    ["an address of IP version 6", "/_emulator/state", { Host: "[::1]:80" }, 200],
    ["a name that is none", "/v1/video/infobytaskid", { Host: "a b" }, 400],
    ["a way out of the results", "/_emulator/results/../../../etc/passwd", {}, 404],
    ["this machine by its name", "/_emulator/state", { Host: "localhost" }, 200],
  ] as const)("%s", async ([, path, headers, status]) => {
    expect(await send(server, path, headers)).toHaveProperty("status", status);
  });

  test("a page of another origin may request ranges and send the key, and may not use the control API", async () => {
    const preflight = (path: string) =>
      fetch(server.baseUrl + path, {
        method: "OPTIONS",
        headers: { origin: "https://app.example" },
      });
    for (const path of ["/_emulator/results/t/1.png", "/v1/video/infobytaskid"]) {
      const response = await preflight(path);
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([
        204,
        "*",
      ]);
      expect(response.headers.get("access-control-allow-headers")).toMatch(/authorization.*range/);
    }
    expect(
      (await preflight("/_emulator/reset")).headers.get("access-control-allow-origin"),
    ).toBeNull();
  });
});
