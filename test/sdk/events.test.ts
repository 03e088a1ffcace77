import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, type MediaGenEvent, type MediaGenOptions } from "@mediagen/sdk";
import { describe, expect, test, vi } from "vitest";

const envelope = (data: object) => Response.json({ code: 1000, msg: "", data });
const done = { taskid: "t-1", url: ["http://localhost/1.png"], task_status: 7, image_status: 7 };

/** A client whose requests get the replies in turn, each after 100 ms of its clock, and all that it tells. */
function toldClient(replies: readonly (Response | Error)[], options: MediaGenOptions = {}) {
  let now = 1_000;
  let sent = 0;
  const events: MediaGenEvent[] = [];
  const media = createMediaGen({
    baseUrl: "http://localhost",
    now: () => now,
    random: () => 0.5,
    sleep: (ms, signal, why) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        if (why === "pause") setImmediate(() => ((now += ms), resolve()));
      }),
    fetch: async () => {
      now += 100;
      const reply = replies[sent++] ?? new Error("no more replies");
      if (reply instanceof Error) throw reply;
      return reply;
    },
    onEvent: (event) => void events.push(event),
    ...options,
  });
  return { media, events };
}

const refused = new TypeError("fetch failed", {
  cause: Object.assign(new Error("no"), { code: "ECONNREFUSED", syscall: "connect" }),
});
const generation = { operation: "generateImgmodelz", kind: "image", model: "imgmodelz" };
const query = { operation: "queryImageTask", kind: "image", model: "imgmodelz", taskid: "t-1" };

describe("a client tells", () => {
  test("of a generation, with its attempts and what they took", async () => {
    const { media, events } = toldClient([
      refused,
      new Response("", { status: 429, headers: { "retry-after": "2" } }),
      envelope({ taskid: "t-1" }),
    ]);
    await media.image.generate("imgmodelz", { prompt: "A fox" });
    expect(events).toEqual([
      {
        type: "retried",
        ...generation,
        taskid: undefined,
        at: 1_100,
        durationMs: 100,
        attempt: 1,
        delayMs: 250,
        status: undefined,
        error: refused,
      },
      {
        type: "retried",
        ...generation,
        taskid: undefined,
        at: 1_450,
        durationMs: 450,
        attempt: 2,
        delayMs: 2_000,
        status: 429,
        error: undefined,
      },
      { type: "generated", ...generation, taskid: "t-1", at: 3_550, durationMs: 2_550, attempt: 3 },
    ]);
  });

  test("of a generation of unknown outcome, with the error that it throws", async () => {
    const { media, events } = toldClient([new TypeError("fetch failed")]);
    const error: unknown = await media.image
      .generate("imgmodelz", { prompt: "A fox" })
      .catch((thrown: unknown) => thrown);
    expect(events).toEqual([{ type: "outcomeUnknown", ...generation, at: 1_100, durationMs: 100, attempt: 1, error }]);
  });

  test("of each query of a wait, also of those that fail, and once that the task has come to its end", async () => {
    const { media, events } = toldClient([
      envelope({ taskid: "t-1" }),
      new TypeError("fetch failed"),
      envelope({ ...done, url: [] }),
      envelope(done),
      envelope(done),
    ]);
    const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
    await task.wait();
    await task.check();
    expect(events.slice(1)).toEqual([
      {
        type: "queried",
        ...query,
        at: expect.any(Number),
        durationMs: 100,
        attempt: 1,
        status: undefined,
        error: expect.objectContaining({ name: "ConnectionError" }),
      },
      { type: "queried", ...query, at: expect.any(Number), durationMs: 100, attempt: 1, status: 7, error: undefined },
      { type: "queried", ...query, at: expect.any(Number), durationMs: 100, attempt: 1, status: 7, error: undefined },
      expect.objectContaining({
        type: "settled",
        kind: "image",
        model: "imgmodelz",
        taskid: "t-1",
        state: "succeeded",
        status: 7,
      }),
      { type: "queried", ...query, at: expect.any(Number), durationMs: 100, attempt: 1, status: 7, error: undefined },
    ]);
    const settled = events.find(({ type }) => type === "settled");
    expect(settled).toHaveProperty("durationMs", settled && "at" in settled ? settled.at - (task.createdAt ?? 0) : NaN);
  });

  test("that a task has failed, where the caller's reading says so", async () => {
    const { media, events } = toldClient([envelope({ ...done, url: [] })], { statuses: { failed: [7] } });
    await media.image.task("t-1").check();
    expect(events.at(-1)).toEqual({
      type: "settled",
      kind: "image",
      model: undefined,
      taskid: "t-1",
      state: "failed",
      status: 7,
      at: 1_100,
      durationMs: undefined,
    });
  });

  test("of each result that has arrived", async () => {
    const emulator = createEmulator({ clock: "auto" });
    const events: MediaGenEvent[] = [];
    const media = createMediaGen({ ...emulator.client, onEvent: (event) => void events.push(event) });
    const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
    await task.wait();
    const [blob] = await task.blobs();
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

test("a listener that throws or rejects costs no task and ends no process: the console has it", async () => {
  const rejections: unknown[] = [];
  const rejected = (error: unknown) => void rejections.push(error);
  process.on("unhandledRejection", rejected);
  const told = vi.spyOn(console, "error").mockReturnValue();
  const mine = new Error("mine");
  const throws = () => {
    throw mine;
  };
  try {
    for (const onEvent of [throws, async () => throws()]) {
      const { media } = toldClient([envelope({ taskid: "t-1" })], { onEvent });
      expect((await media.image.generate("imgmodelz", { prompt: "A fox" })).taskid).toBe("t-1");
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(told.mock.calls).toEqual([
      ["mediagen: onEvent threw at generated", mine],
      ["mediagen: onEvent threw at generated", mine],
    ]);
    expect(rejections).toEqual([]);
  } finally {
    told.mockRestore();
    process.off("unhandledRejection", rejected);
  }
});
