import { createMediaGen as createWebMediaGen, memoryStore, type RequestHeaders } from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { createMediaGen as createNodeMediaGen, download } from "@mediagen/sdk/node";
import { mkdtemp } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import sdk from "../../packages/sdk/package.json" with { type: "json" };
import { clientOf, created, errorOf, sharedStore } from "./fake-service.ts";

const seen: (IncomingHttpHeaders & { readonly path: string | undefined })[] = [];
const server = createServer((request, response) => {
  seen.push({ path: request.url, ...request.headers });
  const data = { taskid: "t-1", url: [`${baseUrl}/1.png`] };
  request.resume().once("end", () => response.end(JSON.stringify({ code: 1000, msg: "", data })));
});
let baseUrl = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close().closeAllConnections());
beforeEach(() => void seen.splice(0));

const form = { prompt: "A fox" };

describe.each([
  ["@mediagen/sdk", createWebMediaGen],
  ["@mediagen/sdk/node", createNodeMediaGen],
])("headers with %s", (_, createMediaGen) => {
  const clientWith = (headers?: RequestHeaders) => createMediaGen({ baseUrl, apiKey: "sk-1", headers });

  test("of the client are sent with each request to the service, and with none for a result", async () => {
    const media = clientWith({ "X-Tenant": "acme", "x-empty": "", "x-unset": undefined });
    const task = await media.image.generate("imgmodelz", form);
    await task.check();
    await task.delete();
    expect(seen.map((sent) => [sent["x-tenant"], sent["x-empty"], "x-unset" in sent])).toEqual(
      Array(3).fill(["acme", "", false]),
    );
    await download(task, await mkdtemp(join(tmpdir(), "mediagen-")));
    expect(seen.at(-1)).toMatchObject({ path: "/1.png" });
    expect(seen.at(-1)).not.toHaveProperty("x-tenant");
  });

  test("of a call replace those of the client, and undefined removes one", async () => {
    const media = clientWith({ "X-Tenant": "acme", "X-Trace": "1" });
    const headers = { "x-tenant": "other", "X-TRACE": undefined };
    await media.image.generate("imgmodelz", form, { headers });
    await media.image.query("t-1", { headers });
    await media.image.delete(["t-1"], { headers });
    await media.image.task("t-1").check({ headers });
    expect(seen.map((sent) => [sent["x-tenant"], "x-trace" in sent])).toEqual(Array(4).fill(["other", false]));
  });

  test("name the sender, unless the caller does", async () => {
    await clientWith().image.query("t-1");
    await clientWith({ "User-Agent": "acme/1" }).image.query("t-1");
    const agents = [`mediagen/${sdk.version} ${navigator.userAgent}`, "acme/1"];
    expect(seen.map((sent) => sent["user-agent"])).toEqual(agents);
  });

  test("name a generation to the server that holds the API key, and have the caller's authorization", async () => {
    const media = createMediaGen({ baseUrl, headers: { Authorization: "Bearer user" } });
    await media.image.generate("imgmodelz", form, { idempotencyKey: "order-42" });
    await media.image.generate("imgmodelz", form);
    await media.image.generate("imgmodelz", form);
    await media.image.generate("imgmodelz", form, { headers: { "Idempotency-Key": "own" } });
    await media.image.query("t-1");
    const [given, first, second, own, query] = seen.map((sent) => sent["idempotency-key"]);
    expect([given, own, query]).toEqual(["order-42", "own", undefined]);
    for (const id of [first, second]) expect(id).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
    expect(first).not.toBe(second);
    expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(["Bearer user"]));
    // The service itself has no such keys.
    await clientWith().image.generate("imgmodelz", form);
    expect(seen.at(-1)).not.toHaveProperty("idempotency-key");
  });

  test.for<[string, RequestHeaders]>([
    ["Content-Type", { "Content-Type": "text/plain" }],
    ["x y", { "x y": "1" }],
    ["x-token", { "x-token": "secret\r\nx: y" }],
    ["x-count", { "x-count": 1 as never }],
    ["Authorization", { Authorization: "Bearer secret" }],
    ["idempotency-key", { "idempotency-key": "secret" }],
  ])("are rejected before anything is sent, if one cannot be sent or would be ignored: %s", async ([name, headers]) => {
    const issues = [expect.objectContaining({ field: `headers.${name}` })];
    expect(() => clientWith(headers)).toThrow(expect.objectContaining({ issues }));
    for (const store of [undefined, memoryStore()]) {
      const media = createMediaGen({ baseUrl, apiKey: () => "sk-1", store });
      for (const call of [
        media.image.generate("imgmodelz", form, { headers }),
        media.image.query("t-1", { headers }),
        media.image.delete(["t-1"], { headers }),
        media.image.task("t-1").check({ headers }),
      ]) {
        const error = await errorOf(call);
        expect(error).toMatchObject({ name: "InvalidRequestError", issues });
        expect(String(error)).not.toContain("secret");
      }
    }
    expect(seen).toEqual([]);
  });
});

