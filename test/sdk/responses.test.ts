import { ConnectionError, InsufficientCreditsError, OutcomeUnknownError, ServiceError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOf, errorOf, forever, type Reply, sharedStore, success } from "./fake-service.ts";

const envelope = (code: number, data?: unknown) => JSON.stringify({ code, msg: "as it says", data });
const task = { taskid: "t-1", url: [] };

/** What generating and querying end in if every response is this one. */
async function outcomes(reply: Reply): Promise<{ generation: unknown; query: unknown; sent: number }> {
  const { media, generate, sent } = clientOf([reply], { clock: { now: () => 0 } });
  const generation = await errorOf(generate());
  return { generation, query: await errorOf(media.image.query("t-1")), sent: sent() };
}

describe("a rejection is told as such, and the generation was not accepted", () => {
  test.for([
    ["9999", 200, envelope(9999), ServiceError, { code: 9999, msg: "as it says" }],
    ["9000", 200, envelope(9000), InsufficientCreditsError, { code: 9000 }],
    ["9000 under 429", 429, envelope(9000), InsufficientCreditsError, { code: 9000, status: 429 }],
    ["9000 under 500", 500, envelope(9000), InsufficientCreditsError, { code: 9000, status: 500 }],
    ["9999 under 400", 400, envelope(9999), ServiceError, { code: 9999, status: 400 }],
    ["9999 under 408", 408, envelope(9999), ServiceError, { code: 9999, status: 408 }],
    ["9999 under 409", 409, envelope(9999), ServiceError, { code: 9999, status: 409 }],
    ["HTML under 403", 403, "<html>no</html>", ServiceError, { code: undefined, status: 403, body: "<html>no</html>" }],
    ["413", 413, "", ServiceError, { status: 413 }],
    ["501", 501, "", ServiceError, { status: 501 }],
  ] as const)("%s", async ([, status, body, type, fields]) => {
    const { generation, query } = await outcomes(() => new Response(body, { status }));
    for (const error of [generation, query]) {
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject(fields);
    }
  });
});

/** A response as fetch gives it after a redirect. */
function redirected(response: Response): Response {
  return Object.defineProperty(response, "redirected", { value: true });
}

test.for([201, 302, 400, 408, 429, 500, 503])(
  "a task under HTTP %i is a task: the envelope decides before the status",
  async (status) => {
    const { generate, sent } = clientOf([() => new Response(envelope(1000, task), { status })], { retries: 2 });
    expect((await generate()).taskid).toBe("t-1");
    expect(sent()).toBe(1);
  },
);

describe("whatever else comes leaves the outcome of a generation unknown, and it was sent once", () => {
  test.for([
    ["HTML", 200, "<!doctype html><title>Sign in</title>"],
    ["cut JSON", 200, '{"code":1000,"msg":"ok","data":{"task'],
    ["an empty body", 200, ""],
    ["null", 200, "null"],
    ["another shape", 200, '{"id":"t-1"}'],
    ["an unknown code", 200, envelope(1001, task)],
    ["a success without data", 200, envelope(1000)],
    ["an unknown code under 429", 429, envelope(1001, task)],
    ["a success without a taskid under 400", 400, envelope(1000, {})],
    ["a failure under 500", 500, envelope(9999)],
    ["a failure under 501", 501, envelope(9999)],
    ["a failure under 302", 302, envelope(9999)],
    ["502 with HTML", 502, "<html>Bad gateway</html>"],
    ["a redirect", 307, ""],
    ["408", 408, ""],
    ["409", 409, ""],
  ] as const)("%s", async ([, status, body]) => {
    const { generation, query, sent } = await outcomes(() => new Response(body, { status }));
    expect(generation).toBeInstanceOf(OutcomeUnknownError);
    expect(generation).toMatchObject({
      operation: "generateImgmodelz",
      kind: "image",
      model: "imgmodelz",
      status,
      body,
    });
    expect(query).toBeInstanceOf(ServiceError);
    expect(query).toMatchObject({ operation: "queryImageTask", status, body });
    expect(sent).toBe(2);
  });

  test("a success without a taskid", async () => {
    const { generation } = await outcomes(() => new Response(envelope(1000, { taskid: "" })));
    expect(generation).toBeInstanceOf(OutcomeUnknownError);
  });

  test("no response", async () => {
    const cause = { name: "TypeError", message: "fetch failed" };
    const { generation, query } = await outcomes(() => Promise.reject(new TypeError("fetch failed")));
    expect(generation).toBeInstanceOf(OutcomeUnknownError);
    expect(query).toBeInstanceOf(ConnectionError);
    expect([generation, query]).toMatchObject([{ cause }, { cause }]);
  });

  test("a rejection to which a fetch function followed a redirect: another server may have taken it", async () => {
    for (const [status, body] of [
      [404, ""],
      [429, ""],
      [200, envelope(9999)],
    ] as const) {
      const { generation, sent } = await outcomes(() => redirected(new Response(body, { status })));
      expect(generation).toBeInstanceOf(OutcomeUnknownError);
      expect(sent).toBe(2);
    }
    const { generation } = await outcomes(() => redirected(success(task)));
    expect(generation).toMatchObject({ taskid: "t-1" });
  });

  test("an answer that breaks off", async () => {
    const broken = () => new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    const { generation, query } = await outcomes(() => new Response(broken()));
    expect(generation).toBeInstanceOf(OutcomeUnknownError);
    expect(query).toBeInstanceOf(ConnectionError);
  });
});

