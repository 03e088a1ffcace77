import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import https from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  blobs,
  ConnectionError,
  createMediaGen,
  InvalidRequestError,
  type MediaGenEvent,
  type NodeMediaGenOptions,
  OutcomeUnknownError,
  ServiceError,
} from "@mediagen/sdk/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { makeCertificate } from "../faults/certificate.ts";
import { type Fault, startRawServer } from "../faults/raw-server.ts";
import { shown } from "../shown.ts";
import { addresses, leadNamesHere } from "./names-here.ts";
import { startProxy, startService, type Proxy, type ProxyBehavior, type Service } from "./proxy-server.ts";

leadNamesHere();
const ofExample = makeCertificate("*.example.com");
const ofProxy = makeCertificate("localhost");
const other = makeCertificate("localhost");
const ca = [ofExample.cert, ofProxy.cert];
const schemes = ["http", "https"] as const;
type Scheme = (typeof schemes)[number];
const secret = "p@ss:word%";
const credentials = `user:${encodeURIComponent(secret)}`;
const basic = `Basic ${Buffer.from(`user:${secret}`).toString("base64")}`;
const result = randomBytes(3_000_000);
const form = { prompt: "A fox" };

const trusted = getCACertificates("default");
beforeAll(() => setDefaultCACertificates([...trusted, ...ca]));
afterAll(() => setDefaultCACertificates(trusted));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  addresses.clear();
});

/** A service whose names lead to this machine, and its results to a public address, as long as no proxy resolves them. */
function serviceBehind(resultHost = "results.example.com") {
  addresses.set("results.example.com", "93.184.216.34");
  return startService(`https://${resultHost}:PORT/1.png`, result, ofExample);
}
const proxyOf = (scheme: Scheme, behavior: ProxyBehavior = {}) =>
  startProxy({ ...(scheme === "https" && { certificate: ofProxy }), ...behavior });
const withCredentials = ({ url }: Pick<Proxy, "url">) => url.replace("//", `//${credentials}@`);

function clientOf({ port }: Pick<Service, "port">, options: NodeMediaGenOptions = {}) {
  const baseUrl = `https://media.example.com:${port}`;
  return createMediaGen({ baseUrl, apiKey: "key", retries: 2, clock: { random: () => 0 }, ...options });
}

const targetsOf = ({ heads }: Proxy) => heads.map((head) => /^CONNECT (\S+):\d+ HTTP/.exec(head)?.[1]);
const thrownBy = (call: Promise<unknown>) =>
  call.then(
    () => "nothing",
    (error: unknown) => error,
  );

