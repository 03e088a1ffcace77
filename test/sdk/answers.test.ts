import { ConnectionError, createMediaGen, InsufficientCreditsError, OutcomeUnknownError, ServiceError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";

const envelope = (code: number, data?: unknown) => JSON.stringify({ code, msg: "as it says", data });
const task = { taskid: "t-1", url: [] };

/** What generating and querying end in when every answer is this one. */
async function outcomes(answer: () => Response | Promise<Response>): Promise<{ generation: unknown; query: unknown; sent: number }> {
  let sent = 0;
  const media = createMediaGen({ baseUrl: "http://localhost", apiKey: "key", fetch: async () => (sent++, answer()) });
  const generation = await media.image.generate("imgmodelz", { prompt: "A fox" }).catch((error: unknown) => error);
  const query = await media.image.query("t-1").catch((error: unknown) => error);
  return { generation, query, sent };
}

describe("a refusal is told as such, and the generation was not accepted", () => {
  test.for([
    ["9999", 200, envelope(9999), ServiceError, { code: 9999, msg: "as it says" }],
    ["9000", 200, envelope(9000), InsufficientCreditsError, { code: 9000 }],
    ["9000 under 429", 429, envelope(9000), InsufficientCreditsError, { code: 9000, status: 429 }],
    ["9999 under 400", 400, envelope(9999), ServiceError, { code: 9999, status: 400 }],
    ["HTML under 403", 403, "<html>no</html>", ServiceError, { code: undefined, status: 403, answer: "<html>no</html>" }],
    ["501", 501, "", ServiceError, { status: 501 }],
  ] as const)("%s", async ([, status, body, type, fields]) => {
    const { generation, query } = await outcomes(() => new Response(body, { status }));
    for (const error of [generation, query]) {
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject(fields);
    }
  });
});

describe("whatever else comes leaves the outcome of a generation unknown, and it was sent once", () => {
  test.for([
    ["HTML", 200, "<!doctype html><title>Sign in</title>"],
    ["cut JSON", 200, '{"code":1000,"msg":"ok","data":{"task'],
    ["an empty body", 200, ""],
    ["null", 200, "null"],
    ["another shape", 200, '{"id":"t-1"}'],
    ["an unknown code", 200, envelope(1001, task)],
    ["a success without data", 200, envelope(1000)],
    ["a success under 500", 500, envelope(1000, task)],
    ["a failure under 500", 500, envelope(9999)],
    ["502 with HTML", 502, "<html>Bad gateway</html>"],
    ["a redirect", 307, ""],
    ["408", 408, ""],
    ["409", 409, envelope(9999)],
  ] as const)("%s", async ([, status, body]) => {
    const { generation, query, sent } = await outcomes(() => new Response(body, { status }));
    expect(generation).toBeInstanceOf(OutcomeUnknownError);
    expect(generation).toMatchObject({ operation: "generateImgmodelz", kind: "image", model: "imgmodelz", status, answer: body });
    expect(query).toBeInstanceOf(ServiceError);
    expect(query).toMatchObject({ operation: "queryImageTask", status, answer: body });
    expect(sent).toBe(2);
  });

  test("a success without a taskid", async () => {
    const { generation } = await outcomes(() => new Response(envelope(1000, { taskid: "" })));
    expect(generation).toBeInstanceOf(OutcomeUnknownError);
  });

  test("no answer", async () => {
    const cause = new TypeError("fetch failed");
    const { generation, query } = await outcomes(() => Promise.reject(cause));
    expect(generation).toBeInstanceOf(OutcomeUnknownError);
    expect(query).toBeInstanceOf(ConnectionError);
    expect([(generation as Error).cause, (query as Error).cause]).toEqual([cause, cause]);
  });

  test("an answer that breaks off", async () => {
    const broken = () => new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
    const { generation, query } = await outcomes(() => new Response(broken()));
    expect(generation).toBeInstanceOf(OutcomeUnknownError);
    expect(query).toBeInstanceOf(ConnectionError);
  });
});

test("a long answer is shown shortened", async () => {
  const { query } = await outcomes(() => new Response("x".repeat(5000)));
  expect((query as ServiceError).answer).toBe(`${"x".repeat(200)}... (5000 characters)`);
});

test("only what is needed of an answer is needed: nulls, numbers and missing fields lose no paid result", async () => {
  const { generation } = await outcomes(() => new Response(`{"code":1000,"data":{"taskid":17,"url":null,"__proto__":{"x":1}}}`));
  expect(generation).toMatchObject({ taskid: "17", created: { taskid: "17" } });
  const { query } = await outcomes(() => new Response(`{"code":1000,"msg":null,"data":{"url":[null,"a",3],"width":null}}`));
  expect(query).toEqual({ taskid: "t-1", url: ["a"], width: null });
});

test("Retry-After is told in milliseconds", async () => {
  const { query } = await outcomes(() => new Response("", { status: 429, headers: { "retry-after": "7" } }));
  expect(query).toMatchObject({ status: 429, retryAfterMs: 7000 });
});

describe("abort", () => {
  test("before sending sends nothing and rejects with the reason", async () => {
    let sent = 0;
    const media = createMediaGen({ baseUrl: "http://localhost", fetch: async () => (sent++, new Response("")) });
    const signal = AbortSignal.abort("enough");
    await expect(media.video.generate("vidmodelv2", { prompt: "A fox" }, { signal })).rejects.toBe("enough");
    await expect(media.video.query("t-1", { signal })).rejects.toBe("enough");
    expect(sent).toBe(0);
  });

  test("while the key is fetched sends nothing either", async () => {
    let sent = 0;
    const controller = new AbortController();
    const apiKey = async () => (controller.abort("enough"), "key");
    const media = createMediaGen({ baseUrl: "http://localhost", apiKey, fetch: async () => (sent++, new Response("")) });
    await expect(media.video.generate("vidmodelv2", { prompt: "A fox" }, { signal: controller.signal })).rejects.toBe("enough");
    expect(sent).toBe(0);
  });

  test("while sending leaves a generation unknown, and ends a query with the reason", async () => {
    const hang = (controller: AbortController) => (request: Request) =>
      new Promise<Response>((_, reject) => {
        request.signal.addEventListener("abort", () => reject(request.signal.reason));
        queueMicrotask(() => controller.abort("enough"));
      });
    for (const what of ["generate", "query"] as const) {
      const controller = new AbortController();
      const media = createMediaGen({ baseUrl: "http://localhost", fetch: hang(controller) });
      const { signal } = controller;
      if (what === "query") await expect(media.video.query("t-1", { signal })).rejects.toBe("enough");
      else await expect(media.video.generate("vidmodelv2", { prompt: "A" }, { signal })).rejects.toBeInstanceOf(OutcomeUnknownError);
    }
  });
});
