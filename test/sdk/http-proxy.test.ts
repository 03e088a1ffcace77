import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import dns from "node:dns";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
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
import { createHttpClient } from "@mediagen/sdk/http";
import { afterEach, describe, expect, test, vi } from "vitest";
import { makeCertificate } from "../faults/certificate.ts";
import { type Fault, startRawServer } from "../faults/raw-server.ts";
import { shown } from "../shown.ts";
import { startProxy, startService, type Proxy, type ProxyBehavior, type Service } from "./proxy-server.ts";

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

afterEach(() => vi.unstubAllEnvs());

/** A service whose names only the proxy can resolve, with its results at another name. */
const serviceBehind = (scheme: Scheme, resultHost = "results.example.com") =>
  startService(`${scheme}://${resultHost}:PORT/1.png`, result, scheme === "https" ? ofExample : undefined);
const proxyOf = (scheme: Scheme, behavior: ProxyBehavior = {}) =>
  startProxy({ ...(scheme === "https" && { certificate: ofProxy }), ...behavior });
const withCredentials = ({ url }: Pick<Proxy, "url">) => url.replace("//", `//${credentials}@`);

function clientOf(scheme: Scheme, { port }: Pick<Service, "port">, options: NodeMediaGenOptions) {
  const baseUrl = `${scheme}://media.example.com:${port}`;
  return createMediaGen({
    baseUrl,
    allowHttp: true,
    apiKey: "key",
    retries: 2,
    random: () => 0,
    tls: { ca },
    ...options,
  });
}

const targetsOf = ({ heads }: Proxy) => heads.map((head) => /^CONNECT (\S+):\d+ HTTP/.exec(head)?.[1]);
const form = { prompt: "A fox" };
const thrownBy = (call: Promise<unknown>) =>
  call.then(
    () => "nothing",
    (error: unknown) => error,
  );

describe.for(schemes.flatMap((proxy) => schemes.map((scheme) => [proxy, scheme] as const)))(
  "an %s proxy, to an %s service,",
  ([proxyScheme, scheme]) => {
    test("carries generations, uploads, polls, deletions and results", async () => {
      await using service = await serviceBehind(scheme);
      await using proxy = await proxyOf(proxyScheme);
      const media = clientOf(scheme, service, { proxy: withCredentials(proxy) });
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
      for (const head of proxy.heads) expect(head).toContain(`\r\nProxy-Authorization: ${basic}\r\n`);
    });

    test("is given up after connectTimeoutMs, and at once if the caller aborts", async () => {
      await using service = await serviceBehind(scheme);
      await using proxy = await proxyOf(proxyScheme, { onConnect: () => undefined });
      const hasty = clientOf(scheme, service, { proxy: proxy.url, connectTimeoutMs: 50, retries: 1 });
      for (const call of [() => hasty.video.generate("vidmodelv2", form), () => hasty.video.query("t-1")]) {
        const error = await thrownBy(call());
        expect(error).toBeInstanceOf(ConnectionError);
        expect(String(error)).toContain(`no connection through ${proxy.url} within 50 ms`);
      }
      await using other = await proxyOf(proxyScheme, { onConnect: () => undefined });
      const controller = new AbortController();
      const patient = clientOf(scheme, service, { proxy: other.url });
      const aborted = thrownBy(patient.video.generate("vidmodelv2", form, { signal: controller.signal }));
      await expect.poll(() => other.heads.length, { interval: 5 }).toBe(1);
      controller.abort("enough");
      expect(await aborted).toBe("enough");
      await expect.poll(() => other.open + proxy.open, { interval: 5 }).toBe(0);
      expect(service.requests).toEqual([]);
    });

    test("leaves a generation unknown whose response is lost, and repeats a query", async () => {
      const loses: Fault = { onRequest: (socket) => void socket.destroy() };
      const server = await startRawServer(scheme === "https" ? { ...loses, certificate: ofExample } : loses);
      await using proxy = await proxyOf(proxyScheme);
      const { port } = new URL(server.baseUrl);
      const media = clientOf(scheme, { port: Number(port) }, { proxy: proxy.url });
      expect(await thrownBy(media.video.generate("vidmodelv2", form))).toBeInstanceOf(OutcomeUnknownError);
      expect([proxy.heads.length, server.heads]).toEqual([1, 1]);
      expect(await thrownBy(media.video.query("t-1"))).toBeInstanceOf(ConnectionError);
      expect([proxy.heads.length, server.heads]).toEqual([4, 4]);
      await server.close();
    });
  },
);

