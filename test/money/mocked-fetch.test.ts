import { mock } from "node:test";
import http, { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMediaGen, InvalidRequestError, memoryStore, type NodeMediaGenOptions } from "@mediagen/sdk/node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { created, errorOf } from "../sdk/fake-service.ts";
import { leadNamesHere } from "../sdk/names-here.ts";

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
  vi.restoreAllMocks();
  mock.restoreAll();
});

const form = { prompt: "A fox" };
/** A client of a service at another host, whose name resolves to this machine. */
const clientOf = (options: NodeMediaGenOptions = {}) =>
  createMediaGen({
    baseUrl: `http://media.example:${port}`,
    allowHttp: true,
    apiKey: "sk-1",
    retries: 0,
    ...options,
  });

/** What test runners put in place of `fetch`. */
const doubles: Record<string, () => unknown> = {
  "vi.spyOn": () => vi.spyOn(globalThis, "fetch").mockResolvedValue(created("t-1")),
  "mock.method of node:test": () => mock.method(globalThis, "fetch", async () => created("t-1")),
};

describe.each(Object.entries(doubles))("%s of globalThis.fetch", (_, double) => {
  test("does not let a test pay: the generation is rejected before it is sent", async () => {
    double();
    expect(await errorOf(clientOf().image.generate("imgmodelz", form))).toBeInstanceOf(InvalidRequestError);
    expect(requests).toBe(0);
  });

  test("leaves queries alone, which cost nothing", async () => {
    double();
    expect(await clientOf().image.query("t-1")).toMatchObject({ taskid: "PAID" });
  });

  test("leaves a client alone that has a fetch or an agent of its own, or whose service is on this machine", async () => {
    double();
    const own = vi.fn(async () => created("t-2"));
    const withFetch = clientOf({ fetch: own });
    expect((await withFetch.image.generate("imgmodelz", form)).taskid).toBe("t-2");
    const withAgent = clientOf({ agent: new http.Agent() });
    expect((await withAgent.image.generate("imgmodelz", form)).taskid).toBe("PAID");
    const local = clientOf({ baseUrl: `http://127.0.0.1:${port}` });
    expect((await local.image.generate("imgmodelz", form)).taskid).toBe("PAID");
  });
});

test("a key whose generation was rejected is free, and a runtime without fetch is none with a mock", async () => {
  const store = memoryStore();
  const options = { idempotencyKey: "order-1" };
  doubles["vi.spyOn"]?.();
  expect(await errorOf(clientOf({ store }).image.generate("imgmodelz", form, options))).toBeInstanceOf(
    InvalidRequestError,
  );
  vi.restoreAllMocks();
  vi.stubGlobal("fetch", undefined);
  try {
    expect((await clientOf({ store }).image.generate("imgmodelz", form, options)).taskid).toBe("PAID");
  } finally {
    vi.unstubAllGlobals();
  }
  expect(requests).toBe(1);
});

test("without a mock, the same generation is sent", async () => {
  expect((await clientOf().image.generate("imgmodelz", form)).taskid).toBe("PAID");
  expect(requests).toBe(1);
});
