import {
  blobs,
  type GenerationEntry,
  type MediaGen,
  type MediaGenOptions,
  memoryStore,
} from "@mediagen/sdk";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  clientOf,
  errorOf,
  fails,
  type FakeOptions,
  lost,
  neverSent,
  rejection,
  type Reply,
  success,
  throwing,
} from "./fake-service.ts";

const data = { taskid: "t-1", url: ["http://localhost/1.png"], task_status: 7, image_status: 7 };
const created: Reply = () => success({ taskid: "t-1" });
const pending: Reply = () => success({ ...data, url: [] });
const done: Reply = () => success(data);
const throws = throwing(new Error("mine"));

/** A client whose requests take 100 ms each. */
function observed(replies: readonly Reply[], options: FakeOptions = {}) {
  const client = clientOf(replies, { latencyMs: 100, retries: undefined, ...options });
  return { ...client, start: client.now() };
}

const about = { kind: "image", model: "imgmodelz", requestId: undefined };
const generation = {
  operation: "generateImgmodelz",
  ...about,
  taskid: undefined,
  generationId: undefined,
};

describe("a client emits", () => {
  test("each retry of a generation and its task, with its attempts and what they took", async () => {
    const limited = () => new Response("", { status: 429, headers: { "retry-after": "2" } });
    const { generate, events, start } = observed([neverSent, limited, created]);
    await generate();
    const error = { name: "NeverSentError", message: "nothing was sent (fetch failed: why)" };
    const after = (durationMs: number, attempt: number) => ({
      at: start + durationMs,
      durationMs,
      attempt,
    });
    expect(events).toMatchObject([
      { type: "retried", ...generation, ...after(100, 1), delayMs: 250, status: undefined, error },
      {
        type: "retried",
        ...generation,
        ...after(450, 2),
        delayMs: 2_500,
        status: 429,
        error: undefined,
      },
      { type: "generated", ...generation, ...after(3_050, 3), taskid: "t-1", resultCount: 1 },
    ]);
  });

  test("a generation of unknown outcome, with the error that it throws", async () => {
    const lost = fails(new TypeError("fetch failed"));
    for (const store of [undefined, memoryStore()]) {
      const { generate, events, start } = observed([lost], { store });
      const error = await errorOf(generate());
      const { generationId } = error as { readonly generationId?: string };
      expect([generationId !== undefined, events]).toEqual([
        store !== undefined,
        [{ type: "failed", ...generation, generationId, at: start + 100, durationMs: 100, error }],
      ]);
    }
  });

  test("each poll of a wait that fails, as a retry, and once that the task has ended", async () => {
    const { generate, events } = observed([
      created,
      fails(new TypeError("fetch failed")),
      pending,
      done,
    ]);
    const task = await generate();
    await task.wait();
    await task.check();
    const query = {
      operation: "queryImageTask",
      ...about,
      taskid: "t-1",
      durationMs: 100,
      attempt: 1,
    };
    const error = { name: "ConnectionError" };
    expect(events.slice(1)).toMatchObject([
      { type: "retried", ...query, delayMs: expect.any(Number), status: undefined, error },
      {
        type: "ended",
        kind: "image",
        model: "imgmodelz",
        taskid: "t-1",
        state: "succeeded",
        status: 7,
      },
    ]);
    const [ended] = events.slice(-1);
    const at = ended && "at" in ended ? ended.at : NaN;
    expect(ended).toHaveProperty("durationMs", Math.round(at - (task.createdAt ?? NaN)));
  });

  test("that a task has failed, if the caller's reading says so", async () => {
    const { media, events, start } = observed([pending], { statuses: { failed: [7] } });
    await media.image.task("t-1").check();
    const task = { kind: "image", model: undefined, taskid: "t-1", state: "failed", status: 7 };
    const about = { at: start + 100, durationMs: undefined, results: 0, resultCount: 1 };
    expect(events).toEqual([{ type: "ended", ...task, ...about }]);
  });
});

