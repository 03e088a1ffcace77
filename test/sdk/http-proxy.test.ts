import { randomBytes } from "node:crypto";
import https from "node:https";
import type { Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  blobs,
  createMediaGen,
  type MediaGenEvent,
  type NodeMediaGenOptions,
} from "@mediagen/sdk/node";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { makeCertificate } from "../faults/certificate.ts";
import { startRawServer } from "../faults/raw-server.ts";
import { environmentProxy } from "../../packages/sdk/src/node/connect-options.ts";
import { serve } from "../serve.ts";
import { shown } from "../shown.ts";
import { errorOf } from "./fake-service.ts";
import { addresses, leadNamesHere } from "./names-here.ts";
import {
  clientAt,
  type Proxy,
  type ProxyBehavior,
  type Service,
  startProxy,
  startService,
} from "./proxy-server.ts";

leadNamesHere();
const ofExample = makeCertificate("*.example.com");
const ofProxy = makeCertificate("localhost");
const other = makeCertificate("localhost");
const schemes = ["http", "https"] as const;
type Scheme = (typeof schemes)[number];
const secret = "p@ss:word%";
const credentials = `user:${encodeURIComponent(secret)}`;
const basic = `Basic ${Buffer.from(`user:${secret}`).toString("base64")}`;
const result = randomBytes(3_000_000);
const form = { prompt: "A fox" };

const trusted = getCACertificates("default");
beforeAll(() => setDefaultCACertificates([...trusted, ofExample.cert, ofProxy.cert]));
afterAll(() => setDefaultCACertificates(trusted));
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  addresses.clear();
});

/**
 * A service whose names lead to this machine, and its results to a public address, as long as no
 * proxy resolves them.
 */
function serviceBehind(resultHost = "results.example.com") {
  addresses.set("results.example.com", "93.184.216.34");
  return startService(`https://${resultHost}:PORT/1.png`, result, ofExample);
}
const proxyOf = (scheme: Scheme, behavior: ProxyBehavior = {}) =>
  startProxy({ ...(scheme === "https" && { certificate: ofProxy }), ...behavior });
const withCredentials = ({ url }: Pick<Proxy, "url">) => url.replace("//", `//${credentials}@`);
const replies = (text: string) => (socket: Socket) => void socket.end(text);

test("without a proxy, each further connection resumes a TLS session, whether its requests are paid or not", async () => {
  await using service = await serviceBehind();
  const { video } = clientAt(service);
  await video.query("t-1");
  // One uses the connection that is open.
  await Promise.all([video.query("t-1"), video.query("t-1")]);
  for (let paid = 0; paid < 2; paid++) await video.generate("vidmodelv2", form);
  expect(service.resumed).toEqual([false, true, false, true]);
});

describe.for(schemes)("an %s proxy of the environment", (scheme) => {
  test("carries generations, uploads, polls, deletions and results, with its user and password", async () => {
    await using service = await serviceBehind();
    await using proxy = await proxyOf(scheme);
    vi.stubEnv("HTTPS_PROXY", withCredentials(proxy));
    const media = clientAt(service);
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
    // A listener for each query would print a warning at the eleventh.
    const warn = vi.fn();
    process.on("warning", warn);
    for (let number = 0; number < 12; number++) await media.video.query("t-1");
    process.off("warning", warn);
    expect(warn).not.toHaveBeenCalled();
    // A generation and a result each have a tunnel of their own; polls, queries and deletions share
    // one.
    expect(proxy.targets).toEqual([
      "media.example.com",
      "media.example.com",
      "results.example.com",
    ]);
    expect(proxy.credentials).toEqual(Array(3).fill(basic));
  });

  test("that opens no tunnel is given up after 10 seconds, and at once if the caller aborts", async () => {
    await using proxy = await proxyOf(scheme, { onConnect: () => undefined });
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { video } = clientAt({ port: 443 }, { retries: 0 });
    const controller = new AbortController();
    const { signal } = controller;
    const connected = (count: number) => expect.poll(() => proxy.targets).toHaveLength(count);
    for (const [index, call] of [
      () => video.generate("vidmodelv2", form),
      () => video.query("t-1"),
    ].entries()) {
      const late = errorOf(call());
      await connected(index + 1);
      vi.advanceTimersByTime(10_000);
      expect(String(await late)).toMatch(/ConnectionError.*nothing was sent.*within 10 seconds/);
    }
    const aborted = errorOf(video.generate("vidmodelv2", form, { signal }));
    await connected(3);
    controller.abort("enough");
    expect(await aborted).toBe("enough");
  });

  test("leaves a generation unknown whose response is lost, and a query is repeated", async () => {
    const server = await startRawServer({
      onRequest: (socket) => void socket.destroy(),
      certificate: ofExample,
    });
    await using proxy = await proxyOf(scheme);
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    const { video } = clientAt({ port: Number(new URL(server.baseUrl).port) });
    expect(await errorOf(video.generate("vidmodelv2", form))).toHaveProperty(
      "name",
      "OutcomeUnknownError",
    );
    expect([proxy.targets.length, server.heads]).toEqual([1, 1]);
    expect(await errorOf(video.query("t-1"))).toHaveProperty("name", "ConnectionError");
    expect([proxy.targets.length, server.heads]).toEqual([4, 4]);
    await server.close();
  });
});