describe("nothing was sent, and a generation is retried, if a proxy", () => {
  const answers = (text: string) => (socket: Socket) => void socket.end(text);
  const fails: readonly (readonly [string, ProxyBehavior["onConnect"], RegExp])[] = [
    ["fails with HTTP 502", answers("HTTP/1.1 502 Bad Gateway\r\n\r\n"), /could not connect to \S+:\d+ \(HTTP 502\)/],
    ["fails with HTTP 503", answers("HTTP/1.0 503 No\r\n\r\n<html>"), /\(HTTP 503\)/],
    ["limits its rate", answers("HTTP/1.1 429 Too Many\r\n\r\n"), /\(HTTP 429\)/],
    ["closes", (socket) => void socket.end(), /closed the connection before the tunnel was open/],
    ["resets", (_, reset) => reset(), /cannot be reached: .*ECONNRESET/],
    ["cuts its reply", answers("HTTP/1.1 200 OK\r\nx"), /closed the connection/],
    ["does not speak HTTP", (socket) => void socket.write("SSH-2.0-x\r\n"), /does not respond as an HTTP proxy/],
    [
      "sends endless headers",
      (socket) => void socket.write(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}`),
      /headers of more than 16384 bytes/,
    ],
    ["sends a body", answers('HTTP/1.1 200 OK\r\n\r\n{"code":1000}'), /sent more than its reply to CONNECT/],
  ];

  describe.for(schemes)("to an %s service", (scheme) => {
    test.for(fails)("%s", async ([, onConnect = () => undefined, says]) => {
      await expectNeverSent(scheme, { onConnect }, says, 3);
    });
  });

  test("cuts the tunnel while TLS is agreed on", async () => {
    await expectNeverSent("https", { onData: (socket) => void socket.destroy() }, /nothing was sent/, 3);
  });

  test("sends no TLS through the tunnel", async () => {
    await expectNeverSent(
      "https",
      { onData: (socket) => void socket.write("HTTP/1.1 400 No\r\n\r\n") },
      /nothing was sent/,
      3,
    );
  });

  test("is not there, or has no name", async () => {
    for (const [url, says] of [
      ["http://127.0.0.1:1", /cannot be reached: .*ECONNREFUSED/],
      [
        "http://proxy.invalid:3128",
        /the proxy http:\/\/proxy\.invalid:3128 cannot be reached: .*(ENOTFOUND|EAI_AGAIN)/,
      ],
    ] as const)
      await expectConnectionError("http", { port: 80 }, url.replace("//", `//${credentials}@`), says, 2);
  });

  test("speaks http where https should be", async () => {
    await using proxy = await startProxy();
    await expectConnectionError(
      "http",
      { port: 80 },
      proxy.url.replace("http", "https"),
      /does not speak TLS\. If it is an http proxy/,
      2,
    );
  });
});

describe("a rejection is final, and says what to do, if a proxy", () => {
  const answers = (status: string) => (socket: Socket) =>
    void socket.end(`HTTP/1.1 ${status}\r\nProxy-Authenticate: Basic\r\nX: ${basic} ${secret}\r\n\r\n${secret}`);
  const refusals = [
    ["403 Forbidden", /does not allow a connection to \S+\.example\.com:\d+ \(HTTP 403\)\. Ask .* NO_PROXY/],
    ["405 Method Not Allowed", /\(HTTP 405\)/],
    ["401 Unauthorized", /does not accept the user and password \(HTTP 401\)/],
    ["302 Found", /\(HTTP 302\)/],
    [
      "407 Proxy Authentication Required",
      /does not accept the user and password \(HTTP 407\)\. Set proxy to http:\/\/user:/,
    ],
  ] as const;

  describe.for(schemes)("to an %s service", (scheme) => {
    test.for(refusals)("responds with HTTP %s", async ([status, says]) => {
      await expectNeverSent(scheme, { onConnect: answers(status) }, says, 1);
    });
  });

  test("requires a user, and its URL has none", async () => {
    await using proxy = await startProxy({ onConnect: answers("407 No") });
    vi.stubEnv("HTTPS_PROXY", proxy.url);
    const error = await thrownBy(clientOf("https", { port: 443 }, {}).video.generate("vidmodelv2", form));
    expect(String(error)).not.toContain("safe to retry");
    expect(String(error)).toContain(
      `generateVidmodelv2: nothing was sent, because the proxy ${proxy.url} requires a user and password (HTTP 407). Set HTTPS_PROXY to http://user:password@host:port. Only Basic authentication is supported.`,
    );
  });

  test("has a certificate that is not trusted", async () => {
    const says = /cannot be reached: .*certificate/;
    await using proxy = await startProxy({ certificate: other });
    await expectConnectionError("http", { port: 80 }, withCredentials(proxy), says, 0);
  });

  test("and a certificate in the tunnel that is not trusted ends a call at once", async () => {
    await using service = await startService("https://results.example.com:PORT/1.png", result, other);
    await using proxy = await startProxy();
    await expectConnectionError("https", service, withCredentials(proxy), /nothing was sent.*certificate/, 0);
    expect([service.requests, proxy.heads.length]).toEqual([[], 1]);
  });

  test("refuses the host of a result: the download ends at once", async () => {
    await using service = await serviceBehind("http");
    await using proxy = await startProxy({ onConnect: answers("403 No") });
    vi.stubEnv("NO_PROXY", "media.example.com");
    const lookup: NodeMediaGenOptions["lookup"] = (_, options, callback) => dns.lookup("localhost", options, callback);
    const media = clientOf("http", service, { proxy: proxy.url, lookup });
    const error = await thrownBy(blobs(media.video.task("t-1")));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(String(error)).toMatch(
      /^ConnectionError: download: .*does not allow a connection to results\.example\.com:/,
    );
    expect(proxy.heads).toHaveLength(1);
  });
});

