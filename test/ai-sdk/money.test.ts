import { APICallError } from "@ai-sdk/provider";
import { createMediaGenProvider, VERSION } from "@mediagen/ai-sdk-provider";
import type { FaultName } from "@mediagen/emulator";
import { createMediaGen, memoryStore, OutcomeUnknownError, type TaskJSON } from "@mediagen/sdk";
import { experimental_generateVideo as generateVideo, generateImage } from "ai";
import { describe, expect, test, vi } from "vitest";
import { shown } from "../shown.ts";
import { createDesk, type Desk, errorOf } from "./desk.ts";

const small = { prompt: "A fox in snow", size: "32x32" } as const;

/** The task of a result. */
const taskidOf = ({ providerMetadata }: { readonly providerMetadata?: unknown }) =>
  (providerMetadata as { readonly mediagen: { readonly taskid: string } }).mediagen.taskid;

/** Generates one small image. */
const generateOne = ({ mediagen }: Desk, more: Partial<Parameters<typeof generateImage>[0]> = {}) =>
  generateImage({ model: mediagen.image("imgmodelz"), ...small, ...more });

test("a lost response is never billed again, in 50 calls of which a fifth are lost", async () => {
  const desk = createDesk();
  desk.emulator.next({ fault: "resetAfter", on: "generate", share: 0.2 });
  const calls = await Promise.allSettled(Array.from({ length: 50 }, () => generateOne(desk)));
  const errors = calls.flatMap((one) => (one.status === "rejected" ? [one.reason as APICallError] : []));
  expect(errors.length).toBeGreaterThan(4);
  for (const error of errors) {
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ isRetryable: false, message: expect.stringContaining("A task may exist") });
    expect(error.cause).toBeInstanceOf(OutcomeUnknownError);
  }
  const taskids = calls.flatMap((one) => (one.status === "fulfilled" ? one.value.images.map(taskidOf) : []));
  expect(new Set(taskids).size).toBe(50 - errors.length);
  expect(desk.emulator.charges.map(({ taskid }) => taskid)).toEqual(expect.arrayContaining(taskids));
  expect(desk.emulator.charges).toHaveLength(50);
});

describe("a generation that created no task", () => {
  test.for<[FaultName, code: number, statusCode: number]>([
    ["failure", 9999, 200],
    ["insufficientCredits", 9000, 200],
  ])("after %s is not retried", async ([fault, code, statusCode]) => {
    const desk = createDesk();
    desk.emulator.next({ fault, on: "generate" });
    const error = await errorOf(generateOne(desk));
    expect(error).toMatchObject({ name: "AI_APICallError", isRetryable: false, statusCode, data: { code } });
    expect([desk.emulator.calls.length, desk.emulator.charges.length]).toEqual([1, 0]);
    expect(shown(error)).not.toContain(desk.emulator.client.apiKey);
  });

  test("after HTTP 429 is retried by the AI SDK, when the service says", async () => {
    const desk = createDesk({ client: { retries: 0 } });
    desk.emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "0" });
    const { images } = await generateOne(desk, { maxRetries: 1 });
    expect(images).toHaveLength(1);
    expect(desk.emulator.calls.map(({ status }) => status).slice(0, 2)).toEqual([429, 200]);
    desk.emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "3" });
    expect(await errorOf(generateOne(desk, { maxRetries: 0 }))).toMatchObject({
      isRetryable: true,
      responseHeaders: { "retry-after-ms": "3000" },
    });
  });

  const reply = (status: number, body: object, headers = {}) =>
    Promise.resolve(Response.json(body, { status, headers }));
  test.for<[string, () => Promise<Response>]>([
    ["the credits are out, as HTTP 429", () => reply(429, { code: 9000, msg: "no" })],
    ["the service asks to wait for a minute", () => reply(429, { code: 9999, msg: "later" }, { "retry-after": "60" })],
  ])("because %s is not retried by the AI SDK", async ([, fetch]) => {
    const error = await errorOf(generateOne(createDesk({ client: { fetch, retries: 0 } })));
    expect(error).toMatchObject({ name: "AI_APICallError", isRetryable: false });
    expect((error as APICallError).cause).not.toBeInstanceOf(OutcomeUnknownError);
  });

  test("because it never left may be retried by the AI SDK", async () => {
    const media = createMediaGen({ baseUrl: "http://127.0.0.1:1", apiKey: "a-key" });
    const model = createMediaGenProvider({ media }).image("imgmodelz");
    const error = await errorOf(generateImage({ model, prompt: "A fox", maxRetries: 0 }));
    expect(error).toMatchObject({
      name: "AI_APICallError",
      isRetryable: true,
      message: expect.stringContaining("safe to retry"),
    });
  });

  test("because of beforeGenerate is its own error, and is not retried", async () => {
    const veto = new Error("the limit is reached");
    const beforeGenerate = vi.fn(() => Promise.reject(veto));
    const desk = createDesk({ client: { beforeGenerate } });
    expect(await errorOf(generateOne(desk))).toBe(veto);
    expect(beforeGenerate).toHaveBeenCalledTimes(1);
    expect(desk.emulator.calls).toEqual([]);
  });
});

