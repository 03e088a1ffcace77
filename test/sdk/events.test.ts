import { describe, expect, test } from "vitest";
import { clientOf, errorOf, fails, type FakeOptions, neverSent, type Reply, success } from "./fake-service.ts";

const done = { taskid: "t-1", url: ["http://localhost/1.png"], task_status: 7, image_status: 7 };

/** A client whose requests take 100 ms each. */
function observed(replies: readonly Reply[], options: FakeOptions = {}) {
  const client = clientOf(replies, { latencyMs: 100, retries: undefined, ...options });
  return { ...client, start: client.now() };
}

const about = { kind: "image", model: "imgmodelz", requestId: undefined };
const generation = { operation: "generateImgmodelz", ...about, taskid: undefined, generationId: undefined };
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
    const error = { name: "NeverSentError", message: "nothing was sent (fetch failed: why)" };
    const [first, second] = [start + 100, start + 450];
    const retried = { type: "retried", ...generation };
    expect(events).toMatchObject([
      { ...retried, at: first, durationMs: 100, attempt: 1, delayMs: 250, status: undefined, error },
      { ...retried, at: second, durationMs: 450, attempt: 2, delayMs: 2_000, status: 429, error: undefined },
      {
        type: "generated",
        ...generation,
        taskid: "t-1",
        at: start + 2_550,
        durationMs: 2_550,
        attempt: 3,
        resultCount: 1,
      },
    ]);
  });

  test("a generation of unknown outcome, with the error that it throws", async () => {
    const { generate, events, start } = observed([fails(new TypeError("fetch failed"))]);
    const error = await errorOf(generate());
    expect(events).toEqual([{ type: "failed", ...generation, at: start + 100, durationMs: 100, error }]);
  });

  test("each poll of a wait that fails, as a retry, and once that the task has ended", async () => {
    const { generate, events } = observed([
      () => success({ taskid: "t-1" }),
      fails(new TypeError("fetch failed")),
      () => success({ ...done, url: [] }),
      () => success(done),
    ]);
    const task = await generate();
    await task.wait();
    await task.check();
    const error = { name: "ConnectionError" };
    expect(events.slice(1)).toMatchObject([
      { type: "retried", ...query, durationMs: 100, attempt: 1, delayMs: expect.any(Number), status: undefined, error },
      { type: "ended", kind: "image", model: "imgmodelz", taskid: "t-1", state: "succeeded", status: 7 },
    ]);
    const ended = events.find(({ type }) => type === "ended");
    expect(ended).toHaveProperty(
      "durationMs",
      ended && "at" in ended ? Math.round(ended.at - (task.createdAt ?? 0)) : NaN,
    );
  });

  test("that a task has failed, where the caller's reading says so", async () => {
    const { media, events, start } = observed([() => success({ ...done, url: [] })], { statuses: { failed: [7] } });
    await media.image.task("t-1").check();
    expect(events.at(-1)).toEqual({
      type: "ended",
      kind: "image",
      model: undefined,
      taskid: "t-1",
      state: "failed",
      status: 7,
      at: start + 100,
      durationMs: undefined,
    });
  });
});