/** A generation ends with a ConnectionError after so many connections, through an http and an https proxy, and the service sees nothing. */
async function expectNeverSent(
  scheme: Scheme,
  behavior: ProxyBehavior,
  says: RegExp,
  connections: number,
): Promise<void> {
  await using service = await serviceBehind(scheme);
  for (const proxyScheme of schemes) {
    await using proxy = await proxyOf(proxyScheme, behavior);
    await expectConnectionError(scheme, service, withCredentials(proxy), says, connections - 1);
    expect(proxy.heads, proxyScheme).toHaveLength(connections);
    expect(service.requests).toEqual([]);
    await expect.poll(() => proxy.open, { interval: 5 }).toBe(0);
  }
}

/** A generation ends with a ConnectionError after so many retries, and neither that nor an event shows the proxy's password. */
async function expectConnectionError(
  scheme: Scheme,
  service: Pick<Service, "port">,
  proxy: string,
  says: RegExp,
  retries: number,
): Promise<void> {
  const events: MediaGenEvent[] = [];
  const media = clientOf(scheme, service, { proxy, onEvent: (event) => void events.push(event) });
  const error = await thrownBy(media.video.generate("vidmodelv2", form));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(String(error)).toMatch(says);
  expect(String(error)).toContain("nothing was sent");
  expect(events.map(({ type }) => type)).toEqual([...Array<string>(retries).fill("retried"), "failed"]);
  const all = [error, media, ...events].map((one) => shown(one)).join("\n");
  for (const text of [secret, encodeURIComponent(secret), basic]) expect(all).not.toContain(text);
}

