import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "@mediagen/emulator";
import {
  AuthenticationError,
  blobs,
  type MediaGen,
  memoryStore,
  NotFoundError,
  RateLimitError,
  ServiceError,
  type TaskJSON,
} from "@mediagen/sdk";
import { createMediaGen, download } from "@mediagen/sdk/node";
import { describe, expect, test } from "vitest";
import { startRawServer } from "../faults/raw-server.ts";
import {
  clientOf,
  created,
  errorOf,
  fails,
  type FakeOptions,
  lost,
  neverSent,
  rejection,
  type Reply,
  success,
} from "./fake-service.ts";

const status =
  (code: number, headers?: HeadersInit): Reply =>
  () =>
    new Response("no", { status: code, ...(headers && { headers }) });
const noCredits: Reply = () => Response.json({ code: 9000, msg: "no credits" });
const finished = () => success({ taskid: "t-1", url: ["http://localhost/1.png"] });
const unfinished = () => success({ taskid: "t-1", url: [], image_status: 3 });
const throws = () => {
  throw new Error("mine");
};
const aborted = AbortSignal.abort("enough");
const generate = (media: MediaGen, options = {}) => media.image.generate("imgmodelz", { prompt: "A fox" }, options);
const task = (media: MediaGen) => media.image.task("t-1");

describe("every rejection of every method emits one event with its error", () => {
  test.for<[string, string, (media: MediaGen) => Promise<unknown>, readonly Reply[], FakeOptions]>([
    ["an invalid form", "generateImgmodelz", (media) => media.image.generate("imgmodelz", {} as never), [], {}],
    ["a form of a model that nobody knows", "generate", (media) => media.generate("modelx", {}), [], {}],
    [
      "a model of the other kind",
      "generateVidmodelv2",
      (media) => media.image.generate("vidmodelv2" as never, {} as never),
      [],
      {},
    ],
    ["a generation that is rejected", "generateImgmodelz", generate, [rejection], {}],
    ["a generation without credits", "generateImgmodelz", generate, [noCredits], {}],
    ["a generation with a wrong key", "generateImgmodelz", generate, [status(401)], {}],
    ["a generation that was never sent", "generateImgmodelz", generate, [neverSent], {}],
    ["a generation whose response is lost", "generateImgmodelz", generate, [lost], {}],
    ["a generation that is vetoed", "generateImgmodelz", generate, [], { beforeGenerate: throws }],
    [
      "a generation whose signal is aborted",
      "generateImgmodelz",
      (media) => generate(media, { signal: aborted }),
      [],
      {},
    ],
    ["a key without a store", "generateImgmodelz", (media) => generate(media, { idempotencyKey: "k" }), [], {}],
    [
      "a store that fails",
      "generateImgmodelz",
      generate,
      [],
      { store: { ...memoryStore(), write: async () => throws() }, passing: ["pause"] },
    ],
    ["a query that is rejected", "queryImageTask", (media) => media.image.query("t-1"), [rejection], {}],
    ["a query without a response", "queryImageTask", (media) => media.image.query("t-1"), [fails("why")], {}],
    [
      "a query whose signal is aborted",
      "queryImageTask",
      (media) => media.image.query("t-1", { signal: aborted }),
      [],
      {},
    ],
    ["an invalid query", "queryImageTask", (media) => media.image.query("t-1", { colour: "red" } as never), [], {}],
    ["a deletion", "deleteImageTasks", (media) => media.image.delete(["t-1"]), [rejection], {}],
    ["a deletion of a task", "deleteImageTasks", (media) => task(media).delete(), [rejection], {}],
    ["a check", "queryImageTask", (media) => task(media).check(), [rejection], {}],
    [
      "a wait for a task that fails",
      "wait",
      (media) => task(media).wait(),
      [unfinished],
      { statuses: { failed: [3] } },
    ],
    [
      "a wait that lasts too long",
      "wait",
      (media) => task(media).wait({ waitTimeoutMs: 1 }),
      [unfinished],
      { passing: ["pause", "limit"] },
    ],
    ["a wait for a task that nobody knows", "wait", (media) => task(media).wait(), [rejection], {}],
    ["a wait whose signal is aborted", "wait", (media) => task(media).wait({ signal: aborted }), [unfinished], {}],
    ["a wait whose listener throws", "wait", (media) => task(media).wait({ onUpdate: throws }), [unfinished], {}],
    ["results that are not there yet", "download", (media) => blobs(task(media)), [unfinished], {}],
    ["results of a task that cannot be queried", "download", (media) => blobs(task(media)), [rejection], {}],
    [
      "a result that is gone",
      "download",
      (media) => blobs(task(media)),
      [finished, status(404), finished, status(404)],
      {},
    ],
    ["a result that does not arrive", "download", (media) => blobs(task(media)), [finished, fails("why")], {}],
    ["a recovery without a store", "recover", (media) => media.recover(), [], {}],
    ["a resolution of nothing", "resolve", (media) => media.resolve("g-1", "notCreated"), [], { store: memoryStore() }],
  ])("%s", async ([, operation, call, replies, options]) => {
    const { media, events } = clientOf(replies, options);
    const error = await call(media).then(
      () => expect.fail("it succeeded"),
      (thrown: unknown) => thrown,
    );
    const failures = events.filter((event) => event.type === "failed").filter((event) => event.error === error);
    expect(failures).toMatchObject([{ operation, at: expect.any(Number), durationMs: expect.any(Number) }]);
  });

  test("also if several calls reject with one error, as with the reason of their signal", async () => {
    const { media, events } = clientOf([]);
    const calls = [generate, generate, (client: MediaGen, options: object) => task(client).wait(options)];
    await Promise.all(calls.map((call) => errorOf(call(media, { signal: aborted }))));
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    await Promise.all(calls.map((call) => errorOf(call(media, { signal }))));
    expect(events.map((event) => event.type === "failed" && event.error)).toEqual([
      ...Array(3).fill("enough"),
      ...Array(3).fill(reason),
    ]);
  });

  test("a file that is there with other bytes", async () => {
    const emulator = createEmulator();
    const events: unknown[] = [];
    const media = createMediaGen({ ...emulator.client, onEvent: (event) => void events.push(event) });
    const made = await generate(media);
    await made.wait();
    const file = join(await mkdtemp(join(tmpdir(), "mediagen-")), "fox.png");
    await writeFile(file, "other bytes");
    const error = await errorOf(download(made, file));
    expect(events.at(-1)).toMatchObject({ type: "failed", operation: "download", taskid: made.taskid, error });
  });
});

