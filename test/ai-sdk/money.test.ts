import { APICallError } from "@ai-sdk/provider";
import { createMediaGenProvider, VERSION } from "@mediagen/ai-sdk-provider";
import type { FaultName } from "@mediagen/emulator";
import { createMediaGen, memoryStore, OutcomeUnknownError, type TaskJSON } from "@mediagen/sdk";
import { experimental_generateVideo as generateVideo, generateImage } from "ai";
import { describe, expect, test } from "vitest";
import { shown } from "../shown.ts";
import { errorOf } from "../sdk/fake-service.ts";
import { createDesk, type Desk } from "./desk.ts";

type ImageCall = Partial<Parameters<typeof generateImage>[0]>;

const small = { prompt: "A fox in snow", size: "32x32" } as const;
const keyed = { headers: { "Idempotency-Key": "order-42" } };

/** Generates one small image. */
const generateOne = ({ mediagen }: Pick<Desk, "mediagen">, more: ImageCall = {}) =>
  generateImage({ model: mediagen.image("imgmodelz"), ...small, ...more });

/** The tasks of a call's images. */
const taskidsOf = ({ images }: Awaited<ReturnType<typeof generateImage>>) =>
  images.map(({ providerMetadata }) => String(providerMetadata?.["mediagen"]?.["taskid"]));
const billedIn = ({ emulator }: Desk) => emulator.charges.map(({ taskid }) => taskid);

describe("a generation", () => {
  test.for<[FaultName, charges: number, error: object, more?: { retryAfter: string }]>([
    ["failure", 0, { statusCode: 200, data: { billed: "no", code: 9999 } }],
    ["insufficientCredits", 0, { statusCode: 200, data: { billed: "no", code: 9000 } }],
    ["rateLimited", 0, { statusCode: 429, data: { billed: "no" } }, { retryAfter: "60" }],
    ["resetAfter", 1, { cause: expect.any(OutcomeUnknownError), data: { billed: "maybe" } }],
  ])(
    "after %s is not repeated by the AI SDK, and the error says what it means",
    async ([fault, charges, fields, more]) => {
      const desk = createDesk({ client: { retries: 0 } });
      desk.emulator.next({ fault, on: "generate", ...more });
      const error = await errorOf(generateOne(desk));
      const url = `${desk.media.origin}/v1/images/imgmodelz`;
      expect(error).toMatchObject({ name: "AI_APICallError", isRetryable: false, url, ...fields });
      expect([desk.emulator.calls.length, desk.emulator.charges.length]).toEqual([1, charges]);
      expect(shown(error)).not.toContain(desk.emulator.client.apiKey);
    },
  );

  test("after HTTP 429 is retried by the AI SDK, when the service says", async () => {
    const desk = createDesk({ client: { retries: 0 } });
    desk.emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "0" });
    expect((await generateOne(desk, { maxRetries: 1 })).images).toHaveLength(1);
    expect(desk.emulator.calls.map(({ status }) => status).slice(0, 2)).toEqual([429, 200]);
    desk.emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "3" });
    const responseHeaders = { "retry-after-ms": "3000" };
    expect(await errorOf(generateOne(desk, { maxRetries: 0 }))).toMatchObject({
      isRetryable: true,
      responseHeaders,
    });
  });

  test("that beforeGenerate rejects has its own error, and is not retried", async () => {
    const vetoes: Error[] = [];
    const beforeGenerate = () =>
      Promise.reject(vetoes[vetoes.push(new Error("the limit is reached")) - 1]);
    const desk = createDesk({ client: { beforeGenerate } });
    expect([await errorOf(generateOne(desk))]).toEqual(vetoes);
    expect(desk.emulator.calls).toEqual([]);
  });
});

