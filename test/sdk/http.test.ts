import { appendFile, rm, writeFile } from "node:fs/promises";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type FetchInit, InvalidRequestError } from "@mediagen/sdk";
import { createHttpClient, type HttpClient, type HttpClientOptions } from "@mediagen/sdk/http";
import { fileFrom } from "@mediagen/sdk/node";
import { build } from "esbuild";
import type { Middleware } from "openapi-fetch";
import { FormData as UndiciFormData } from "undici";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { errorOf, success } from "./fake-service.ts";
import { ownDirectory, serveForAll } from "./result-server.ts";

interface Arrived {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}
const arrived: Arrived[] = [];
let respond: (response: ServerResponse) => void;
const origin = serveForAll(async (request, response) => {
  arrived.push({ url: request.url, headers: request.headers, body: await buffer(request) });
  respond(response);
});
const directory = ownDirectory();
let baseUrl = "";

beforeEach(() => {
  arrived.length = 0;
  baseUrl = origin();
  respond = (response) =>
    void response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1" } }));
});
afterEach(() => void vi.unstubAllEnvs());

const png = new File([Buffer.from("\x89PNG\r\n\x1a\n", "latin1")], "first.png", {
  type: "image/png",
});
const other = "http://127.0.0.1:9";

const query = (http: HttpClient, signal: AbortSignal | null = null) =>
  http.POST("/v1/video/infobytaskid", { body: { taskid: "t-1" }, signal });
/** Generates with a body that the types may reject. */
const generate = (
  http: HttpClient,
  signal: AbortSignal | null = null,
  body: unknown = { prompt: "A fox" },
) => http.POST("/v1/video/vidmodelv2", { body: body as object, signal });