test("the events of a generation that fails have its record's id, as its error has", async () => {
  const { media, events } = clientOf([neverSent, lost], { store: memoryStore(), retries: 1 });
  const error = await errorOf(generate(media));
  const { generationId } = error as { readonly generationId?: string };
  expect(generationId).toMatch(/\S/);
  expect(events).toMatchObject([
    { type: "retried", attempt: 1, generationId },
    { type: "failed", generationId, error },
  ]);
});

test("what was asked for stands in the event of a generation, and nothing of the prompt", async () => {
  const { media, events } = clientOf([() => created("t-1")]);
  await media.image.generate("imgmodelz", { prompt: "A secret fox", seed: 42 });
  expect(events).toMatchObject([{ type: "generated", taskid: "t-1", resultCount: 1, origin: "http://localhost" }]);
  expect(JSON.stringify(events)).not.toContain("secret");
});

describe("an HTTP status has a class of errors of its own", () => {
  test.for([
    [401, AuthenticationError],
    [403, AuthenticationError],
    [404, NotFoundError],
    [429, RateLimitError],
    [400, ServiceError],
  ] as const)("%i", async ([code, errorClass]) => {
    for (const call of [generate, (media: MediaGen) => media.image.query("t-1")]) {
      const error = await errorOf(call(clientOf([status(code)]).media));
      expect((error as Error).constructor).toBe(errorClass);
      expect(error).toMatchObject({ name: errorClass.name, status: code });
      expect(error).toBeInstanceOf(ServiceError);
    }
  });

  test("the one that ends a wait has it too", async () => {
    const { media } = clientOf([status(401)]);
    expect(await errorOf(task(media).wait())).toBeInstanceOf(AuthenticationError);
  });
});

describe("what a support team asks for", () => {
  const headers = { "X-Request-Id": "req-1 sk-canary" };

  test("is in a task, also after it was saved, and in each check, without the key", async () => {
    const named = (data: object) => () => Response.json({ code: 1000, msg: "", data }, { headers });
    const refused = () => Response.json({ code: 9999, msg: "no such task" }, { headers: { "request-id": "req-2" } });
    const { media } = clientOf([named({ taskid: "t-1" }), refused, named({ taskid: "t-1", url: ["1"] })]);
    const saved = JSON.parse(JSON.stringify(await generate(media))) as TaskJSON;
    expect(saved.requestId).toBe("req-1 [the API key]");
    const task = media.task(saved);
    expect(task.requestId).toBe(saved.requestId);
    expect(await task.check()).toMatchObject({ state: "pending", requestId: "req-2" });
    expect(await task.check()).toMatchObject({ state: "succeeded", requestId: "req-1 [the API key]" });
    expect("requestId" in (await generate(clientOf([() => created("t-1")]).media)).toJSON()).toBe(false);
  });

  test.for<[string, Reply]>([
    ["rejected", status(400, headers)],
    ["of unknown outcome", status(500, headers)],
  ])("is in the error and the event of a generation that is %s, without the key", async ([, reply]) => {
    const { media, events } = clientOf([reply]);
    expect(await errorOf(generate(media))).toMatchObject({ requestId: "req-1 [the API key]" });
    expect(events).toMatchObject([{ type: "failed", requestId: "req-1 [the API key]" }]);
  });

  test.for(["x-request-id", "request-id", "x-correlation-id", "x-trace-id", "x-amzn-requestid", "cf-ray"])(
    "is in the events of what succeeds, whether it is called %s",
    async (name) => {
      const replies = [created("t-1"), finished()].map((given) => (given.headers.set(name, "req-7"), () => given));
      const { media, events } = clientOf(replies);
      await (await generate(media)).check();
      expect(events).toMatchObject([{ type: "generated", requestId: "req-7" }, { type: "ended" }]);
    },
  );

  test("is in errors of the Node entry point", async () => {
    const reply = "HTTP/1.1 400 Bad\r\nX-Request-Id: req-9\r\nContent-Length: 0\r\n\r\n";
    const server = await startRawServer({ onRequest: (socket) => void socket.end(reply) });
    const media = createMediaGen({ baseUrl: server.baseUrl, apiKey: "sk-canary", retries: 0 });
    const error = await errorOf(generate(media));
    await server.close();
    expect(error).toMatchObject({ requestId: "req-9" });
  });
});