describe("the environment", () => {
  test.for([
    ["https", "HTTPS_PROXY"],
    ["https", "https_proxy"],
    ["http", "HTTP_PROXY"],
    ["http", "http_proxy"],
    ["https", "ALL_PROXY"],
    ["http", "all_proxy"],
  ] as const)("names the proxy of an %s service with %s", async ([scheme, name]) => {
    await using service = await serviceBehind(scheme);
    await using proxy = await startProxy();
    await using unused = await startProxy();
    vi.stubEnv("ALL_PROXY", unused.url);
    vi.stubEnv(name, proxy.url.replace("http://", ""));
    await clientOf(scheme, service, {}).video.query("t-1");
    expect([proxy.heads.length, unused.heads.length]).toEqual([1, 0]);
  });

  test("is ignored with proxy: false, and after the option", async () => {
    await using service = await serviceBehind("http");
    await using proxy = await startProxy();
    await using unused = await startProxy();
    vi.stubEnv("HTTP_PROXY", unused.url);
    await clientOf("http", service, { proxy: new URL(proxy.url) }).video.query("t-1");
    const error = await thrownBy(clientOf("http", service, { proxy: false }).video.query("t-1"));
    expect(String(error)).toMatch(/no connection to http:\/\/media\.example\.com/);
    expect([proxy.heads.length, unused.heads.length]).toEqual([1, 0]);
  });

  test("leads to this machine through no proxy, as the option does; NO_PROXY holds for both", async () => {
    await using service = await startService("http://localhost:PORT/1.png", result);
    await using proxy = await startProxy();
    const options = { baseUrl: `http://localhost:${service.port}`, apiKey: "key" };
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const task = createMediaGen(options).video.task("t-1");
    await blobs(task);
    expect(proxy.heads).toHaveLength(0);
    await createMediaGen({ ...options, proxy: proxy.url }).video.query("t-1");
    expect(targetsOf(proxy)).toEqual(["localhost"]);
    vi.stubEnv("NO_PROXY", "localhost");
    await createMediaGen({ ...options, proxy: proxy.url }).video.query("t-1");
    expect(proxy.heads).toHaveLength(1);
  });

  test("is not used for what NO_PROXY contains", async () => {
    await using proxy = await startProxy({ onConnect: (socket) => void socket.end("HTTP/1.1 403 No\r\n\r\n") });
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const media = createMediaGen({ baseUrl: "http://nothing.invalid", allowHttp: true, apiKey: "key", retries: 0 });
    for (const exception of ["*", "nothing.invalid", ".invalid", "*.invalid:80", "a.example,nothing.invalid"]) {
      vi.stubEnv("no_proxy", exception);
      const error = await thrownBy(media.video.generate("vidmodelv2", form));
      expect(String(error), exception).toMatch(/nothing was sent, .* (ENOTFOUND|EAI_AGAIN)/);
    }
    expect(proxy.heads).toEqual([]);
    for (const exception of ["example.org, not-nothing.invalid", "nothing.invalid:81", "nothing", ""]) {
      vi.stubEnv("no_proxy", exception);
      await thrownBy(media.video.generate("vidmodelv2", form));
    }
    expect(targetsOf(proxy)).toEqual(Array(4).fill("nothing.invalid"));
  });

  test("is respected by the HTTP client and by the command's entry point alike", async () => {
    await using service = await serviceBehind("http");
    await using proxy = await startProxy();
    vi.stubEnv("HTTP_PROXY", proxy.url);
    const baseUrl = `http://media.example.com:${service.port}`;
    const http = createHttpClient({ baseUrl, allowHttp: true, apiKey: "key" });
    const { data } = await http.POST("/v1/video/infobytaskid", { body: { taskid: "t-1" } });
    expect([data?.code, targetsOf(proxy)]).toEqual([1000, ["media.example.com"]]);
  });

  test.for([
    ["ALL_PROXY", `socks5://user:${secret}@proxy:1080`, ": a socks5 proxy is not valid"],
    ["HTTP_PROXY", `http://user:${secret}@pro xy`, " has a value that is not a URL (not shown)"],
    ["http_proxy", "http://user:100%@proxy", " has a user or password with a lone % (not shown)"],
    ["HTTP_PROXY", `http://user:1#${secret}@proxy`, " has a URL with a path, query or fragment (not shown)"],
    ["HTTP_PROXY", `http://user:1?${secret}@proxy`, " has a URL with a path, query or fragment (not shown)"],
    ["HTTP_PROXY", "http://proxy:3128/path", " has a URL with a path, query or fragment (not shown)"],
  ] as const)("is rejected in words if %s is %s", async ([name, value, says]) => {
    vi.stubEnv(name, value);
    const error = await thrownBy(clientOf("http", { port: 80 }, {}).video.generate("vidmodelv2", form));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).toContain(`connect: ${name.toUpperCase()}${says}. Nothing was sent. Use `);
    expect(shown(error)).not.toContain(secret);
  });

  test("names the way out if it is a SOCKS proxy", async () => {
    vi.stubEnv("ALL_PROXY", "socks5://proxy:1080");
    const error = await thrownBy(clientOf("http", { port: 80 }, {}).video.generate("vidmodelv2", form));
    for (const way of ["HTTPS_PROXY", "{ proxy: false }", "NO_PROXY"]) expect(String(error)).toContain(way);
  });

  test.for([
    [`http://user:${secret}@a b`, " has a value that is not a URL (not shown)"],
    ["http://user:100%@proxy", " has a user or password with a lone % (not shown)"],
  ] as const)("is not the only one that may be wrong: so may the option %s", async ([proxy, says]) => {
    const error = await thrownBy(clientOf("http", { port: 80 }, { proxy }).video.generate("vidmodelv2", form));
    expect(String(error)).toContain(`connect: proxy${says}. Nothing was sent. Use `);
    expect(shown(error)).not.toContain(secret);
  });
});