describe("of several tasks of one call", () => {
  test.for<[string, FaultName]>([
    ["is rejected", "failure"],
    ["is lost", "resetAfter"],
    ["fails", "taskFails"],
  ])("one that %s is a warning, and the images of the others arrive", async ([, fault]) => {
    const desk = createDesk();
    desk.emulator.next({ fault, on: "generate" });
    const { images, warnings } = await generateOne(desk, { n: 3 });
    expect(images).toHaveLength(2);
    expect(warnings).toEqual([
      { type: "other", message: expect.stringMatching(/No task was created|A task may exist|failed/) },
    ]);
    expect(desk.emulator.charges).toHaveLength(fault === "failure" ? 2 : 3);
  });

  test("all that fail are one error, which is not retried if one may have been billed", async () => {
    const desk = createDesk({ client: { retries: 0 } });
    desk.emulator.next({ fault: "resetAfter", on: "generate" });
    desk.emulator.next({ fault: "rateLimited", on: "generate" });
    const error = await errorOf(generateOne(desk, { n: 2 }));
    expect(error).toMatchObject({
      isRetryable: false,
      message: expect.stringMatching(/^(?=[^]*A task may exist)(?=[^]*HTTP 429)/),
    });
    expect(desk.emulator.calls).toHaveLength(2);
  });

  test("each image names its task", async () => {
    const desk = createDesk();
    const { images } = await generateOne(desk, { n: 2 });
    const named = images.map(taskidOf);
    expect(images[0]?.providerMetadata).toMatchObject({ mediagen: { task: { taskid: named[0], model: "imgmodelz" } } });
    expect(named.sort()).toEqual(desk.emulator.charges.map(({ taskid }) => taskid).sort());
    expect(desk.tasks.map(({ taskid }) => taskid).sort()).toEqual(named);
  });
});

describe("a task that was billed", () => {
  test("and has no results is not generated again, and the error has it", async () => {
    const desk = createDesk({ waitTimeoutMs: 1_000 });
    const error = await errorOf(generateOne(desk, { prompt: "A fox #fail" }));
    expect(error).toMatchObject({
      isRetryable: false,
      message: expect.stringMatching(
        /^Task image-\w+ was created and billed, and there is no result \([^()]*\)\. Do not gen/,
      ),
    });
    const { tasks } = (error as APICallError).data as { tasks: TaskJSON[] };
    expect(desk.media.task(tasks[0] as TaskJSON).taskid).toBe(desk.emulator.charges[0]?.taskid);
    expect(desk.emulator.charges).toHaveLength(1);
  });

  test("is known to onTask when the call is aborted, which rejects with the signal's reason", async () => {
    const controller = new AbortController();
    const known: string[] = [];
    const desk = createDesk({
      emulator: { clock: "manual" },
      onTask: ({ taskid }) => {
        known.push(taskid);
        controller.abort(new Error("the page was closed"));
      },
    });
    const error = await errorOf(generateOne(desk, { abortSignal: controller.signal }));
    expect(error).toMatchObject({ message: "the page was closed" });
    expect(known).toEqual(desk.emulator.charges.map(({ taskid }) => taskid));
  });

  test("still has its result if onTask throws: the error is a warning", async () => {
    const desk = createDesk({
      onTask: () => {
        throw new Error("the database is down");
      },
    });
    const { images, warnings } = await generateOne(desk);
    expect(images).toHaveLength(1);
    expect(warnings).toEqual([
      { type: "other", message: expect.stringMatching(/^onTask failed for task image-\w+: the database is down$/) },
    ]);
  });
});

