import { createMediaGen as createWebMediaGen, type RequestHeaders } from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { createMediaGen as createNodeMediaGen, download } from "@mediagen/sdk/node";
import type { IncomingHttpHeaders } from "node:http";
import { beforeEach, describe, expect, test } from "vitest";
import sdk from "../../packages/sdk/package.json" with { type: "json" };
import { clientOf, created, errorOf } from "./fake-service.ts";
import { ownDirectory, serveForAll } from "./result-server.ts";

const seen: (IncomingHttpHeaders & { readonly path: string | undefined })[] = [];
const origin = serveForAll((request, response) => {
  seen.push({ path: request.url, ...request.headers });
  const data = { taskid: "t-1", url: [`${origin()}/1.png`] };
  request.resume().once("end", () => response.end(JSON.stringify({ code: 1000, msg: "", data })));
});
const directory = ownDirectory();
let baseUrl = "";
beforeEach(() => {
  seen.length = 0;
  baseUrl = origin();
});

const form = { prompt: "A fox" };

describe.each([
  ["@mediagen/sdk", createWebMediaGen],
  ["@mediagen/sdk/node", createNodeMediaGen],
])("headers with %s", (_, createMediaGen) => {
  type Media = ReturnType<typeof createMediaGen>;
  const clientWith = (headers?: RequestHeaders) =>
    createMediaGen({ baseUrl, apiKey: "sk-1", headers });
  const callsOf = (media: Media, options: { readonly headers?: RequestHeaders } = {}) => [
    () => media.image.generate("imgmodelz", form, options),
    () => media.image.query("t-1", options),
    () => media.image.delete(["t-1"], options),
    () => media.image.task("t-1").check(options),
  ];

  test("of the client are sent with each request to the service, and with none for a result", async () => {
    const media = clientWith({ "X-Tenant": "acme", "x-empty": "", "x-unset": undefined });
    for (const call of callsOf(media)) await call();
    expect(seen.map((sent) => [sent["x-tenant"], sent["x-empty"], "x-unset" in sent])).toEqual(
      Array(4).fill(["acme", "", false]),
    );
    await download(media.image.task("t-1"), directory.path);
    expect(seen.at(-1)).toMatchObject({ path: "/1.png" });
    expect(seen.at(-1)).not.toHaveProperty("x-tenant");
  });

  test("of a call replace those of the client, and undefined removes one", async () => {
    const media = clientWith({ "X-Tenant": "acme", "X-Trace": "1" });
    for (const call of callsOf(media, { headers: { "x-tenant": "other", "X-TRACE": undefined } }))
      await call();
    expect(seen.map((sent) => [sent["x-tenant"], "x-trace" in sent])).toEqual(
      Array(4).fill(["other", false]),
    );
  });

  test("name the sender, unless the caller does", async () => {
    await clientWith().image.query("t-1");
    await clientWith({ "User-Agent": "acme/1" }).image.query("t-1");
    const agents = [`mediagen/${sdk.version} ${navigator.userAgent}`, "acme/1"];
    expect(seen.map((sent) => sent["user-agent"])).toEqual(agents);
  });

  test("name a generation to the server that holds the API key, and have the caller's authorization", async () => {
    const media = createMediaGen({ baseUrl, headers: { Authorization: "Bearer user" } });
    for (const options of [
      { idempotencyKey: "order-42" },
      {},
      {},
      { headers: { "Idempotency-Key": "own" } },
    ])
      await media.image.generate("imgmodelz", form, options);
    await media.image.query("t-1");
    const id = expect.stringMatching(/^[\da-f]{8}-[\da-f-]{27}$/);
    const keys = seen.map((sent) => sent["idempotency-key"]);
    expect(keys).toEqual(["order-42", id, id, "own", undefined]);
    expect(new Set(keys).size).toBe(5);
    expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(
      new Set(["Bearer user"]),
    );
    // The service itself has no such keys.
    await clientWith().image.generate("imgmodelz", form);
    expect(seen.at(-1)).not.toHaveProperty("idempotency-key");
  });
});

test("the HTTP client sends the headers of its options, and rejects those that it would ignore", async () => {
  const http = createHttpClient({ baseUrl, apiKey: "sk-1", headers: { "X-Tenant": "acme" } });
  const query = (headers = {}) =>
    http.POST("/v1/images/infobytaskid", { body: { taskid: "t-1" }, headers });
  await query();
  for (const name of ["authorization", "idempotency-key"])
    expect(await errorOf(query({ [name]: "other" }))).toMatchObject({
      issues: [{ field: `headers.${name}` }],
    });
  expect(seen).toMatchObject([
    { "x-tenant": "acme", "user-agent": expect.stringContaining("mediagen/") },
  ]);
});

test("a generation that is retried has the same idempotency key for the server that holds the API key", async () => {
  const keys: (string | null)[] = [];
  const replies = [() => new Response("", { status: 429 }), () => created("t-1")].map(
    (reply) => (request: Request) => {
      keys.push(request.headers.get("idempotency-key"));
      return reply();
    },
  );
  await clientOf(replies, { apiKey: undefined, retries: 1 }).generate();
  expect(keys).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), keys[0]]);
});
