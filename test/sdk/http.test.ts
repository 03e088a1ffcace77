import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { SourceMap } from "node:module";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type FetchInit, InvalidRequestError } from "@mediagen/sdk";
import { createHttpClient, type HttpClient, type HttpClientOptions, type paths } from "@mediagen/sdk/http";
import { fileFrom } from "@mediagen/sdk/node";
import { build } from "esbuild";
import type { Middleware } from "openapi-fetch";
import { FormData as UndiciFormData } from "undici";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { errorOf, success } from "./fake-service.ts";

interface Arrived {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly type: string | undefined;
  readonly trace: unknown;
  readonly bytes: number;
  /** The body, a character a byte. */
  readonly body: string;
}

const arrived: Arrived[] = [];
let respond: (response: ServerResponse, request: IncomingMessage) => void;
const server = createServer(async (request, response) => {
  const { url, headers } = request;
  const body = await buffer(request);
  arrived.push({
    url,
    authorization: headers.authorization,
    type: headers["content-type"],
    trace: headers["x-trace"],
    bytes: body.length,
    body: body.toString("latin1"),
  });
  respond(response, request);
});
let baseUrl = "";

beforeEach(async () => {
  arrived.length = 0;
  respond = (response) => void response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1" } }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const png = new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])], "first.png", {
  type: "image/png",
});

const encoded = new FormData();
encoded.append("prompt", "A fox");
const other = "http://127.0.0.1:9";
const elsewhere: Middleware = { onRequest: ({ request }) => new Request(`${other}/v1/video/infobytaskid`, request) };

/** Posts a body that the types do not know, hence the casts. */
const post = (http: HttpClient, path: keyof paths, body: unknown, headers: HeadersInit = {}) =>
  http.POST(path, { body: body as never, headers });

const formOf = (one: Arrived | undefined): Promise<FormData> =>
  new Response(Buffer.from(one?.body ?? "", "latin1"), { headers: { "content-type": one?.type ?? "" } }).formData();

const query = (http: HttpClient, signal?: AbortSignal) =>
  http.POST("/v1/video/infobytaskid", { body: { taskid: "t-1" }, signal: signal ?? null });
const generate = (http: HttpClient, signal?: AbortSignal) =>
  http.POST("/v1/video/vidmodelv2", { body: { prompt: "A fox" }, signal: signal ?? null });