describe("an idempotency key", () => {
  test.for<[string, Partial<Parameters<typeof generateImage>[0]>]>([
    ["as a header", { headers: { "Idempotency-Key": "order-42" } }],
    ["as an option", { providerOptions: { mediagen: { idempotencyKey: "order-42" } } }],
  ])("%s stands for the same tasks in every call", async ([, call]) => {
    const desk = createDesk({ client: { store: memoryStore() } });
    const taskidsOf = async () => {
      const { images } = await generateOne(desk, { n: 2, ...call });
      return images.map(taskidOf);
    };
    expect(await taskidsOf()).toEqual(await taskidsOf());
    expect(desk.emulator.charges).toHaveLength(2);
  });

  test("that is no key is rejected before any of several tasks is sent", async () => {
    const desk = createDesk({ client: { store: memoryStore() } });
    const providerOptions = { mediagen: { idempotencyKey: 42 } };
    for (const call of [{ headers: { "Idempotency-Key": "" } }, { providerOptions }])
      expect(await errorOf(generateOne(desk, { n: 2, ...call }))).toMatchObject({
        name: "AI_InvalidArgumentError",
        message: expect.stringContaining("Nothing was sent"),
      });
    expect(desk.emulator.calls).toEqual([]);
  });

  test("goes to the server behind a client without an API key", async () => {
    const seen: unknown[] = [];
    const desk = createDesk();
    const { apiKey, ...client } = desk.emulator.client;
    const fetch: typeof client.fetch = (url, init) => {
      const headers = new Headers(init?.headers);
      if (headers.has("idempotency-key"))
        seen.push([headers.get("idempotency-key"), headers.get("x-team"), headers.get("user-agent")]);
      headers.set("authorization", apiKey);
      return client.fetch(url, { ...init, headers });
    };
    const media = createMediaGen({ ...client, fetch });
    const model = createMediaGenProvider({ media }).image("imgmodelz");
    await generateImage({ model, ...small, headers: { "Idempotency-Key": "order-42", "x-team": "foxes" } });
    await generateImage({ model, ...small });
    expect(seen).toEqual([
      ["order-42", "foxes", expect.stringMatching(`^ai/7\\S+ ai-sdk/mediagen/${VERSION}$`)],
      [expect.stringMatching(/^[\da-f-]{36}$/), null, expect.stringContaining("ai-sdk/mediagen/")],
    ]);
  });

  test("that the AI SDK makes for a video keys it too", async () => {
    const store = memoryStore();
    const desk = createDesk({ client: { store } });
    const { next } = desk.emulator;
    next({ fault: "rateLimited", on: "generate", retryAfter: "0" });
    const download = async ({ url }: { readonly url: URL }) => {
      const response = await desk.emulator.fetch(url);
      return { data: new Uint8Array(await response.arrayBuffer()), mediaType: undefined };
    };
    const model = desk.mediagen.video("vidmodelv2");
    const { video } = await generateVideo({ model, prompt: "A fox", maxRetries: 1, poll: { intervalMs: 1 }, download });
    expect(video.mediaType).toBe("video/mp4");
    const { generationId = "" } = desk.tasks[0] ?? {};
    const record = await store.get(generationId);
    expect(record).toMatchObject({ idempotencyKey: expect.stringMatching(/^aisdk_vid_/) });
    expect(desk.emulator.charges).toHaveLength(1);
  });
});