describe("each method that rejects emits one event with its error", () => {
  const aborted = { signal: AbortSignal.abort("enough") };
  const generate = (media: MediaGen, options = {}) =>
    media.image.generate("imgmodelz", { prompt: "A fox" }, options);
  const task = (media: MediaGen) => media.image.task("t-1");

  // messages.test.ts expects the same of all other errors.
  test.for<
    [operation: string, (media: MediaGen) => Promise<unknown>, readonly Reply[], FakeOptions?]
  >([
    ["generateImgmodelz", generate, [], { beforeGenerate: throws }],
    [
      "generateImgmodelz",
      generate,
      [],
      { store: { ...memoryStore(), write: async () => throws() } },
    ],
    ["generateImgmodelz", (media) => generate(media, aborted), []],
    ["generate", (media) => media.generate("modelx", {}), []],
    ["generateVidmodelv2", (media) => media.image.generate("vidmodelv2" as never, {} as never), []],
    ["queryImageTask", (media) => media.image.query("t-1"), [rejection]],
    ["queryImageTask", (media) => media.image.query("t-1", aborted), []],
    ["queryImageTask", (media) => task(media).check(), [rejection]],
    ["deleteImageTasks", (media) => media.image.delete(["t-1"]), [rejection]],
    ["deleteImageTasks", (media) => task(media).delete(), [rejection]],
    ["wait", (media) => task(media).wait(aborted), [pending]],
    ["wait", (media) => task(media).wait({ onUpdate: throws }), [pending]],
    ["download", (media) => blobs(task(media)), [pending]],
    ["recover", (media) => media.recover(), []],
    [
      "resolve",
      (media) => media.resolve("g-1", "notCreated", { attempt: "a0" }),
      [],
      { store: memoryStore() },
    ],
  ])("%s", async ([operation, call, replies, options]) => {
    const { media, events } = clientOf(replies, { passing: ["pause"], ...options });
    const error = await call(media).then(
      () => expect.fail("it succeeded"),
      (thrown: unknown) => thrown,
    );
    const failed = events.filter((event) => event.type === "failed" && event.error === error);
    expect(failed).toMatchObject([
      { operation, at: expect.any(Number), durationMs: expect.any(Number) },
    ]);
  });

  test("also if several calls reject with one reason of their signals", async () => {
    const { media, events, sent } = clientOf();
    for (const reason of ["enough", new Error("enough")]) {
      const options = { signal: AbortSignal.abort(reason) };
      const calls = [generate(media, options), generate(media, options), task(media).wait(options)];
      expect(await Promise.all(calls.map(errorOf))).toEqual(Array(3).fill(reason));
      expect(events.splice(0)).toMatchObject(Array(3).fill({ type: "failed", error: reason }));
    }
    expect(sent()).toBe(0);
  });
});

/** What was printed to stderr. */
let printed: unknown[][];
/** The events that were printed. */
const lines = () =>
  printed.map(
    ([line]) => JSON.parse(String(line).replace("mediagen: ", "")) as Record<string, unknown>,
  );
/** A client without a listener. */
const clientWithout = (replies: readonly Reply[], options: FakeOptions = {}) =>
  clientOf(replies, { onEvent: undefined, ...options });