test.for(schemes)(
  "a tunnel to an %s service carries many queries, one after the other, without a warning",
  async (scheme) => {
    await using service = await serviceBehind(scheme);
    await using proxy = await startProxy();
    const warnings: unknown[] = [];
    const warn = (warning: unknown) => void warnings.push(warning);
    process.on("warning", warn);
    const media = clientOf(scheme, service, { proxy: proxy.url });
    for (let number = 0; number < 30; number++) await media.video.query("t-1");
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", warn);
    expect([warnings, proxy.heads.length]).toEqual([[], 1]);
  },
);

test("a pool through a proxy has a limit: many queries at once open few tunnels", async () => {
  await using service = await serviceBehind("https");
  await using proxy = await startProxy();
  const media = clientOf("https", service, { proxy: proxy.url });
  await Promise.all(Array.from({ length: 300 }, () => media.video.query("t-1")));
  expect(service.requests).toHaveLength(300);
  expect(proxy.mostOpen).toBeLessThanOrEqual(64 + 64);
});

describe("the host of a result that a proxy resolves", () => {
  test.for(["127.0.0.1", "10.0.0.1", "[::1]", "localhost", "a.localhost"])("is rejected if it is %s", async (host) => {
    await using service = await serviceBehind("http", host);
    await using proxy = await startProxy();
    const task = clientOf("http", service, { proxy: proxy.url }).video.task("t-1");
    const error = await thrownBy(blobs(task));
    expect(error).toBeInstanceOf(ServiceError);
    expect(String(error)).toContain("leads to this machine or into a private network");
    expect(targetsOf(proxy)).toEqual(["media.example.com"]);
  });

  test("of a lookup that knows one address alone leads to the service, to results and to the proxy", async () => {
    const one: NodeMediaGenOptions["lookup"] = (_, __, callback) => callback(null, "127.0.0.1", 4);
    await using service = await serviceBehind("http");
    await using proxy = await startProxy();
    const { port } = new URL(proxy.url);
    for (const through of [false, `http://proxy.example.com:${port}`] as const) {
      const task = clientOf("http", service, { proxy: through, lookup: one }).video.task("t-1");
      expect(await blobs(task, { allowPrivateHosts: true })).toHaveLength(1);
    }
  });

  test("is not looked up here", async () => {
    await using service = await serviceBehind("http");
    await using proxy = await startProxy();
    const names: string[] = [];
    const lookup: NodeMediaGenOptions["lookup"] = (name, options, callback) => {
      names.push(name);
      dns.lookup(name, options, callback);
    };
    await blobs(clientOf("http", service, { proxy: proxy.url, lookup }).video.task("t-1"));
    expect([...new Set(names)]).toEqual(["localhost"]);
  });
});

test("a process ends at once, with the proxies of its environment and authorities of NODE_EXTRA_CA_CERTS", async () => {
  await using service = await serviceBehind("https");
  const program = `
    import { blobs, createMediaGen } from ${JSON.stringify(resolve("packages/sdk/dist/node.js"))};
    const media = createMediaGen();
    const task = await media.video.generate("vidmodelv2", { prompt: "A fox" });
    await task.wait();
    const [blob] = await blobs(task);
    const end = performance.now();
    process.on("exit", () => console.log(JSON.stringify({ size: blob.size, heldMs: performance.now() - end })));`;
  const folder = await mkdtemp(join(tmpdir(), "mediagen-"));
  try {
    await writeFile(join(folder, "ca.pem"), ca.join("\n"));
    for (const scheme of schemes) {
      await using proxy = await proxyOf(scheme);
      const env = {
        ...process.env,
        MEDIAGEN_BASE_URL: `https://media.example.com:${service.port}`,
        MEDIAGEN_API_KEY: "key",
        NODE_EXTRA_CA_CERTS: join(folder, "ca.pem"),
        HTTPS_PROXY: withCredentials(proxy),
      };
      const run = promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { env });
      const { size, heldMs } = JSON.parse((await run).stdout) as { size: number; heldMs: number };
      expect(size).toBe(result.length);
      // An idle connection is closed after 4 s.
      expect(heldMs).toBeLessThan(3_000);
      expect(targetsOf(proxy)).toEqual(["media.example.com", "media.example.com", "results.example.com"]);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
