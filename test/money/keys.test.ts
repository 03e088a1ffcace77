import {
  createMediaGen as createWebMediaGen,
  InvalidRequestError,
  isModel,
  memoryStore,
  type MediaGenOptions,
  validate,
} from "@mediagen/sdk";
import { createHttpClient } from "@mediagen/sdk/http";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import { describe, expect, test } from "vitest";
import { clientOf, created, errorOf, sharedStore } from "../sdk/fake-service.ts";

const form = { prompt: "A fox" };
/** An order whose id was read from a field that it does not have. */
const order = JSON.parse('{"orderId":"42"}') as { readonly id: string };

describe("an idempotency key that is present and undefined is rejected before anything is sent", () => {
  const calls = {
    "media.image.generate": ({ media }) => media.image.generate("imgmodelz", form, { idempotencyKey: order.id }),
    "media.generate": ({ media }) => media.generate("imgmodelz", form, { idempotencyKey: order.id }),
    "options with getters": ({ media }) =>
      media.image.generate("imgmodelz", form, {
        get idempotencyKey() {
          return order.id;
        },
      }),
    "inherited options": ({ media }) =>
      media.image.generate("imgmodelz", form, Object.create({ idempotencyKey: order.id }) as object),
  } satisfies Record<string, (client: ReturnType<typeof clientOf>) => Promise<unknown>>;

  test.for(Object.entries(calls))("%s", async ([, call]) => {
    const clients = [
      clientOf([], { store: memoryStore() }),
      clientOf(),
      // It has no API key, and sends the key to a server that has one.
      clientOf([], { apiKey: undefined }),
    ];
    for (const client of clients) {
      const error = await errorOf(call(client));
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect(error).toMatchObject({ issues: [{ field: "idempotencyKey" }] });
      expect(client.sent()).toBe(0);
    }
  });

  test("the header of a client without an API key, also an empty one or one for all calls", async () => {
    const { media, sent } = clientOf([], { apiKey: undefined });
    for (const key of [order.id, ""]) {
      const headers = { "Idempotency-Key": key };
      expect(await errorOf(media.image.generate("imgmodelz", form, { headers }))).toBeInstanceOf(InvalidRequestError);
    }
    expect(sent()).toBe(0);
    const headers = { "Idempotency-Key": "order-1" };
    expect(() => clientOf([], { apiKey: undefined, headers })).toThrow(InvalidRequestError);
  });

  test("a blank one, as of a variable that is not set", async () => {
    for (const client of [clientOf([], { store: memoryStore() }), clientOf([], { apiKey: undefined })]) {
      for (const key of ["", "  ", "\n"])
        expect(await errorOf(client.generate(key))).toBeInstanceOf(InvalidRequestError);
      expect(client.sent()).toBe(0);
    }
  });

  test("options that are a promise or a Map, in which nobody would find it", async () => {
    const { media, sent } = clientOf();
    for (const options of [Promise.resolve({ idempotencyKey: "order-1" }), new Map([["idempotencyKey", "order-1"]])])
      expect(await errorOf(media.image.generate("imgmodelz", form, options as object))).toBeInstanceOf(
        InvalidRequestError,
      );
    expect(sent()).toBe(0);
  });
});

describe("a model that is not a string is rejected before anything is sent", () => {
  test.for<[string, unknown]>([
    ["a list", ["imgmodelz"]],
    ["a String object", new String("imgmodelz")],
    ["an object that converts to text", { toString: () => "imgmodelz" }],
    ["an object that converts to nothing", Object.create(null)],
    ["undefined", undefined],
  ])("%s", async ([, given]) => {
    const model = given as "imgmodelz";
    const store = sharedStore();
    const { media, generate, sent } = clientOf([], { store });
    for (const idempotencyKey of ["order-1", "order-2"]) {
      for (const call of [
        media.generate(model, form, { idempotencyKey }),
        media.image.generate(model, form, { idempotencyKey }),
        media.image.generate(model, form, { idempotencyKey, unchecked: true }),
      ])
        expect(await errorOf(call)).toBeInstanceOf(InvalidRequestError);
    }
    expect(sent()).toBe(0);
    expect(store.written()).toEqual([]);
    expect([isModel(model), validate(model, form).map(({ field }) => field)]).toEqual([false, ["model"]]);
    // The key is free.
    expect((await generate("order-1")).taskid).toBeDefined();
  });
});

test("an entry with such a model, which was billed by an earlier build, is listed and hides no other", async () => {
  const store = sharedStore();
  const { media, generate } = clientOf([], { store });
  const { taskid } = await generate("order-1");
  const entry = store.written().at(-1);
  if (!entry) throw new Error("nothing was written");
  await store.write({ ...entry, id: "odd", revision: 1, follows: undefined, model: ["imgmodelz"] as never });
  const { tasks, unreadable } = await media.recover();
  expect([tasks.map((task) => task.taskid), unreadable.map(({ id }) => id)]).toEqual([[taskid], ["odd"]]);
});

describe.each([
  ["@mediagen/sdk", createWebMediaGen],
  ["@mediagen/sdk/node", createNodeMediaGen],
])("a header that would be ignored is rejected before anything is sent with %s", (_, createMediaGen) => {
  /** A client, and the headers that it sends. */
  function client(options: MediaGenOptions) {
    const seen: Readonly<Record<string, string>>[] = [];
    const fetch: MediaGenOptions["fetch"] = async (__, { headers }) => {
      seen.push(headers);
      return created("t-1");
    };
    return { media: createMediaGen({ baseUrl: "http://localhost", fetch, ...options }), seen };
  }

  test.for(["Authorization", "idempotency-key"])("%s of a call, by a client with an API key", async (name) => {
    const headers = { [name]: "other" };
    for (const store of [undefined, memoryStore()]) {
      const { media, seen } = client({ apiKey: "sk-own", store });
      for (const call of [
        media.image.generate("imgmodelz", form, { headers }),
        media.image.query("t-1", { headers }),
        media.image.delete(["t-1"], { headers }),
        media.image.task("t-1").check({ headers }),
      ])
        expect(await errorOf(call)).toMatchObject({
          name: "InvalidRequestError",
          issues: [{ field: `headers.${name}`, code: "notAllowed" }],
        });
      expect(seen).toEqual([]);
    }
  });

  test("Authorization of a client with an API key", () => {
    const headers = { Authorization: "Bearer other" };
    for (const apiKey of ["sk-own", () => "sk-own"])
      expect(() => client({ apiKey, headers })).toThrow(
        expect.objectContaining({ issues: [expect.objectContaining({ field: "headers.Authorization" })] }),
      );
  });

  test.for(["authorization", "idempotency-key"])("%s of a call of createHttpClient", async (name) => {
    const seen: unknown[] = [];
    const fetch = async () => (seen.push(1), created("t-1"));
    const client = createHttpClient({ baseUrl: "http://localhost", apiKey: "sk-own", fetch });
    const body = { taskid: "t-1" };
    const error = await errorOf(client.POST("/v1/images/infobytaskid", { body, headers: { [name]: "other" } }));
    expect(error).toMatchObject({ name: "InvalidRequestError", issues: [{ field: `headers.${name}` }] });
    expect(seen).toEqual([]);
  });

  test("both are sent by a client without an API key, to the server that has it", async () => {
    const { media, seen } = client({ headers: { Authorization: "Bearer user" } });
    await media.image.generate("imgmodelz", form, { headers: { "Idempotency-Key": "order-1" } });
    expect(seen).toMatchObject([{ authorization: "Bearer user", "idempotency-key": "order-1" }]);
  });
});