describe.for(schemes)("an %s proxy of the environment", (proxyScheme) => {
  test("carries generations, uploads, polls, deletions and results, with its user and password", async () => {
    await using service = await serviceBehind();
    await using proxy = await proxyOf(proxyScheme);
    vi.stubEnv("HTTPS_PROXY", withCredentials(proxy));
    const media = clientOf(service);
    const sourceImage = new Blob(["GIF89a", new Uint8Array(5_000_000)]);
    const task = await media.video.generate("vidmodelv2", { ...form, sourceImage });
    await task.wait();
    const [blob] = await blobs(task);
    expect(result.equals(new Uint8Array(await (blob as Blob).arrayBuffer()))).toBe(true);
    await media.video.delete(["t-1"]);
    expect(service.requests.map((request) => request.replace(/\d{7}$/, "5 MB"))).toEqual([
      "POST /v1/video/vidmodelv2 5 MB",
      "POST /v1/video/infobytaskid 16",
      "GET /1.png 0",
      expect.stringMatching(/^POST .*delete/i),
    ]);
    // A generation and a result each have a tunnel of their own; polls and deletions share one.
    expect(targetsOf(proxy)).toEqual(["media.example.com", "media.example.com", "results.example.com"]);
    for (const head of proxy.heads) expect(head).toContain(`\r\nproxy-authorization: ${basic}\r\n`);
  });

  test("that opens no tunnel is given up after 10 seconds, and at once if the caller aborts", async () => {
    await using service = await serviceBehind();
    await using proxy = await proxyOf(proxyScheme, { onConnect: () => undefined });
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const media = clientOf(service, { retries: 0 });
    for (const call of [() => media.video.generate("vidmodelv2", form), () => media.video.query("t-1")]) {
      const before = proxy.heads.length;
      const ended = thrownBy(call());
      await vi.waitFor(() => expect(proxy.heads).toHaveLength(before + 1));
      vi.advanceTimersByTime(10_000);
      const error = await ended;
      expect(error).toBeInstanceOf(ConnectionError);
      expect(String(error)).toMatch(/nothing was sent.*no connection within 10 seconds/);
    }
    const controller = new AbortController();
    const aborted = thrownBy(media.video.generate("vidmodelv2", form, { signal: controller.signal }));
    await vi.waitFor(() => expect(proxy.heads).toHaveLength(3));
    controller.abort("enough");
    expect(await aborted).toBe("enough");
    expect(service.requests).toEqual([]);
  });

  test("leaves a generation unknown whose response is lost, and a query is repeated", async () => {
    const loses: Fault = { onRequest: (socket) => void socket.destroy(), certificate: ofExample };
    const server = await startRawServer(loses);
    await using proxy = await proxyOf(proxyScheme);
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    const media = clientOf({ port: Number(new URL(server.baseUrl).port) });
    expect(await thrownBy(media.video.generate("vidmodelv2", form))).toBeInstanceOf(OutcomeUnknownError);
    expect([proxy.heads.length, server.heads]).toEqual([1, 1]);
    expect(await thrownBy(media.video.query("t-1"))).toBeInstanceOf(ConnectionError);
    expect([proxy.heads.length, server.heads]).toEqual([4, 4]);
    await server.close();
  });
});

describe("nothing was sent, and a generation is retried, if a proxy", () => {
  const answers = (text: string) => (socket: Socket) => void socket.end(text);
  test.for<readonly [string, ProxyBehavior, RegExp]>([
    ["fails with HTTP 502", { onConnect: answers("HTTP/1.1 502 Bad Gateway\r\n\r\n") }, /502 Bad Gateway/],
    ["fails with HTTP 503", { onConnect: answers("HTTP/1.0 503 No\r\n\r\n<html>") }, /503/],
    ["limits its rate", { onConnect: answers("HTTP/1.1 429 Too Many\r\n\r\n") }, /429/],
    ["closes", { onConnect: (socket) => void socket.end() }, /tunnel ended unexpectedly/],
    ["resets", { onConnect: (_, reset) => reset() }, /ECONNRESET/],
    ["cuts its reply", { onConnect: answers("HTTP/1.1 200 OK\r\nx") }, /tunnel ended unexpectedly/],
    ["cuts the tunnel while TLS is agreed on", { onData: (socket) => void socket.destroy() }, /nothing was sent/],
    [
      "sends no TLS through the tunnel",
      { onData: (socket) => void socket.write("HTTP/1.1 400 No\r\n\r\n") },
      /nothing was sent/,
    ],
  ])("%s", async ([, behavior, says]) => {
    await expectNeverSent(behavior, says, 3);
  });

  test("is not there", async () => {
    await expectConnectionError({ port: 443 }, `http://${credentials}@127.0.0.1:1`, /ECONNREFUSED/, 2);
  });
});

describe("a rejection is final if a proxy", () => {
  const answers = (status: string) => (socket: Socket) =>
    void socket.end(`HTTP/1.1 ${status}\r\nProxy-Authenticate: Basic\r\nX: ${basic} ${secret}\r\n\r\n${secret}`);

  test.for([
    "403 Forbidden",
    "405 Method Not Allowed",
    "401 Unauthorized",
    "302 Found",
    "407 Proxy Authentication Required",
  ])("responds with HTTP %s", async (status) => {
    await expectNeverSent({ onConnect: answers(status) }, new RegExp(`via http.*: HTTP/1.1 ${status}`), 1);
  });

  test("has a certificate that is not trusted", async () => {
    await using proxy = await startProxy({ certificate: other });
    await expectConnectionError({ port: 443 }, withCredentials(proxy), /nothing was sent.*certificate/, 0);
  });

  test("leads to a certificate that is not trusted", async () => {
    await using service = await startService("https://results.example.com:PORT/1.png", result, other);
    await using proxy = await startProxy();
    await expectConnectionError(service, withCredentials(proxy), /nothing was sent.*certificate/, 0);
    expect([service.requests, proxy.heads.length]).toEqual([[], 1]);
  });
});

