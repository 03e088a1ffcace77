import http, { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mock } from "node:test";
import { createMediaGen, InvalidRequestError, memoryStore, type NodeMediaGenOptions } from "@mediagen/sdk/node";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { created, errorOf } from "./fake-service.ts";
import { leadNamesHere } from "./names-here.ts";

let requests = 0;
const server = createServer((_, response) => {
  requests++;
  response.end(JSON.stringify({ code: 1000, msg: "", data: { taskid: "PAID", url: [] } }));
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.close().closeAllConnections());
leadNamesHere();
beforeEach(() => void (requests = 0));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  mock.restoreAll();
});

/** A client of a service at another host, whose name resolves to this machine. */
const clientOf = (options: NodeMediaGenOptions = {}) =>
  createMediaGen({ baseUrl: `http://media.example:${port}`, allowHttp: true, apiKey: "sk-1", retries: 0, ...options });

/** Returns the id of a task, or the error. */
async function outcomeOf(options: NodeMediaGenOptions, key?: string): Promise<unknown> {
  const call = clientOf(options).image.generate("imgmodelz", { prompt: "A fox" }, key ? { idempotencyKey: key } : {});
  return errorOf(call.then(({ taskid }) => taskid));
}

/** What test runners put in place of `fetch`. */
const doubles: Record<string, () => unknown> = {
  "vi.spyOn": () => vi.spyOn(globalThis, "fetch").mockResolvedValue(created("t-1")),
  "mock.method of node:test": () => mock.method(globalThis, "fetch", async () => created("t-1")),
};

test.each(Object.entries(doubles))(
  "%s of globalThis.fetch: no test generates at a service by accident",
  async (_, double) => {
    expect([await outcomeOf({}), requests]).toEqual(["PAID", 1]);
    double();
    const store = memoryStore();
    expect(await outcomeOf({ store }, "order-1")).toBeInstanceOf(InvalidRequestError);
    expect(requests).toBe(1);
    // Queries are free, and these clients have a transport or a service of the test.
    expect(await clientOf().image.query("t-1")).toMatchObject({ taskid: "PAID" });
    expect(await outcomeOf({ fetch: vi.fn(async () => created("t-2")) })).toBe("t-2");
    expect(await outcomeOf({ agent: new http.Agent() })).toBe("PAID");
    expect(await outcomeOf({ baseUrl: `http://127.0.0.1:${port}` })).toBe("PAID");
    // A runtime without fetch has no mock, and the key of the rejected generation is free.
    vi.stubGlobal("fetch", undefined);
    expect(await outcomeOf({ store }, "order-1")).toBe("PAID");
  },
);