describe("of several tasks of one call", () => {
  test.for<[string, FaultName, paid: number, again: number]>([
    ["is rejected", "failure", 2, 3],
    ["is lost", "resetAfter", 3, 3],
    ["fails", "taskFails", 3, 3],
  ])(
    "one that %s is a warning next to the others, and with a key it alone is repeated",
    async ([, fault, ...paid]) => {
      const desk = createDesk({ client: { store: memoryStore() } });
      desk.emulator.next({ fault, on: "generate" });
      const message = expect.stringMatching(/No task was created|A task may exist|failed/);
      for (const [call, charges] of paid.entries()) {
        const made = await generateOne(desk, { n: 3, ...keyed });
        const { images, warnings } = made;
        const mediagen = { task: { taskid: taskidsOf(made)[0], model: "imgmodelz" } };
        expect(images[0]?.providerMetadata).toMatchObject({ mediagen });
        expect(billedIn(desk)).toEqual(expect.arrayContaining(taskidsOf(made)));
        const isWhole = call === 1 && fault === "failure";
        expect(images).toHaveLength(isWhole ? 3 : 2);
        expect(warnings).toEqual(isWhole ? [] : [{ type: "other", message }]);
        expect(desk.emulator.charges).toHaveLength(charges);
      }
    },
  );

  test("all that fail are one error, which is not retried if one may have been billed", async () => {
    const desk = createDesk({ client: { retries: 0 } });
    desk.emulator.next({ fault: "resetAfter", on: "generate" });
    desk.emulator.next({ fault: "rateLimited", on: "generate" });
    const message = expect.stringMatching(/^(?=[^]*A task may exist)(?=[^]*HTTP 429)/);
    expect(await errorOf(generateOne(desk, { n: 2 }))).toMatchObject({
      isRetryable: false,
      message,
    });
    expect(desk.emulator.calls).toHaveLength(2);
  });
});

describe("a task that was billed", () => {
  test("and has no results is not generated again, and the error has it", async () => {
    const desk = createDesk({ waitTimeoutMs: 1_000 });
    const error = await errorOf(generateOne(desk, { prompt: "A fox #fail" }));
    // Without the SDK's own advice, which would contradict that of the provider.
    const message =
      /^Task image-\w+ was created and billed, and there is no result \([^()]*\)\. Do not generate again/;
    expect(error).toMatchObject({ isRetryable: false, message: expect.stringMatching(message) });
    expect(String(error)).not.toMatch(/error\.task\)|wait again/);
    const { tasks } = (error as APICallError).data as { tasks: TaskJSON[] };
    expect([desk.media.task(tasks[0] as TaskJSON).taskid]).toEqual(billedIn(desk));
  });

  test("is known to onTask when the call is aborted, which rejects with the signal's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("the page was closed");
    const onTask = () => controller.abort(reason);
    const desk = createDesk({ emulator: { clock: "manual" }, onTask });
    expect(await errorOf(generateOne(desk, { abortSignal: controller.signal }))).toBe(reason);
    expect(desk.tasks.map(({ taskid }) => taskid)).toEqual(billedIn(desk));
  });

  test("still has its result if onTask throws: the error is a warning", async () => {
    const desk = createDesk({ onTask: () => Promise.reject(new Error("the database is down")) });
    const { images, warnings } = await generateOne(desk);
    const message = expect.stringMatching(
      /^onTask failed for task image-\w+: the database is down$/,
    );
    expect([images.length, warnings]).toEqual([1, [{ type: "other", message }]]);
  });
});

describe("an idempotency key", () => {
  test("goes to the server behind a client without an API key", async () => {
    const seen: unknown[] = [];
    const { apiKey, ...client } = createDesk().emulator.client;
    const fetch: typeof client.fetch = (url, init) => {
      const headers = new Headers(init?.headers);
      if (headers.has("idempotency-key"))
        seen.push(["idempotency-key", "x-team", "user-agent"].map((name) => headers.get(name)));
      headers.set("authorization", apiKey);
      return client.fetch(url, { ...init, headers });
    };
    const mediagen = createMediaGenProvider({ media: createMediaGen({ ...client, fetch }) });
    await generateOne({ mediagen }, { headers: { ...keyed.headers, "x-team": "foxes" } });
    await generateOne({ mediagen });
    expect(seen).toEqual([
      ["order-42", "foxes", expect.stringMatching(`^ai/7\\S+ ai-sdk/mediagen/${VERSION}$`)],
      [expect.stringMatching(/^[\da-f-]{36}$/), null, expect.stringContaining("ai-sdk/mediagen/")],
    ]);
  });

  test("that the AI SDK makes for a video keys it too", async () => {
    const store = memoryStore();
    const desk = createDesk({ client: { store } });
    desk.emulator.next({ fault: "rateLimited", on: "generate", retryAfter: "0" });
    const download = async ({ url }: { readonly url: URL }) => {
      const response = await desk.emulator.fetch(url);
      return { data: new Uint8Array(await response.arrayBuffer()), mediaType: undefined };
    };
    const model = desk.mediagen.video("vidmodelv2");
    const { video } = await generateVideo({
      model,
      prompt: "A fox",
      maxRetries: 1,
      poll: { intervalMs: 1 },
      download,
    });
    expect(video.mediaType).toBe("video/mp4");
    const record = await store.get(desk.tasks[0]?.generationId ?? "");
    expect(record).toMatchObject({ idempotencyKey: expect.stringMatching(/^aisdk_vid_/) });
    expect(desk.emulator.charges).toHaveLength(1);
  });
});