/** A generation ends with a ConnectionError after so many connections, through an http and an https proxy, and the service sees nothing. */
async function expectNeverSent(behavior: ProxyBehavior, says: RegExp, connections: number): Promise<void> {
  await using service = await serviceBehind();
  for (const proxyScheme of schemes) {
    await using proxy = await proxyOf(proxyScheme, behavior);
    await expectConnectionError(service, withCredentials(proxy), says, connections - 1);
    expect(proxy.heads, proxyScheme).toHaveLength(connections);
    expect(service.requests).toEqual([]);
    await expect.poll(() => proxy.open, { interval: 5 }).toBe(0);
  }
}

/** A generation ends with a ConnectionError after so many retries, and neither that nor an event shows the proxy's password. */
async function expectConnectionError(
  service: Pick<Service, "port">,
  proxy: string,
  says: RegExp,
  retries: number,
): Promise<void> {
  const events: MediaGenEvent[] = [];
  vi.stubEnv("HTTPS_PROXY", proxy);
  const media = clientOf(service, { onEvent: (event) => void events.push(event) });
  const error = await thrownBy(media.video.generate("vidmodelv2", form));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(String(error)).toMatch(says);
  expect(String(error)).toContain("nothing was sent");
  expect(String(error).includes("safe to retry")).toBe(retries > 0);
  expect(events.map(({ type }) => type)).toEqual([...Array<string>(retries).fill("retried"), "failed"]);
  const all = [error, media, ...events].map((one) => shown(one)).join("\n");
  for (const text of [secret, encodeURIComponent(secret), basic]) expect(all).not.toContain(text);
}