describe.for([
  ["with the runtime's fetch", {}],
  ["with a fetch function", { fetch }],
] as const)("the HTTP client %s", ([, transport]) => {
  const create = (options: HttpClientOptions = {}) => createHttpClient({ baseUrl, ...transport, ...options });

  test("adds the key of the options, of a function that is called each time, or of the environment", async () => {
    const keys = ["second", "third"];
    vi.stubEnv("MEDIAGEN_BASE_URL", baseUrl);
    await query(create({ apiKey: "first" }));
    const http = create({ apiKey: async () => keys.shift() ?? "" });
    await query(http);
    await generate(http);
    await query(create());
    vi.stubEnv("MEDIAGEN_API_KEY", "fourth");
    await query(createHttpClient(transport));
    expect(arrived.map(({ authorization }) => authorization)).toEqual([
      "first",
      "second",
      "third",
      undefined,
      "fourth",
    ]);
  });

  test("rejects a key that no header can carry, and throws what a key function throws", async () => {
    const error = await errorOf(query(create({ apiKey: "secret\nkey" })));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).not.toContain("secret");
    await expect(query(create({ apiKey: () => Promise.reject(new RangeError("no key today")) }))).rejects.toThrow(
      RangeError,
    );
    expect(arrived).toEqual([]);
  });

  test("rejects a form whose media type a middleware has dropped", async () => {
    const http = create({ apiKey: "key" });
    http.use({ onRequest: ({ request }) => new Request(request, { headers: { "x-trace": "1" } }) });
    expect(await errorOf(generate(http))).toMatchObject({ issues: [{ field: "headers.content-type" }] });
    expect(arrived).toEqual([]);
  });

  test("opens no envelope and retries nothing", async () => {
    respond = (response) => void response.end('{"code":9999,"msg":"no"}');
    expect(await query(create())).toMatchObject({ data: { code: 9999 }, response: { status: 200 } });
    respond = (response) => void response.writeHead(429, { "retry-after": "0" }).end('{"code":9999,"msg":"no"}');
    for (const call of [query, generate]) expect(await call(create())).toMatchObject({ error: { code: 9999 } });
    respond = (response) => void response.destroy();
    for (const call of [query, generate]) expect(await errorOf(call(create()))).toBeInstanceOf(Error);
    expect(arrived).toHaveLength(5);
  });

  test("follows no redirect", async () => {
    respond = (response) => void response.writeHead(307, { location: "/elsewhere" }).end();
    for (const call of [query, generate]) {
      await expect(call(create({ apiKey: "key" }))).rejects.toThrow(TypeError);
    }
    expect(arrived.map(({ url }) => url)).toEqual(["/v1/video/infobytaskid", "/v1/video/vidmodelv2"]);
  });

  describe("with a middleware of openapi-fetch", () => {
    const trace = { "x-trace": "t-9" };
    test.for<[string, NonNullable<Middleware["onRequest"]>]>([
      [
        "that reads a clone",
        ({ request }) =>
          request
            .clone()
            .text()
            .then(() => request.headers.set("x-trace", "t-9")),
      ],
      [
        "that returns a clone",
        ({ request }) => {
          const clone = request.clone();
          clone.headers.set("x-trace", "t-9");
          return clone;
        },
      ],
      [
        "that returns a Request with further headers",
        ({ request }) => new Request(request, { headers: { ...Object.fromEntries(request.headers), ...trace } }),
      ],
    ])("%s, sends the same body with the key", async ([, onRequest]) => {
      const http = create({ apiKey: "key" });
      http.use({ onRequest });
      await query(http);
      await http.POST("/v1/video/vidmodelv2", { body: { prompt: "A fox", "sourceImage.items": [png] } });
      expect(arrived).toMatchObject([
        { type: "application/json", authorization: "key", trace: "t-9", body: '{"taskid":"t-1"}' },
        { authorization: "key", trace: "t-9" },
      ]);
      const form = await formOf(arrived[1]);
      expect([form.get("prompt"), form.get("sourceImage.items")]).toMatchObject(["A fox", { name: "first.png" }]);
    });
  });

  test.for<[string, (path: string) => Promise<unknown>]>([
    ["with more bytes", (path) => appendFile(path, "more")],
    ["without it", (path) => rm(path)],
  ])("rejects a file that has changed since fileFrom, %s, and ends no process", async ([, change]) => {
    const path = join(await mkdtemp(join(tmpdir(), "mediagen-")), "first.png");
    await writeFile(path, new Uint8Array(await png.arrayBuffer()));
    const file = await fileFrom(path);
    await change(path);
    for (const one of [file, new File([file], "again.png")])
      expect(await errorOf(post(create(), "/v1/video/vidmodelv2", { "sourceImage.items": [one] }))).toBeInstanceOf(
        Error,
      );
    expect(arrived).toEqual([]);
  });

  test.for<[string, field: string, (http: HttpClient) => Promise<unknown>]>([
    ["to the URL of a middleware", "url", (http) => (http.use(elsewhere), query(http))],
    [
      "to the base URL of a call",
      "url",
      (http) => http.POST("/v1/video/vidmodelv2", { baseUrl: other, body: { prompt: "A fox" } }),
    ],
  ])("sends neither the key nor a form %s", async ([, field, call]) => {
    expect(await errorOf(call(create({ apiKey: "sk-1" })))).toMatchObject({ issues: [{ field }] });
    expect(arrived).toEqual([]);
  });

  test.for<[string, unknown]>([
    ["no body", undefined],
    ["a text", "prompt=A fox"],
    ["a Map", new Map([["prompt", "A fox"]])],
    ["a stream", new Blob(["A fox"]).stream()],
    ["FormData", encoded],
    ["bytes", new TextEncoder().encode("prompt=A+fox").buffer],
    ["a Blob", new Blob(["prompt=A+fox"])],
    ["another FormData", new UndiciFormData()],
    ["a stream as a file", { "sourceImage.items": [new Blob(["A fox"]).stream()] }],
    ["bytes as a file", { "sourceImage.items": [new Uint8Array(8)] }],
    ["a promise as a file", { "sourceImage.items": Promise.resolve(png) }],
  ])("rejects a form that would leave without its values: %s", async ([, body]) => {
    const error = await errorOf(post(create(), "/v1/video/vidmodelv2", body));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).toContain("Nothing was sent.");
    expect(arrived).toEqual([]);
  });

  test("ends with the reason of the caller's signal", async () => {
    for (const call of [query, generate]) {
      await expect(call(create(), AbortSignal.abort("enough"))).rejects.toBe("enough");
      const controller = new AbortController();
      respond = () => controller.abort("enough");
      await expect(call(create(), controller.signal)).rejects.toBe("enough");
    }
    expect(arrived).toHaveLength(2);
  });

  test("checks its options", () => {
    expect(() => create({ baseUrl: "http://media.example.com" })).toThrow(/^createHttpClient: baseUrl/);
    vi.stubEnv("MEDIAGEN_API_KEY", "of-the-process");
    expect(() => create({ apiKey: undefined })).toThrow(/^createHttpClient: apiKey is undefined\./);
  });
});

