import { createEmulator } from "@mediagen/emulator";
import { blobs, createMediaGen, type MediaGenEvent } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOf, errorOf, fails, type FakeOptions, neverSent, type Reply, success } from "./fake-service.ts";

const done = { taskid: "t-1", url: ["http://localhost/1.png"], task_status: 7, image_status: 7 };

/** A client whose requests take 100 ms each. */
function observed(replies: readonly Reply[], options: FakeOptions = {}) {
  const client = clientOf(replies, { latencyMs: 100, retries: undefined, random: () => 0.5, ...options });
  return { ...client, start: client.now() };
}

/** An id that the events of one generation share. */
const someId = expect.stringMatching(/^[a-z0-9]{5,}$/);
const about = { kind: "image", model: "imgmodelz", requestId: undefined };
const generation = { operation: "generateImgmodelz", ...about, taskid: undefined, generationId: someId };
const query = { operation: "queryImageTask", ...about, taskid: "t-1", generationId: undefined };

describe("a client emits", () => {
  test("durations in whole milliseconds, as the updates of waits have them", async () => {
    const { media, generate, events } = observed([() => success({ taskid: "t-1" }), () => success(done)], {
      latencyMs: 100.4,
    });
    const elapsed: number[] = [];
    await (await generate()).wait({ onUpdate: ({ elapsedMs }) => void elapsed.push(elapsedMs) });
    await errorOf(media.recover());
    const durations = events.map((event) => ("durationMs" in event ? event.durationMs : 0) ?? 0);
    expect([...elapsed, ...durations].filter((ms) => !Number.isInteger(ms))).toEqual([]);
    expect(elapsed).toHaveLength(1);
  });

  test("each retry of a generation and its task, with its attempts and what they took", async () => {
    const { generate, events, start } = observed([
      neverSent,
      () => new Response("", { status: 429, headers: { "retry-after": "2" } }),
      () => success({ taskid: "t-1" }),
    ]);
    await generate();
    expect(events).toEqual([
      {
        type: "retried",
        ...generation,
        at: start + 100,
        durationMs: 100,
        attempt: 1,
        delayMs: 250,
        status: undefined,
        error: expect.objectContaining({ name: "NeverSentError", message: "nothing was sent (fetch failed: why)" }),
      },
      {
        type: "retried",
        ...generation,
        at: start + 450,
        durationMs: 450,
        attempt: 2,
        delayMs: 2_000,
        status: 429,
        error: undefined,
      },
      {
        type: "generated",
        ...generation,
        taskid: "t-1",
        at: start + 2_550,
        durationMs: 2_550,
        attempt: 3,
        resultCount: 1,
        seed: undefined,
        origin: "http://localhost",
      },
    ]);
    expect(new Set(events.map((event) => "generationId" in event && event.generationId)).size).toBe(1);
  });

  test("a generation of unknown outcome, with the error that it throws", async () => {
    const { generate, events, start } = observed([fails(new TypeError("fetch failed"))]);
    const error = await errorOf(generate());
    expect(events).toEqual([{ type: "failed", ...generation, at: start + 100, durationMs: 100, attempt: 1, error }]);
  });

  test("each query of a wait, also of those that fail, and once that the task has come to its end", async () => {
    const { generate, events } = observed([
      () => success({ taskid: "t-1" }),
      fails(new TypeError("fetch failed")),
      () => success({ ...done, url: [] }),
      () => success(done),
    ]);
    const task = await generate();
    await task.wait();
    await task.check();
    expect(events.slice(1)).toEqual([
      {
        type: "failed",
        ...query,
        at: expect.any(Number),
        durationMs: 100,
        attempt: 1,
        error: expect.objectContaining({ name: "ConnectionError" }),
      },
      { type: "queried", ...query, at: expect.any(Number), durationMs: 100, attempt: 1, status: 7 },
      { type: "queried", ...query, at: expect.any(Number), durationMs: 100, attempt: 1, status: 7 },
      expect.objectContaining({
        type: "settled",
        kind: "image",
        model: "imgmodelz",
        taskid: "t-1",
        state: "succeeded",
        status: 7,
      }),
      { type: "queried", ...query, at: expect.any(Number), durationMs: 100, attempt: 1, status: 7 },
    ]);
    const settled = events.find(({ type }) => type === "settled");
    expect(settled).toHaveProperty(
      "durationMs",
      settled && "at" in settled ? Math.round(settled.at - (task.createdAt ?? 0)) : NaN,
    );
  });

  test("that a task has failed, where the caller's reading says so", async () => {
    const { media, events, start } = observed([() => success({ ...done, url: [] })], { statuses: { failed: [7] } });
    await media.image.task("t-1").check();
    expect(events.at(-1)).toEqual({
      type: "settled",
      kind: "image",
      model: undefined,
      taskid: "t-1",
      state: "failed",
      status: 7,
      at: start + 100,
      durationMs: undefined,
    });
  });

  test("each result that has arrived", async () => {
    const emulator = createEmulator({ clock: "auto" });
    const events: MediaGenEvent[] = [];
    const media = createMediaGen({ ...emulator.client, onEvent: (event) => void events.push(event) });
    const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
    await task.wait();
    const [blob] = await blobs(task);
    expect(events.at(-1)).toMatchObject({
      type: "downloaded",
      operation: "download",
      kind: "image",
      model: "imgmodelz",
      taskid: task.taskid,
      index: 0,
      count: 1,
      bytes: blob?.size,
      attempt: 1,
    });
  });
});

