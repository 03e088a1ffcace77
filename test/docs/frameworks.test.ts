import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkStore, createMediaGen, memoryStore, OutcomeUnknownError } from "@mediagen/sdk/node";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { d1Store, migration as storeMigration } from "../../docs/examples/frameworks/d1-store.ts";
import { migration } from "../../docs/examples/frameworks/videos-in-d1.ts";
import { createD1 } from "./d1.ts";
import { serveTwoAccounts, type TwoAccounts } from "./two-accounts.ts";

// The programs' files as they stand, called as their frameworks call them.
type Handler = (request: Request) => Promise<Response>;
const handlers = new Map<string, Handler>();
const leave: (() => Promise<unknown>)[] = [];
let service: TwoAccounts;

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), "frameworks-"));
  service = await serveTwoAccounts();
  vi.stubEnv("DATA_DIRECTORY", directory);
  vi.stubEnv("MEDIAGEN_BASE_URL", service.baseUrl);
  vi.stubEnv("USERS", service.users);
  vi.spyOn(console, "error").mockImplementation(() => {});

  const next = await import("../../docs/examples/frameworks/next.ts");
  handlers.set("Next", (request) => next[verbOf(request)](request, { params: Promise.resolve({ id: idOf(request) }) }));
  const svelteKit = await import("../../docs/examples/frameworks/sveltekit.ts");
  handlers.set("SvelteKit", (request) => svelteKit[verbOf(request)]({ request, params: { id: idOf(request) } }));
  const hono = await import("../../docs/examples/frameworks/hono.ts");
  handlers.set("Hono", async (request) => hono.app.fetch(request));
  const worker = await import("../../docs/examples/frameworks/worker.ts");
  expect(Object.keys(worker), "workerd takes every other export for a handler").toEqual(["default"]);
  const env = {
    DB: createD1(storeMigration, migration),
    MEDIAGEN_BASE_URL: service.baseUrl,
    USERS: service.users,
  };
  handlers.set("a Worker", (request) => worker.default.fetch(request, env, { waitUntil: () => undefined }));
  const express = await import("../../docs/examples/frameworks/express.ts");
  const server = express.app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  handlers.set("Express", (request) => fetch(new Request(`http://127.0.0.1:${port}/videos/${idOf(request)}`, request)));
  leave.push(() => new Promise((closed) => (server.closeAllConnections(), server.close(closed))));
  leave.push(
    async () => service[Symbol.asyncDispose](),
    () => rm(directory, { recursive: true }),
  );
});
afterAll(async () => {
  for (const step of leave) await step();
});

const verbOf = ({ method }: Request) => method as "GET" | "POST";
const idOf = ({ url }: Request) => new URL(url).pathname.split("/").at(-1) ?? "";