test("a long answer and a long message are shown shortened", async () => {
  const { query, generation } = await outcomes(() => new Response("x".repeat(5000)));
  for (const error of [query, generation])
    expect(error).toMatchObject({ body: `${"x".repeat(200)}... (5000 characters)` });
  const rejection = await outcomes(() => Response.json({ code: 9999, msg: "y".repeat(100_000) }));
  expect((rejection.query as Error).message.length).toBeLessThan(400);
});

test("an answer of more than a mebibyte is not read to its end", async () => {
  let pulled = 0;
  const endless = () =>
    new ReadableStream({ pull: (controller) => (pulled++, controller.enqueue(new Uint8Array(64 * 1024))) });
  const { query } = await outcomes(() => new Response(endless()));
  expect(query).toBeInstanceOf(ConnectionError);
  expect(pulled).toBeLessThan(50);
});

test("a deletion whose success has no data is not taken for done", async () => {
  for (const body of [
    { code: 1000, msg: "" },
    { code: 1000, msg: "", data: null },
  ]) {
    const { media } = clientOf([() => Response.json(body)]);
    expect(await errorOf(media.image.delete(["t-1"]))).toBeInstanceOf(ServiceError);
  }
});

test("only what is needed of an answer is needed: nulls, numbers and missing fields lose no paid result", async () => {
  const { generation } = await outcomes(
    () => new Response(`{"code":1000,"data":{"taskid":17,"url":null,"__proto__":{"x":1}}}`, { status: 201 }),
  );
  expect(generation).toMatchObject({ taskid: "17", initialUrl: undefined });
  const { query } = await outcomes(
    () => new Response(`{"code":1000,"msg":null,"data":{"url":[null,"a",3],"width":null}}`),
  );
  expect(query).toEqual({ taskid: "t-1", url: ["a"], width: null });
  const single = await outcomes(() => new Response(`{"code":1000,"data":{"url":"a"}}`));
  expect(single.query).toEqual({ taskid: "t-1", url: ["a"] });
});

test("a taskid that lost digits is not taken for one", async () => {
  const { generation } = await outcomes(
    () => new Response('{"code":1000,"msg":"","data":{"taskid":12345678901234567890}}'),
  );
  expect(generation).toBeInstanceOf(OutcomeUnknownError);
  expect(generation).toMatchObject({ body: expect.stringContaining("12345678901234567890") });
});

test.for([
  ["7", 7_000],
  [" 0 ", 0],
  ["Thu, 01 Jan 1970 00:00:09 GMT", 9_000],
  ["Wed, 31 Dec 1969 00:00:00 GMT", 0],
  ["soon", undefined],
  ["-1", undefined],
] as const)("Retry-After %j is told as %s ms", async ([header, retryAfterMs]) => {
  const { query } = await outcomes(() => new Response("", { status: 429, headers: { "retry-after": header } }));
  expect(query).toMatchObject({ status: 429, retryAfterMs });
});

describe("abort", () => {
  test("before sending sends nothing and rejects with the reason", async () => {
    const { media, sent } = clientOf();
    const signal = AbortSignal.abort("enough");
    await expect(media.video.generate("vidmodelv2", { prompt: "A fox" }, { signal })).rejects.toBe("enough");
    await expect(media.video.query("t-1", { signal })).rejects.toBe("enough");
    expect(sent()).toBe(0);
  });

  test("while the key is fetched sends nothing either, and records nothing as being sent", async () => {
    const controller = new AbortController();
    const options = { idempotencyKey: "order-1", signal: controller.signal };
    const store = sharedStore();
    const { media, sent } = clientOf([], { store, apiKey: async () => (controller.abort("enough"), "key") });
    await expect(media.video.generate("vidmodelv2", { prompt: "A fox" }, options)).rejects.toBe("enough");
    await new Promise(setImmediate);
    expect([store.states(), sent()]).toEqual([["claimed", "notCreated"], 0]);
  });

  test("while sending leaves a generation unknown, and ends a query with the reason", async () => {
    for (const what of ["generate", "query"] as const) {
      const controller = new AbortController();
      const { signal } = controller;
      // Even if the fetch ignores the signal.
      const { media } = clientOf([() => (queueMicrotask(() => controller.abort("enough")), forever())]);
      if (what === "query") await expect(media.video.query("t-1", { signal })).rejects.toBe("enough");
      else {
        const error = await errorOf(media.video.generate("vidmodelv2", { prompt: "A" }, { signal }));
        expect(error).toBeInstanceOf(OutcomeUnknownError);
        expect(error).toHaveProperty("cause", "enough");
      }
    }
  });
});
