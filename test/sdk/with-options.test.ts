import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { BudgetError, createMediaGen, type MediaGenEvent, OutcomeUnknownError } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import { describe, expect, test } from "vitest";
import {
  clientOf,
  created,
  errorOf,
  gate,
  sharedStore,
  success,
  type FakeOptions,
  type Reply,
} from "./fake-service.ts";

const form = { prompt: "A fox" };
const generate = (media: ReturnType<typeof createMediaGen>, options = {}) =>
  media.image.generate("imgmodelz", form, options);

/** A client, and the headers of the requests that it and those made from it have sent. */
function clientWithHeaders(options: FakeOptions = {}) {
  const headers: Headers[] = [];
  const reply: Reply = (request) => (headers.push(request.headers), created("t-1"));
  const { media, ...rest } = clientOf([reply], { apiKey: "sk-process", ...options });
  return { ...rest, media, headers: (name: string) => headers.map((one) => one.get(name)) };
}

describe("a client with other options", () => {
  test("sends with its own key, and the client that it was made from with its own", async () => {
    const { media, headers } = clientWithHeaders();
    const ada = media.withOptions({ apiKey: "sk-ada" });
    const task = await generate(ada);
    await generate(media);
    await task.check();
    await generate(ada.withOptions({ apiKey: async () => "sk-grace" }));
    expect(headers("authorization")).toEqual(["sk-ada", "sk-process", "sk-ada", "sk-grace"]);
  });

  test("hides its own key in errors", async () => {
    const { media } = clientOf([() => Response.json({ code: 9999, msg: "sk-ada-0123 is not allowed" })]);
    const error = await errorOf(generate(media.withOptions({ apiKey: "sk-ada-0123" })));
    expect(String(error)).toContain("[the API key] is not allowed");
  });

  test("adds headers to those of the client", async () => {
    const { media, headers } = clientWithHeaders({ headers: { "X-Gateway": "1", "X-Tenant": "a" } });
    await generate(media.withOptions({ headers: { "x-tenant": "b" } }));
    await generate(media);
    expect([headers("x-gateway"), headers("x-tenant")]).toEqual([
      ["1", "1"],
      ["b", "a"],
    ]);
  });

  test("never falls back to another key where that of a user is missing", () => {
    const { media } = clientWithHeaders();
    for (const apiKey of [undefined, null] as (string | undefined)[])
      expect(() => media.withOptions({ apiKey })).toThrow(
        "withOptions: apiKey is missing. Pass a key, or no apiKey to keep that of the client.",
      );
    expect(() => media.withOptions({ apikey: "sk-ada" } as object)).toThrow(/apikey is not a known option.*apiKey/);
  });

  test("keeps what is undefined as it is", async () => {
    const { media, headers } = clientWithHeaders({ budget: { generations: 1 } });
    const other = media.withOptions({ budget: undefined, headers: undefined });
    await generate(other);
    expect(await errorOf(generate(other))).toBeInstanceOf(BudgetError);
    expect(headers("authorization")).toEqual(["sk-process"]);
  });

  test("shares the store, so that a key stands for one task", async () => {
    const store = sharedStore();
    const { media, sent } = clientOf([() => success({ taskid: "t-1" })], { store });
    const tasks = [media, media.withOptions({ apiKey: "sk-ada" })].map((one) => generate(one, { idempotencyKey: "1" }));
    expect((await Promise.all(tasks)).map(({ taskid }) => taskid)).toEqual(["t-1", "t-1"]);
    expect([sent(), media.withOptions({}).store]).toEqual([1, store]);
  });

  test("knows a task at once that the store could not record", async () => {
    const store = sharedStore();
    store.beforeWrite(({ state }) => {
      if (state === "created") throw new Error("the disk is full");
    });
    const { media, sent } = clientOf([() => success({ taskid: "t-1" })], { store, passing: ["pause"] });
    await generate(media, { idempotencyKey: "1" });
    expect(await generate(media.withOptions({ apiKey: "sk-ada" }), { idempotencyKey: "1" })).toHaveProperty(
      "taskid",
      "t-1",
    );
    expect(sent()).toBe(1);
  });

  test("emits to the same listener, unless it has its own", async () => {
    const { media, events } = clientWithHeaders();
    const own: MediaGenEvent[] = [];
    await generate(media.withOptions({ apiKey: "sk-ada" }));
    await generate(media.withOptions({ onEvent: (event) => void own.push(event) }));
    expect([events.length, own.length]).toEqual([1, 1]);
  });
});

describe("a client with other options is no way around", () => {
  test("the budget, which only a new one replaces", async () => {
    const { media, sent } = clientOf([], { budget: { generations: 2 } });
    const results = await Promise.allSettled(
      ["sk-ada", "sk-grace", "sk-lin", "sk-mary"].map((apiKey) => generate(media.withOptions({ apiKey }))),
    );
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
    expect(await errorOf(generate(media))).toBeInstanceOf(BudgetError);
    const own = media.withOptions({ budget: { generations: 1 } });
    await generate(own);
    expect(await errorOf(generate(own))).toBeInstanceOf(BudgetError);
    expect(sent()).toBe(3);
    expect(await errorOf(generate(media.withOptions({ maxTasksInFlight: 5 })))).toBeInstanceOf(BudgetError);
  });

  test("maxTasksInFlight, also where it has a budget of its own", async () => {
    const { media, sent } = clientOf([], { maxTasksInFlight: 1, passing: [] });
    const task = await generate(media);
    const other = generate(media.withOptions({ budget: { generations: 5 } }));
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(sent()).toBe(1);
    await task.delete();
    expect(await other).toHaveProperty("kind", "image");
    expect(await generate(media.withOptions({ maxTasksInFlight: 2 }))).toHaveProperty("kind", "image");
  });

  test("maxGenerationsInFlight", async () => {
    const first = gate<Response>();
    const { media, sent } = clientOf([() => first.promise, () => created("t-2")], { maxGenerationsInFlight: 1 });
    const tasks = Promise.all([generate(media), generate(media.withOptions({ apiKey: "sk-ada" }))]);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(sent()).toBe(1);
    first.resolve(created("t-1"));
    expect((await tasks).map(({ taskid }) => taskid)).toEqual(["t-1", "t-2"]);
  });

  test("a generation of unknown outcome", async () => {
    const { media } = clientOf([() => new Response("", { status: 500 }), () => created("t-1")], {
      store: sharedStore(),
    });
    for (const one of [media, media.withOptions({ apiKey: "sk-ada" })])
      expect(await errorOf(generate(one, { idempotencyKey: "1" }))).toBeInstanceOf(OutcomeUnknownError);
  });
});

test("clients of @mediagen/sdk/node with other options share the connections", async () => {
  let connections = 0;
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid: "t-1" } })));
  });
  server.on("connection", () => connections++);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const media = createNodeMediaGen({ baseUrl, apiKey: "sk-process" });
    for (const apiKey of ["sk-ada", "sk-grace", "sk-lin"]) await media.withOptions({ apiKey }).image.query("t-1");
    expect(connections).toBe(1);
  } finally {
    server.close().closeAllConnections();
  }
});
