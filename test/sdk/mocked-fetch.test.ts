import nodeHttp from "node:http";
import { mock } from "node:test";
import { memoryStore } from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen, type NodeMediaGenOptions } from "@mediagen/sdk/node";
import { afterEach, describe, expect, test, vi } from "vitest";
import { created, errorOf } from "./fake-service.ts";
import { leadNamesHere } from "./names-here.ts";
import { serveForAll } from "./result-server.ts";

describe("a test runner that replaces globalThis.fetch", () => {
  let requests = 0;
  const origin = serveForAll((_, response) => {
    requests++;
    response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid: "PAID", url: [] } }));
  });
  leadNamesHere();
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    mock.restoreAll();
  });

  /** A client of a service at another host, whose name resolves to this machine. */
  const clientOf = (options: NodeMediaGenOptions = {}) =>
    createNodeMediaGen({
      baseUrl: origin().replace("127.0.0.1", "media.example"),
      allowHttp: true,
      retries: 0,
      ...options,
    });
  const outcomeOf = (options: NodeMediaGenOptions, call: object = {}): Promise<unknown> =>
    errorOf(
      clientOf(options)
        .image.generate("imgmodelz", { prompt: "A fox" }, call)
        .then(({ taskid }) => taskid),
    );

  test.each<[string, () => unknown]>([
    ["vi.spyOn", () => vi.spyOn(globalThis, "fetch").mockResolvedValue(created("t-1"))],
    [
      "mock.method of node:test",
      () => mock.method(globalThis, "fetch", async () => created("t-1")),
    ],
  ])("generates nothing at a service by accident: %s", async (_, replaceFetch) => {
    requests = 0;
    expect([await outcomeOf({}), requests]).toEqual(["PAID", 1]);
    replaceFetch();
    const store = memoryStore();
    const call = { idempotencyKey: "order-1" };
    expect(await outcomeOf({ store }, call)).toHaveProperty("name", "InvalidRequestError");
    expect(requests).toBe(1);
    // Queries are free, and these clients have a transport or a service of the test.
    expect(await clientOf().image.query("PAID")).toMatchObject({ taskid: "PAID" });
    expect(await outcomeOf({ fetch: vi.fn(async () => created("t-2")) })).toBe("t-2");
    expect(await outcomeOf({ agent: new nodeHttp.Agent() })).toBe("PAID");
    expect(await outcomeOf({ baseUrl: origin() })).toBe("PAID");
    // A runtime without fetch has no mock, and the key of the rejected generation is free.
    vi.stubGlobal("fetch", undefined);
    expect(await outcomeOf({ store }, call)).toBe("PAID");
  });
});