describe.for([
  ["the runtime's fetch", {}],
  ["a fetch function", { fetch }],
] as const)("the HTTP client with %s", ([, transport]) => {
  const create = (options: HttpClientOptions = {}) =>
    createHttpClient({ baseUrl, ...transport, ...options });
  const createWith = (onRequest: NonNullable<Middleware["onRequest"]>) => {
    const http = create({ apiKey: "key" });
    http.use({ onRequest });
    return http;
  };

  test("adds the key of the options, of a function that is called each time, or of the environment", async () => {
    const keys = ["second", "third"];
    vi.stubEnv("MEDIAGEN_BASE_URL", baseUrl);
    const http = create({ apiKey: async () => keys.shift() ?? "" });
    for (const call of [
      () => query(create({ apiKey: "first" })),
      () => query(http),
      () => generate(http),
    ])
      await call();
    await query(create());
    vi.stubEnv("MEDIAGEN_API_KEY", "fourth");
    await query(createHttpClient(transport));
    const sent = arrived.map(({ headers }) => headers.authorization);
    expect(sent).toEqual(["first", "second", "third", undefined, "fourth"]);
    expect(() => create({ apiKey: undefined })).toThrow(/^createHttpClient: apiKey is undefined\./);
  });

  test("rejects a key that no header can carry, and rejects with what a key function throws", async () => {
    const error = await errorOf(query(create({ apiKey: "secret\nkey" })));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).not.toContain("secret");
    const apiKey = () => Promise.reject(new RangeError("no key today"));
    await expect(query(create({ apiKey }))).rejects.toThrow(RangeError);
    expect(arrived).toEqual([]);
  });

  test("opens no envelope, retries nothing, and follows no redirect", async () => {
    respond = (response) => void response.end('{"code":9999,"msg":"no"}');
    expect(await query(create())).toMatchObject({
      data: { code: 9999 },
      response: { status: 200 },
    });
    respond = (response) =>
      void response.writeHead(429, { "retry-after": "0" }).end('{"code":9999,"msg":"no"}');
    for (const call of [query, generate])
      expect(await call(create())).toMatchObject({ error: { code: 9999 } });
    respond = (response) => void response.destroy();
    for (const call of [query, generate])
      expect(await errorOf(call(create()))).toBeInstanceOf(Error);
    respond = (response) => void response.writeHead(307, { location: "/elsewhere" }).end();
    for (const call of [query, generate])
      await expect(call(create({ apiKey: "key" }))).rejects.toThrow(TypeError);
    expect(arrived.map(({ url }) => url?.split("/").at(-1))).toEqual(
      ["infobytaskid"].concat(...Array<string[]>(3).fill(["infobytaskid", "vidmodelv2"])),
    );
  });

  test.for<[string, NonNullable<Middleware["onRequest"]>]>([
    [
      "reads a clone",
      async ({ request }) => {
        await request.clone().text();
        request.headers.set("x-trace", "t-9");
      },
    ],
    [
      "returns a clone",
      ({ request }) => {
        request.headers.set("x-trace", "t-9");
        return request.clone();
      },
    ],
    [
      "adds headers",
      ({ request }) => new Request(request, { headers: [...request.headers, ["x-trace", "t-9"]] }),
    ],
  ])("sends the same body with the key after a middleware that %s", async ([, onRequest]) => {
    const http = createWith(onRequest);
    await query(http);
    await generate(http, null, { prompt: "A fox", "sourceImage.items": [png] });
    for (const { headers } of arrived)
      expect(headers).toMatchObject({ authorization: "key", "x-trace": "t-9" });
    const [json, form] = arrived;
    expect([json?.headers["content-type"], String(json?.body)]).toEqual([
      "application/json",
      '{"taskid":"t-1"}',
    ]);
    const headers = { "content-type": form?.headers["content-type"] ?? "" };
    const sent = await new Response(form && new Uint8Array(form.body), { headers }).formData();
    expect([sent.get("prompt"), sent.get("sourceImage.items")]).toMatchObject([
      "A fox",
      { name: "first.png" },
    ]);
  });

  test("sends neither the key nor a form elsewhere, or without its media type", async () => {
    const elsewhere = createWith(
      ({ request }) => new Request(`${other}/v1/video/infobytaskid`, request),
    );
    const toOther = create().POST("/v1/video/vidmodelv2", {
      baseUrl: other,
      body: { prompt: "A fox" },
    });
    const untyped = createWith(
      ({ request }) => new Request(request, { headers: { "x-trace": "1" } }),
    );
    expect(await errorOf(query(elsewhere))).toMatchObject({ issues: [{ field: "url" }] });
    expect(await errorOf(toOther)).toMatchObject({ issues: [{ field: "url" }] });
    expect(await errorOf(generate(untyped))).toMatchObject({
      issues: [{ field: "headers.content-type" }],
    });
    expect(arrived).toEqual([]);
  });

  test.for<[string, unknown]>([
    ["no body", undefined],
    ["a text", "prompt=A fox"],
    ["a Map", new Map([["prompt", "A fox"]])],
    ["a stream", new Blob(["A fox"]).stream()],
    ["FormData", new FormData()],
    ["bytes", new TextEncoder().encode("prompt=A+fox").buffer],
    ["a Blob", new Blob(["prompt=A+fox"])],
    ["another FormData", new UndiciFormData()],
    ["a stream as a file", { "sourceImage.items": [new Blob(["A fox"]).stream()] }],
    ["bytes as a file", { "sourceImage.items": [new Uint8Array(8)] }],
    ["a promise as a file", { "sourceImage.items": Promise.resolve(png) }],
  ])("rejects a form that would be sent without its values: %s", async ([, body]) => {
    const error = await errorOf(create().POST("/v1/video/vidmodelv2", { body: body as object }));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(String(error)).toContain("Nothing was sent.");
    expect(arrived).toEqual([]);
  });

  test.for<[string, (path: string) => Promise<unknown>]>([
    ["has more bytes", (path) => appendFile(path, "more")],
    ["is gone", (path) => rm(path)],
  ])("rejects a file that %s since fileFrom, and ends no process", async ([, change]) => {
    const path = join(directory.path, "first.png");
    await writeFile(path, new Uint8Array(await png.arrayBuffer()));
    const file = await fileFrom(path);
    await change(path);
    for (const one of [file, new File([file], "again.png")])
      expect(
        await errorOf(generate(create(), null, { "sourceImage.items": [one] })),
      ).toBeInstanceOf(Error);
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

test("a bundle of either client has little of the other", async () => {
  const sizesOf = async (contents: string): Promise<(name: string) => number> => {
    const stdin = { contents, resolveDir: import.meta.dirname };
    const { metafile } = await build({
      stdin,
      bundle: true,
      format: "esm",
      metafile: true,
      write: false,
    });
    const inputs = Object.values(metafile.outputs).flatMap((output) =>
      Object.entries(output.inputs),
    );
    const sum = (name: string) => inputs.filter(([path]) => path.includes(name));
    return (name) => sum(name).reduce((total, [, { bytesInOutput }]) => total + bytesInOutput, 0);
  };
  const main = await sizesOf('export * from "@mediagen/sdk";');
  const http = await sizesOf('export { createHttpClient } from "@mediagen/sdk/http";');
  expect([main("openapi-fetch"), http("openapi-fetch") > 0, http("ledger")]).toEqual([0, true, 0]);
  // Without the store, the waits and the checks of forms.
  expect(http("sdk/dist") / main("sdk/dist")).toBeLessThan(0.28);
});
