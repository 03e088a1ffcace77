import { createMediaGen as createWebMediaGen, type RequestHeaders } from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { createMediaGen as createNodeMediaGen, download } from "@mediagen/sdk/node";
import { mkdtemp, readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientOf, created, errorOf } from "./fake-service.ts";

const seen: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
const server = createServer((request, response) => {
  seen.push({ path: request.url ?? "", headers: request.headers });
  const data = { taskid: "t-1", url: [`${baseUrl}/1.png`] };
  request.resume().once("end", () => response.end(JSON.stringify({ code: 1000, msg: "", data })));
});
let baseUrl = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close().closeAllConnections());

const { version } = JSON.parse(await readFile("packages/sdk/package.json", "utf8")) as { readonly version: string };
const form = { prompt: "A fox" };

describe.each([
  ["@mediagen/sdk", createWebMediaGen],
  ["@mediagen/sdk/node", createNodeMediaGen],
])("headers with %s", (_, createMediaGen) => {
  const clientWith = (headers?: RequestHeaders, apiKey: string | undefined = "sk-1") => {
    seen.length = 0;
    return createMediaGen({ baseUrl, apiKey, headers });
  };

  test("of the client are sent with each request to the service, and with none for a result", async () => {
    const media = clientWith({ "X-Tenant": "acme", "x-empty": "", "x-unset": undefined });
    const task = await media.image.generate("imgmodelz", form);
    await task.check();
    await task.delete();
    expect(seen.map(({ headers }) => [headers["x-tenant"], headers["x-empty"], "x-unset" in headers])).toEqual(
      Array(3).fill(["acme", "", false]),
    );
    await download(task, await mkdtemp(join(tmpdir(), "mediagen-")));
    expect(seen.at(-1)).toMatchObject({ path: "/1.png" });
    expect(seen.at(-1)?.headers).not.toHaveProperty("x-tenant");
  });

  test("of a call replace those of the client, and undefined takes one away", async () => {
    const media = clientWith({ "X-Tenant": "acme", "X-Trace": "1" });
    const headers = { "x-tenant": "other", "X-TRACE": undefined };
    await media.image.generate("imgmodelz", form, { headers });
    await media.image.query("t-1", { headers });
    await media.image.delete(["t-1"], { headers });
    await media.image.task("t-1").check({ headers });
    expect(seen.map(({ headers: given }) => [given["x-tenant"], "x-trace" in given])).toEqual(
      Array(4).fill(["other", false]),
    );
  });

  test("say who sends, unless the caller says so", async () => {
    await clientWith().image.query("t-1");
    await clientWith().image.query("t-1");
    expect(seen[0]?.headers["user-agent"]).toBe(`mediagen/${version} ${navigator.userAgent}`);
    await clientWith({ "User-Agent": "acme/1" }).image.query("t-1");
    expect(seen[0]?.headers["user-agent"]).toBe("acme/1");
  });

  test("have the caller's own authorization if there is no API key", async () => {
    seen.length = 0;
    await createMediaGen({ baseUrl, headers: { Authorization: "Bearer user" } }).image.query("t-1");
    expect(seen[0]?.headers.authorization).toBe("Bearer user");
  });

  test("tell a server that holds the key which generation is sent: the caller's idempotency key, or a new one", async () => {
    seen.length = 0;
    const media = createMediaGen({ baseUrl });
    await media.image.generate("imgmodelz", form, { idempotencyKey: "order-42" });
    await media.image.generate("imgmodelz", form);
    await media.image.generate("imgmodelz", form);
    await media.image.generate("imgmodelz", form, { headers: { "Idempotency-Key": "own" } });
    await media.image.query("t-1");
    const [given, first = "", second = "", own, query] = seen.map(({ headers }) => headers["idempotency-key"]);
    expect([given, own, query]).toEqual(["order-42", "own", undefined]);
    expect(first).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
    expect(second).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
    expect(first).not.toBe(second);
  });

  test("tell the service nothing of idempotency keys, which it does not have", async () => {
    const media = clientWith();
    await media.image.generate("imgmodelz", form);
    const error = await errorOf(media.image.generate("imgmodelz", form, { idempotencyKey: "order-42" }));
    expect(error).toMatchObject({ name: "InvalidRequestError", issues: [{ field: "idempotencyKey" }] });
    expect(seen.map(({ headers }) => headers["idempotency-key"])).toEqual([undefined]);
  });

  test("cannot carry every idempotency key: such a one is rejected before anything is sent", async () => {
    seen.length = 0;
    const media = createMediaGen({ baseUrl });
    for (const idempotencyKey of ["", "\u{1f98a}", "a\nb", 7 as never]) {
      const error = await errorOf(media.image.generate("imgmodelz", form, { idempotencyKey }));
      expect(error).toMatchObject({ issues: [{ field: expect.stringMatching(/idempotency-?key/i) }] });
    }
    expect(seen).toEqual([]);
  });

  test.for<[string, RequestHeaders, string]>([
    ["a header that the SDK sets", { "Content-Type": "text/plain" }, "headers.Content-Type"],
    ["a name that is none", { "x y": "1" }, "headers.x y"],
    ["a value with a line break", { "x-token": "secret\r\nx: y" }, "headers.x-token"],
    ["a value that is no text", { "x-count": 1 as never }, "headers.x-count"],
  ])("with %s are rejected before anything is sent, and no value is shown", async ([, headers, field]) => {
    expect(() => clientWith(headers)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ field })] }),
    );
    const media = clientWith();
    for (const call of [
      media.image.generate("imgmodelz", form, { headers }),
      media.image.query("t-1", { headers }),
      media.image.delete(["t-1"], { headers }),
    ]) {
      const error = await errorOf(call);
      expect(error).toMatchObject({ name: "InvalidRequestError", issues: [{ field }] });
      expect(String(error)).not.toContain("secret");
    }
    expect(seen).toEqual([]);
  });
});

test("a generation that is sent again names the same idempotency key to a server that holds the API key", async () => {
  const keys: (string | null)[] = [];
  const replies = [() => new Response("", { status: 429 }), () => created("t-1")].map((reply) => (request: Request) => {
    keys.push(request.headers.get("idempotency-key"));
    return reply();
  });
  await clientOf(replies, { apiKey: undefined, retries: 1 }).generate();
  expect(keys).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), keys[0]]);
});

test("the HTTP client sends the headers of its options", async () => {
  seen.length = 0;
  const http = createHttpClient({ baseUrl, apiKey: "sk-1", headers: { "X-Tenant": "acme" } });
  await http.POST("/v1/images/infobytaskid", { body: { taskid: "t-1" } });
  expect(seen[0]?.headers).toMatchObject({ "x-tenant": "acme", "user-agent": expect.stringContaining("mediagen/") });
});