describe.each(["Next", "SvelteKit", "Hono", "Express", "a Worker"])("the routes of %s", (framework) => {
  const order = (name: string) => `${framework.replace(/\W/g, "-")}-${name}`;
  const call = async (method: string, id: string, { token = "token-of-ann", body = "" } = {}) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const handler = handlers.get(framework) ?? expect.fail("there is no such handler");
    const init = method === "POST" ? { method, headers, body } : { method, headers };
    const response = await handler(new Request(`http://app.test/videos/${id}`, init));
    return { status: response.status, text: await response.text() };
  };
  const start = (id: string, { token = "token-of-ann", prompt = "A fox runs through snow" } = {}) =>
    call("POST", id, { token, body: JSON.stringify({ prompt }) });
  const chargesOf = () => [service.ann.charges.length, service.bob.charges.length] as const;

  test("generate once for an order that is posted twice, and tell by its saved task when it is finished", async () => {
    const [before] = chargesOf();
    const posts = await Promise.all([start(order("twice")), start(order("twice"))]);
    expect([...posts, await start(order("twice"))]).toEqual(
      Array.from({ length: 3 }, () => ({ status: 202, text: '{"state":"pending"}' })),
    );
    expect(chargesOf()[0] - before).toBe(1);
    const read = () => call("GET", order("twice"));
    await expect.poll(async () => (await read()).text).toMatch(/^\{"state":"succeeded","url":\["http/);
    expect((await read()).status).toBe(200);
  });

  test("generate with each user's own key, also if two users have an order of the same id", async () => {
    const [ann, bob] = chargesOf();
    expect((await start(order("same"))).status).toBe(202);
    expect((await start(order("same"), { token: "token-of-bob" })).status).toBe(202);
    expect(chargesOf()).toEqual([ann + 1, bob + 1]);
  });

  test("show a user no task of another, and nothing to those who are not signed in", async () => {
    await start(order("private"));
    expect((await call("GET", order("private"), { token: "token-of-bob" })).status).toBe(404);
    expect((await call("GET", order("private"), { token: "toString" })).status).toBe(401);
    expect((await call("POST", order("private"), { token: "nobody", body: "{}" })).status).toBe(401);
    const { taskid = "" } = service.ann.tasks.at(-1) ?? {};
    expect((await call("GET", taskid)).status, "a task's own id is no order").toBe(404);
  });

  test("say what is wrong with an order, and bill nothing", async () => {
    const before = chargesOf();
    expect(await start(order("long"), { prompt: "#".repeat(8193) })).toMatchObject({
      status: 400,
      text: expect.stringContaining('"field":"prompt"'),
    });
    for (const body of ["null", "[]", '{"prompt":1}', "{"])
      expect((await call("POST", order("bad"), { body })).status, body).toBe(400);
    expect((await start(order("poor"), { prompt: "A fox #credits" })).status).toBe(402);
    expect(chargesOf()).toEqual(before);
  });

  test("say that the outcome is unknown if the response is lost, and never generate that order again", async () => {
    const [before] = chargesOf();
    service.ann.next({ fault: "resetAfter", on: "generate" });
    const lost = await start(order("lost"));
    expect([lost.status, lost.text.includes(service.ann.client.apiKey)]).toEqual([409, false]);
    expect(await start(order("lost"))).toEqual(lost);
    expect(chargesOf()[0] - before).toBe(1);
  });

  test("complete a generation whose page was closed while it was sent", async () => {
    const [before] = chargesOf();
    const page = new AbortController();
    const respond = service.hold();
    const handler = handlers.get(framework) ?? expect.fail("there is no such handler");
    const headers = { authorization: "Bearer token-of-ann", "content-type": "application/json" };
    const init = { method: "POST", headers, body: '{"prompt":"A fox runs through snow"}', signal: page.signal };
    const response = handler(new Request(`http://app.test/videos/${order("closed")}`, init)).catch(() => undefined);
    await expect.poll(() => chargesOf()[0] - before).toBe(1);
    page.abort();
    respond();
    await response;
    await expect.poll(async () => (await call("GET", order("closed"))).status).toBe(200);
    expect((await start(order("closed"))).status).toBe(202);
    expect(chargesOf()[0] - before).toBe(1);
  });
});

test("a generation that takes the request's signal is of unknown outcome once the page is closed: no route does that", async () => {
  const page = new AbortController();
  const { baseUrl } = service;
  const media = createMediaGen({ baseUrl, apiKey: service.bob.client.apiKey, store: memoryStore() });
  const before = service.bob.charges.length;
  service.bob.next({ fault: "hang", on: "generate" });
  const generation = media.video.generate("vidmodelv2", { prompt: "A fox" }, { signal: page.signal });
  generation.catch(() => undefined);
  await expect.poll(() => service.bob.charges.length).toBe(before + 1);
  page.abort();
  await expect(generation).rejects.toBeInstanceOf(OutcomeUnknownError);
});

test("the store for D1 keeps the rules of a store, and the records of accounts apart", async () => {
  const database = createD1(storeMigration);
  const { failures } = await checkStore(() => d1Store(database, "ann"));
  expect(failures).toEqual([]);
  const records: unknown[] = [];
  for await (const record of d1Store(database, "bob").list({ states: ["claimed", "created", "ended"] }))
    records.push(record);
  expect(records).toEqual([]);
});