describe("the environment", () => {
  test.for(["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])("names the proxy with %s", async (name) => {
    await using service = await serviceBehind();
    await using proxy = await startProxy();
    await using unused = await startProxy();
    vi.stubEnv("ALL_PROXY", unused.url);
    vi.stubEnv(name, proxy.url.replace("http://", ""));
    await clientOf(service).video.query("t-1");
    expect([proxy.heads.length, unused.heads.length]).toEqual([1, 0]);
  });

  test("names the proxy of an http service, which reads the request", async () => {
    const seen: (string | undefined)[] = [];
    const proxy = createServer((request, response) => {
      seen.push(request.url, request.headers["proxy-authorization"]);
      request
        .resume()
        .once("end", () => response.end(JSON.stringify({ code: 1000, data: { taskid: "t-1", url: [] } })));
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    vi.stubEnv("HTTP_PROXY", `http://${credentials}@127.0.0.1:${(proxy.address() as AddressInfo).port}`);
    const media = createMediaGen({ baseUrl: "http://media.example.com", allowHttp: true, apiKey: "key" });
    expect((await media.video.generate("vidmodelv2", form)).taskid).toBe("t-1");
    expect(seen).toEqual(["http://media.example.com/v1/video/vidmodelv2", basic]);
    proxy.close();
    proxy.closeAllConnections();
  });

  test("leads to this machine through no proxy", async () => {
    await using service = await startService("http://localhost:PORT/1.png", result);
    for (const name of ["HTTP_PROXY", "HTTPS_PROXY"]) vi.stubEnv(name, "http://127.0.0.1:1");
    const media = createMediaGen({ baseUrl: `http://localhost:${service.port}`, apiKey: "key" });
    expect(await blobs(media.video.task("t-1"))).toHaveLength(1);
  });

  test("is not used for what NO_PROXY contains, and not with an agent", async () => {
    await using proxy = await startProxy({ onConnect: (socket) => void socket.end("HTTP/1.1 403 No\r\n\r\n") });
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    const query = (options: NodeMediaGenOptions = {}) =>
      thrownBy(clientOf({ port: 1 }, { retries: 0, ...options }).video.query("t-1"));
    for (const exception of ["*", "media.example.com", ".example.com", "*.example.com", "a.example,example.com:2"]) {
      vi.stubEnv("no_proxy", exception);
      expect(String(await query()), exception).toMatch(/nothing was sent.*ECONNREFUSED/);
    }
    vi.stubEnv("no_proxy", "");
    expect(String(await query({ agent: new https.Agent() }))).toMatch(/ECONNREFUSED/);
    expect(proxy.heads).toEqual([]);
    for (const exception of ["example.org, not-media.example.com", "media", ""]) {
      vi.stubEnv("no_proxy", exception);
      await query();
    }
    expect(targetsOf(proxy)).toEqual(Array(3).fill("media.example.com"));
  });

  test.for([
    ["ALL_PROXY", `socks5://user:${secret}@proxy:1080`],
    ["HTTPS_PROXY", `http://user:${secret}@pro xy`],
    ["https_proxy", "http://user:100%@proxy"],
    ["HTTPS_PROXY", `http://user:1#${secret}@proxy`],
    ["HTTPS_PROXY", `http://user:1?${secret}@proxy`],
    ["HTTPS_PROXY", "http://proxy:3128/path"],
  ] as const)("is rejected if %s is %s, which Node cannot use", ([name, value]) => expectRejected(name, value));

  test("is rejected on a Node without proxyEnv", () => {
    const flags = process.allowedNodeEnvironmentFlags;
    vi.spyOn(process, "allowedNodeEnvironmentFlags", "get").mockReturnValue(
      new Set([...flags].filter((flag) => flag !== "--use-env-proxy")),
    );
    expectRejected("HTTPS_PROXY", `http://user:${encodeURIComponent(secret)}@proxy`);
    vi.restoreAllMocks();
  });

  /** Creating a client is rejected, with the way out, unless no request of its own would use the proxy. */
  function expectRejected(name: string, value: string): void {
    vi.stubEnv(name, value);
    const baseUrl = "https://media.example.com";
    let error: unknown;
    try {
      createMediaGen({ baseUrl });
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).toContain(`${name.toUpperCase()} names a proxy that this version of Node cannot use`);
    for (const way of ["new ProxyAgent()", "proxy-agent", "NO_PROXY"]) expect(String(error)).toContain(way);
    expect(shown(error)).not.toContain(secret);
    for (const options of [{ agent: new https.Agent() }, { fetch }, { baseUrl: "http://localhost" }])
      expect(() => createMediaGen({ baseUrl, ...options })).not.toThrow();
  }
});

test("a tunnel carries many queries, one after the other, without a warning", async () => {
  await using service = await serviceBehind();
  await using proxy = await startProxy();
  vi.stubEnv("HTTPS_PROXY", proxy.url);
  const warnings: unknown[] = [];
  const warn = (warning: unknown) => void warnings.push(warning);
  process.on("warning", warn);
  const media = clientOf(service);
  for (let number = 0; number < 30; number++) await media.video.query("t-1");
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", warn);
  expect([warnings, proxy.heads.length]).toEqual([[], 1]);
});

test.for(["127.0.0.1", "10.0.0.1", "[::1]", "localhost", "a.localhost", "private.example.com"])(
  "a result at %s is rejected before its proxy connects",
  async (host) => {
    addresses.set("private.example.com", "10.0.0.1");
    await using service = await serviceBehind(host);
    await using proxy = await startProxy();
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    const error = await thrownBy(blobs(clientOf(service).video.task("t-1")));
    expect(error).toBeInstanceOf(ServiceError);
    expect(String(error)).toContain("leads to this machine or into a private network");
    expect(targetsOf(proxy)).toEqual(["media.example.com"]);
  },
);