test("the HTTP client calls a fetch function as a function, and instructs it to follow no redirect", async () => {
  const seen: unknown[] = [];
  function fetch(this: unknown, url: string, { redirect }: FetchInit): Promise<Response> {
    seen.push([this, redirect, url]);
    return Promise.resolve(success({ taskid: "t-1" }));
  }
  await query(createHttpClient({ baseUrl: "http://localhost", fetch }));
  expect(seen).toEqual([[undefined, "error", "http://localhost/v1/video/infobytaskid"]]);
});

describe("a bundle", () => {
  /** The sources whose code is in a bundle of an import; a few lines do not count, because bundlers keep computed constants. */
  async function sourcesIn(statement: string): Promise<readonly string[]> {
    const { outputFiles } = await build({
      stdin: { contents: statement, resolveDir: import.meta.dirname },
      bundle: true,
      format: "esm",
      platform: "browser",
      outdir: "out",
      sourcemap: "external",
      write: false,
    });
    const lines = new Map<string, number>();
    for (const { path, text } of outputFiles) {
      const map = outputFiles.find((other) => other.path === `${path}.map`);
      if (!map) continue;
      const sourceMap = new SourceMap(JSON.parse(map.text));
      for (const [line, code] of text.split("\n").entries()) {
        const entry = code.trim() === "" ? {} : sourceMap.findEntry(line, code.search(/\S/));
        if (!("originalSource" in entry)) continue;
        const source = String(entry.originalSource).replace(/^.*(sdk\/src|node_modules)\//, "");
        lines.set(source, (lines.get(source) ?? 0) + 1);
      }
    }
    return [...lines].flatMap(([source, count]) => (count > 9 ? source : []));
  }

  test("of the main entry point does not contain openapi-fetch", async () => {
    const sources = await sourcesIn('export * from "@mediagen/sdk";');
    expect(sources).toContain("store/ledger.ts");
    expect(sources.filter((path) => path.includes("openapi-fetch"))).toEqual([]);
  });

  test("of the HTTP client contains no store, no waits, no checks of forms and nothing of Node", async () => {
    const sources = await sourcesIn('export { createHttpClient } from "@mediagen/sdk/http";');
    expect(sources.filter((path) => path.includes("openapi-fetch"))).toHaveLength(1);
    const apart = /^(store|wait|node)\/|^form\/(?!field|files|multipart)|^call\/(?!api-key|headers|fetch\.|transport)/;
    expect(sources.filter((path) => apart.test(path))).toEqual([]);
  });
});