beforeEach(() => {
  printed = [];
  vi.spyOn(console, "error").mockImplementation((...given: unknown[]) => void printed.push(given));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe("with MEDIAGEN_LOG=1, each event is printed as one line", () => {
  beforeEach(() => vi.stubEnv("MEDIAGEN_LOG", "1"));

  test("with what happened, in order, whether or not there is a listener", async () => {
    const onEvent = vi.fn();
    const named = () => {
      const response = success({ taskid: "t-1" });
      response.headers.set("x-request-id", "req-1");
      return response;
    };
    await (await observed([neverSent, named, pending, done], { onEvent }).generate()).wait();
    const own = {
      operation: "generateImgmodelz",
      kind: "image",
      model: "imgmodelz",
      at: expect.any(Number),
    };
    const error = { name: "NeverSentError", message: "nothing was sent (fetch failed: why)" };
    const task = { taskid: "t-1", requestId: "req-1", resultCount: 1, origin: "http://localhost" };
    expect(lines()).toEqual([
      { type: "retried", ...own, durationMs: 100, attempt: 1, delayMs: 250, error },
      { type: "generated", ...own, durationMs: 450, attempt: 2, ...task },
      expect.objectContaining({
        type: "ended",
        kind: "image",
        taskid: "t-1",
        state: "succeeded",
        status: 7,
      }),
    ]);
    for (const [line, ...more] of printed)
      expect([String(line), more]).toEqual([expect.not.stringContaining("\n"), []]);
    expect(onEvent).toHaveBeenCalledTimes(3);
  });

  test("without the key and without a prompt, also if a call fails", async () => {
    const canary = "a canary\nof a prompt";
    const rejected = () =>
      Response.json({ code: 9999, msg: `sk-canary: ${canary} is not valid` }, { status: 400 });
    const replies: readonly Reply[] = [
      rejected,
      () => Response.json({ code: 9000, msg: canary }),
      () => Response.json({ code: 7, msg: canary }),
      () => new Response(canary, { status: 500 }),
      () => Promise.reject(new TypeError("fetch failed with sk-canary")),
      created,
    ];
    const client = clientWithout(replies);
    for (const _ of replies) await errorOf(client.generate(undefined, canary));
    await errorOf(
      client.media.image.generate("imgmodelv45", { prompt: canary, resolution: canary as "2K" }),
    );
    await errorOf(
      clientWithout([], { beforeGenerate: () => Promise.reject(new Error(canary)) }).generate(),
    );
    await clientWithout([rejected, done]).media.image.task("t-1").wait();
    expect(lines().map(({ type, error }) => [type, error])).toEqual([
      ["failed", { name: "ServiceError", status: 400, code: 9999 }],
      ["failed", { name: "InsufficientCreditsError", status: 200, code: 9000 }],
      ["failed", { name: "OutcomeUnknownError", status: 200, code: 7 }],
      ["failed", { name: "OutcomeUnknownError", status: 500 }],
      ["failed", { name: "OutcomeUnknownError" }],
      ["generated", undefined],
      ["failed", { name: "InvalidRequestError" }],
      ["failed", { name: "Error" }],
      ["retried", { name: "ServiceError", status: 400, code: 9999 }],
      ["ended", undefined],
    ]);
    expect(printed.join("\n")).not.toMatch(/canary/);
  });
});

test("without MEDIAGEN_LOG, only a task that is not recorded is printed, and only if there is no listener", async () => {
  const client = clientWithout([created, done, lost]);
  await (await client.generate()).wait();
  await errorOf(client.generate());
  expect(printed).toEqual([]);
  const memory = memoryStore();
  const write = async (entry: GenerationEntry) =>
    entry.state === "created" ? Promise.reject(new Error("the disk is full")) : memory.write(entry);
  const options: FakeOptions = { store: { ...memory, write }, passing: [] };
  const task = await clientWithout([created], options).generate();
  const error = { name: "Error", message: "the disk is full" };
  expect(lines()).toEqual([
    { type: "storeFailed", generationId: task.generationId, task: task.toJSON(), error },
  ]);
  const observer = clientOf([created], options);
  await observer.generate();
  expect(observer.events.map(({ type }) => type)).toContain("storeFailed");
  expect(printed).toHaveLength(1);
});

const mistake = new Error("mine");
test.for<[string, MediaGenOptions["onEvent"]]>([
  ["throws", throwing(mistake)],
  ["rejects", () => Promise.reject(mistake)],
])(
  "a listener that %s costs no task and ends no process, and its error is printed",
  async ([, onEvent]) => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    try {
      expect((await clientOf([created], { onEvent }).generate()).taskid).toBe("t-1");
      await vi.waitFor(() => expect(printed).toEqual([["mediagen: onEvent threw", mistake]]));
      await new Promise(setImmediate);
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off("unhandledRejection", unhandled);
    }
  },
);