describe("nothing was sent if a proxy", () => {
  const rejects = (status: string) =>
    replies(
      `HTTP/1.1 ${status}\r\nProxy-Authenticate: Basic\r\nX: ${basic} ${secret}\r\n\r\n${secret}`,
    );
  const noTls = (socket: Socket) => void socket.write("HTTP/1.1 400 No\r\n\r\n");

  test.for<readonly [string, retries: number, says: RegExp, ProxyBehavior]>([
    [
      "fails with HTTP 502",
      2,
      /502 Bad Gateway/,
      { onConnect: replies("HTTP/1.1 502 Bad Gateway\r\n\r\n") },
    ],
    ["fails with HTTP 503", 2, /503/, { onConnect: replies("HTTP/1.0 503 No\r\n\r\n<html>") }],
    ["limits its rate", 2, /429/, { onConnect: replies("HTTP/1.1 429 Too Many\r\n\r\n") }],
    ["closes", 2, /tunnel ended unexpectedly/, { onConnect: (socket) => void socket.end() }],
    ["resets", 2, /ECONNRESET/, { onConnect: (_, reset) => reset() }],
    [
      "cuts its reply",
      2,
      /tunnel ended unexpectedly/,
      { onConnect: replies("HTTP/1.1 200 OK\r\nx") },
    ],
    [
      "cuts the tunnel in the TLS handshake",
      2,
      /nothing was sent/,
      { onData: (socket) => void socket.destroy() },
    ],
    ["sends no TLS through the tunnel", 2, /nothing was sent/, { onData: noTls }],
    ...[
      "403 Forbidden",
      "405 Not Allowed",
      "401 Unauthorized",
      "302 Found",
      "407 Authenticate",
    ].map(
      (status) =>
        [
          `rejects with HTTP ${status}`,
          0,
          RegExp(`via http.*: HTTP/1.1 ${status}`),
          { onConnect: rejects(status) },
        ] as const,
    ),
  ])("%s; retries: %i", async ([, retries, says, behavior]) => {
    await using service = await serviceBehind();
    for (const scheme of schemes) {
      await using proxy = await proxyOf(scheme, behavior);
      await expectConnectionError(service, withCredentials(proxy), says, retries);
      expect(proxy.targets, scheme).toHaveLength(1 + retries);
      expect(service.requests).toEqual([]);
      await expect.poll(() => proxy.open, { interval: 5 }).toBe(0);
    }
  });

  test("does not exist, or it or the service has a certificate that is not trusted", async () => {
    await expectConnectionError(
      { port: 443 },
      `http://${credentials}@127.0.0.1:1`,
      /ECONNREFUSED/,
      2,
    );
    await using untrusted = await startProxy({ certificate: other });
    await expectConnectionError(
      { port: 443 },
      withCredentials(untrusted),
      /nothing was sent.*certificate/,
      0,
    );
    await using service = await startService(
      "https://results.example.com:PORT/1.png",
      result,
      other,
    );
    await using proxy = await startProxy();
    await expectConnectionError(
      service,
      withCredentials(proxy),
      /nothing was sent.*certificate/,
      0,
    );
    expect([service.requests, proxy.targets.length]).toEqual([[], 1]);
  });

  /**
   * A generation ends with a ConnectionError after so many retries, and neither that nor an event
   * shows the proxy's password.
   */
  async function expectConnectionError(
    service: Pick<Service, "port">,
    proxy: string,
    says: RegExp,
    retries: number,
  ) {
    const events: MediaGenEvent[] = [];
    vi.stubEnv("HTTPS_PROXY", proxy);
    const media = clientAt(service, { onEvent: (event) => void events.push(event) });
    const error = await errorOf(media.video.generate("vidmodelv2", form));
    expect(error).toMatchObject({
      name: "ConnectionError",
      billed: "no",
      isRetryable: retries > 0,
    });
    expect(String(error)).toMatch(says);
    expect(String(error)).toContain("nothing was sent");
    expect(events.map(({ type }) => type)).toEqual([
      ...Array<string>(retries).fill("retried"),
      "failed",
    ]);
    const all = [error, media, ...events].map((one) => shown(one)).join("\n");
    for (const text of [secret, encodeURIComponent(secret), basic]) expect(all).not.toContain(text);
  }
});