test("the HTTP client sends the headers of its options, and rejects those that it would ignore", async () => {
  const http = createHttpClient({ baseUrl, apiKey: "sk-1", headers: { "X-Tenant": "acme" } });
  const body = { taskid: "t-1" };
  await http.POST("/v1/images/infobytaskid", { body });
  for (const name of ["authorization", "idempotency-key"])
    expect(await errorOf(http.POST("/v1/images/infobytaskid", { body, headers: { [name]: "other" } }))).toMatchObject({
      issues: [{ field: `headers.${name}` }],
    });
  expect(seen).toMatchObject([{ "x-tenant": "acme", "user-agent": expect.stringContaining("mediagen/") }]);
});

test("a generation that is retried has the same idempotency key for the server that holds the API key", async () => {
  const keys: (string | null)[] = [];
  const replies = [() => new Response("", { status: 429 }), () => created("t-1")].map((reply) => (request: Request) => {
    keys.push(request.headers.get("idempotency-key"));
    return reply();
  });
  await clientOf(replies, { apiKey: undefined, retries: 1 }).generate();
  expect(keys).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), keys[0]]);
});

/** An order whose id was read from a field that it does not have. */
const order = JSON.parse('{"orderId":"42"}') as { readonly id: string };

describe("an idempotency key that has no value is rejected before anything is sent", () => {
  test.for<[string, object]>([
    ["undefined", { idempotencyKey: order.id }],
    ["an undefined getter", Object.defineProperty({}, "idempotencyKey", { get: () => order.id, enumerable: true })],
    ["inherited and undefined", Object.create({ idempotencyKey: order.id }) as object],
    ["a blank one, as of a variable that is not set", { idempotencyKey: " \n" }],
    ["an empty one", { idempotencyKey: "" }],
    ["one that no header can carry", { idempotencyKey: 7 }],
  ])("%s", async ([, options]) => {
    for (const client of [{ store: memoryStore() }, {}, { apiKey: undefined }]) {
      const { media, sent } = clientOf([], client);
      for (const call of [media.image.generate("imgmodelz", form, options), media.generate("imgmodelz", form, options)])
        expect(await errorOf(call)).toMatchObject({ issues: [{ field: "idempotencyKey" }] });
      expect(sent()).toBe(0);
    }
  });

  test("as a header of a client without an API key, nor one that no header can carry", async () => {
    const { media, sent } = clientOf([], { apiKey: undefined });
    for (const options of [
      ...[order.id, ""].map((key) => ({ headers: { "Idempotency-Key": key } })),
      ...["\u{1f98a}", "a\nb"].map((idempotencyKey) => ({ idempotencyKey })),
    ])
      expect(await errorOf(media.image.generate("imgmodelz", form, options))).toMatchObject({
        issues: [{ field: expect.stringMatching(/idempotency-?key/i) }],
      });
    expect(sent()).toBe(0);
  });
});

test.for([["imgmodelz"], new String("imgmodelz"), { toString: () => "imgmodelz" }, Object.create(null), undefined])(
  "a model that is not a string is rejected, and its key stays free: %o",
  async (given) => {
    // The cast: a caller without types may pass anything.
    const model = given as "imgmodelz";
    const store = sharedStore();
    const { media, generate, sent } = clientOf([], { store });
    const idempotencyKey = "order-1";
    for (const call of [
      media.generate(model, form, { idempotencyKey }),
      media.image.generate(model, form, { idempotencyKey }),
      media.image.generate(model, form, { idempotencyKey, unchecked: true }),
    ])
      expect(await errorOf(call)).toMatchObject({ name: "InvalidRequestError", issues: [{ field: "model" }] });
    expect([sent(), store.written()]).toEqual([0, []]);
    expect((await generate(idempotencyKey)).taskid).toBeDefined();
  },
);