describe("a task that may have failed", () => {
  const record = (status: number | undefined, message: string) => () =>
    success({ taskid: "t-1", url: [], image_status: status, message });
  const warned = ({ events }: ReturnType<typeof observed>) => events.filter(({ type }) => type === "taskMayHaveFailed");
  /** Checks a task as often as there are records. */
  const checked = async (records: readonly Reply[], options: FakeOptions = {}) => {
    const client = observed(records, options);
    const task = client.media.image.task("t-1");
    for (const _ of records) await task.check();
    return client;
  };

  test("is reported once for each status: three checks show the same message and a status of unknown meaning", async () => {
    const failed = record(3, "the picture was rejected");
    const two = await checked([record(1, ""), failed, failed]);
    expect(warned(two)).toEqual([]);
    const client = await checked([record(1, ""), failed, failed, failed, failed]);
    expect(warned(client)).toEqual([
      {
        type: "taskMayHaveFailed",
        kind: "image",
        model: undefined,
        taskid: "t-1",
        status: 3,
        message: "the picture was rejected",
        at: client.start + 400,
      },
    ]);
  });

  test.for<[string, readonly Reply[], FakeOptions]>([
    ["while its message changes", ["10 %", "20 %", "30 %", "40 %"].map((message) => record(1, message)), {}],
    ["while its status changes", [1, 2, 1, 2].map((status) => record(status, "busy")), {}],
    ["without a message", Array(4).fill(record(3, "")), {}],
    ["without a status", Array(4).fill(record(undefined, "busy")), {}],
    ["if its status is known", Array(4).fill(record(3, "no")), { statuses: { failed: [3] } }],
    ["if its status is declared as pending", Array(4).fill(record(1, "generating")), { statuses: { pending: [1] } }],
    ["if classify knows it", Array(4).fill(record(3, "busy")), { classify: () => "pending" as const }],
  ])("is not reported %s", async ([_, records, options]) => {
    expect(warned(await checked(records, options))).toEqual([]);
  });

  test("is reported for one of many tasks with the same status, and for a task with another status", async () => {
    const statuses = [1, 1, 1, 1, 2];
    const records = statuses.flatMap((status) => Array<Reply>(3).fill(record(status, "generating")));
    const client = observed(records);
    const tasks = statuses.map((_, index) => client.media.image.task(`t-${index}`));
    for (const task of tasks) for (let checks = 0; checks < 3; checks++) await task.check();
    expect(warned(client)).toMatchObject([
      { status: 1, taskid: "t-0" },
      { status: 2, taskid: "t-4" },
    ]);
  });
});