describe("the environment", () => {
  test.for(["HTTPS_PROXY", "all_proxy"])("names the proxy with %s", async (name) => {
    await using service = await serviceBehind();
    await using proxy = await startProxy();
    await using unused = await startProxy();
    vi.stubEnv("ALL_PROXY", unused.url);
    vi.stubEnv(name, proxy.url.replace("http://", ""));
    await clientAt(service).video.query("t-1");
    expect([proxy.targets.length, unused.targets.length]).toEqual([1, 0]);
  });

  test("names the proxy of an http service, which reads the request", async () => {
    const seen: (string | undefined)[] = [];
    await using proxy = await serve((request, response) => {
      seen.push(request.url, request.headers["proxy-authorization"]);
      request
        .resume()
        .once("end", () => response.end('{"code":1000,"data":{"taskid":"t-1","url":[]}}'));
    });
    vi.stubEnv("HTTP_PROXY", withCredentials({ url: proxy.baseUrl }));
    const media = createMediaGen({
      baseUrl: "http://media.example.com",
      allowHttp: true,
      apiKey: "key",
    });
    expect((await media.video.generate("vidmodelv2", form)).taskid).toBe("t-1");
    expect(seen).toEqual(["http://media.example.com/v1/video/vidmodelv2", basic]);
  });

  test("is not used for this machine, for what NO_PROXY contains, and not with an agent", async () => {
    await using local = await startService("http://localhost:PORT/1.png", result);
    await using proxy = await startProxy({ onConnect: replies("HTTP/1.1 403 No\r\n\r\n") });
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    const query = (options: NodeMediaGenOptions = {}) =>
      errorOf(clientAt({ port: 1 }, { retries: 0, ...options }).video.query("t-1"));
    for (const exception of [
      "*",
      "media.example.com",
      ".example.com",
      "*.example.com",
      "a.example,example.com:2",
      "media.example.com.",
    ]) {
      vi.stubEnv("no_proxy", exception);
      expect(String(await query()), exception).toMatch(/nothing was sent.*ECONNREFUSED/);
    }
    for (const exception of [
      "2001:db8::5",
      "[2001:db8::5]",
      "[2001:DB8::5]:443",
      "a,::1,2001:db8::5",
    ]) {
      const url = new URL("https://[2001:db8::5]/v1");
      vi.stubEnv("no_proxy", exception);
      expect(environmentProxy(url), exception).toBeUndefined();
    }
    vi.stubEnv("no_proxy", "");
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const here = createMediaGen({ baseUrl: `http://localhost:${local.port}`, apiKey: "key" });
    expect(await blobs(here.video.task("t-1"))).toHaveLength(1);
    expect(String(await query({ agent: new https.Agent() }))).toMatch(/ECONNREFUSED/);
    expect(proxy.targets).toEqual([]);
    for (const exception of ["example.org, not-media.example.com", "media", ""]) {
      vi.stubEnv("no_proxy", exception);
      await query();
    }
    expect(proxy.targets).toEqual(Array(3).fill("media.example.com"));
  });

  test("is rejected if Node cannot use it, as one without proxyEnv, unless no request would use it", async () => {
    const flags = process.allowedNodeEnvironmentFlags;
    const without = new Set([...flags].filter((flag) => flag !== "--use-env-proxy"));
    vi.spyOn(process, "allowedNodeEnvironmentFlags", "get").mockReturnValue(without);
    vi.stubEnv("HTTPS_PROXY", `http://${credentials}@proxy`);
    const create = (options: NodeMediaGenOptions = {}) =>
      createMediaGen({ baseUrl: "https://media.example.com", ...options });
    expect(create).toThrow(/HTTPS_PROXY names a proxy that this version of Node cannot use/);
    for (const options of [
      { agent: new https.Agent() },
      { fetch },
      { baseUrl: "http://localhost" },
    ])
      expect(create(options)).toBeDefined();
    vi.restoreAllMocks();
  });
});
