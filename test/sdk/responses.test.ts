import * as sdk from "@mediagen/sdk";
import { OutcomeUnknownError, ServiceError, type TaskJSON } from "@mediagen/sdk";
import { createMediaGen } from "@mediagen/sdk/node";
import { describe, expect, test } from "vitest";
import { startRawServer } from "../faults/raw-server.ts";
import { clientOf, created, errorOf, type Reply } from "./fake-service.ts";

// The owners of what a response means for the money are test/faults/matrix.test.ts and
// status-by-envelope.txt.

const text =
  (body: string, status = 200, headers: Record<string, string> = {}): Reply =>
  () =>
    new Response(body, { status, headers });
const json = (body: object, status?: number): Reply => text(JSON.stringify(body), status);

/** What generating and querying end in if every response is this one. */
async function outcomesOf(
  reply: Reply,
): Promise<{ readonly generation: unknown; readonly query: unknown }> {
  const { media, generate } = clientOf([reply], { clock: { now: () => 0 } });
  return { generation: await errorOf(generate()), query: await errorOf(media.image.query("t-1")) };
}

test("instanceof also knows an error of another copy of the SDK, by the names of its classes", async () => {
  const copy = await import("../../packages/sdk/src/index.ts");
  const error = new copy.RateLimitError(
    "busy",
    "queryVideoTask",
    { status: 429, body: "" },
    { advice: "" },
  );
  const classes = Object.values(sdk).filter(
    (one) => "prototype" in one && one.prototype instanceof Error,
  );
  const names = classes.filter((one) => error instanceof one).map(({ name }) => name);
  expect(names.toSorted()).toEqual(["MediaGenError", "RateLimitError", "ServiceError"]);
});

test("an unknown outcome has the operation and the response, shortened", async () => {
  const about = { status: 200, body: `${"x".repeat(200)}... (5000 characters)` };
  const { generation, query } = await outcomesOf(text("x".repeat(5_000)));
  expect(generation).toBeInstanceOf(OutcomeUnknownError);
  expect(generation).toMatchObject({
    operation: "generateImgmodelz",
    kind: "image",
    model: "imgmodelz",
    ...about,
  });
  expect(query).toMatchObject({ name: "ServiceError", operation: "queryImageTask", ...about });
  const rejection = await outcomesOf(json({ code: 9999, msg: "y".repeat(100_000) }));
  expect(String(rejection.query).length).toBeLessThan(400);
});

describe("of a response, only what the SDK needs must be there", () => {
  test.for<[taskid: string | undefined, text: string]>([
    ["t-1", '{"code":1000,"msg":"","data":{"taskid":"t-1","url":null,"__proto__":{"x":1}}}'],
    ["17", '{"code":1000,"data":{"taskid":17}}'],
    // It has lost digits.
    [undefined, '{"code":1000,"msg":"","data":{"taskid":12345678901234567890}}'],
    [undefined, '{"code":1000,"msg":"","data":{"taskid":""}}'],
    [undefined, '{"code":1000,"msg":""}'],
  ])("the task %s of %s", async ([taskid, body]) => {
    const { generation } = await outcomesOf(text(body, 201));
    expect(generation).toMatchObject(
      taskid ? { taskid, initialUrl: undefined } : { name: "OutcomeUnknownError", body },
    );
  });

  test("nulls and other shapes of URLs lose no result", async () => {
    const urlsOf = async (url: unknown) =>
      (await outcomesOf(json({ code: 1000, msg: null, data: { url, width: null } }))).query;
    for (const url of ["a", ["a"], [null, "a", 3, ""]])
      expect(await urlsOf(url)).toEqual({ taskid: "t-1", url: ["a"], width: null });
    expect(await urlsOf(undefined)).toEqual({ taskid: "t-1", url: [], width: null });
  });

  test("a deletion whose success has no data is no success", async () => {
    for (const body of [
      { code: 1000, msg: "" },
      { code: 1000, msg: "", data: null },
    ])
      expect(await errorOf(clientOf([json(body)]).media.image.delete(["t-1"]))).toBeInstanceOf(
        ServiceError,
      );
  });
});

describe("the id of a request, which a support team needs,", () => {
  const headers = { "X-Request-Id": "req-1 sk-canary" };
  const requestId = "req-1 [the API key]";

  test("is in a task, also after it was saved, and in each check, without the key", async () => {
    const named = (body: object) => text(JSON.stringify(body), 200, headers);
    const other = text('{"code":9999,"msg":"no such task"}', 200, { "request-id": "req-2" });
    const createdHere = named({ code: 1000, msg: "", data: { taskid: "t-1" } });
    const { media, generate } = clientOf([
      createdHere,
      other,
      named({ code: 1000, msg: "", data: { url: ["1"] } }),
    ]);
    const saved = JSON.parse(JSON.stringify(await generate())) as TaskJSON;
    const task = media.task(saved);
    expect([saved.requestId, task.requestId]).toEqual([requestId, requestId]);
    expect(await task.check()).toMatchObject({ state: "pending", requestId: "req-2" });
    expect(await task.check()).toMatchObject({ state: "succeeded", requestId });
    expect("requestId" in (await clientOf().generate()).toJSON()).toBe(false);
  });

  test.for([400, 500])(
    "is in the error and the event of a generation that ends in HTTP %i",
    async (status) => {
      const { generate, events } = clientOf([text("", status, headers)]);
      expect(await errorOf(generate())).toMatchObject({ requestId });
      expect(events).toMatchObject([{ type: "failed", requestId }]);
    },
  );

  test.for([
    "x-request-id",
    "request-id",
    "x-correlation-id",
    "x-trace-id",
    "x-amzn-requestid",
    "cf-ray",
  ])("is in the event of a task if its header is %s", async (name) => {
    const response = created("t-1");
    response.headers.set(name, "req-7");
    const { generate, events } = clientOf([() => response]);
    await generate();
    expect(events).toMatchObject([{ type: "generated", requestId: "req-7" }]);
  });

  test("is in errors of the Node entry point", async () => {
    const reply = "HTTP/1.1 400 Bad\r\nX-Request-Id: req-9\r\nContent-Length: 0\r\n\r\n";
    const server = await startRawServer({ onRequest: (socket) => void socket.end(reply) });
    const media = createMediaGen({ baseUrl: server.baseUrl, apiKey: "sk-canary", retries: 0 });
    const error = await errorOf(media.image.query("t-1"));
    await server.close();
    expect(error).toMatchObject({ requestId: "req-9" });
  });
});
