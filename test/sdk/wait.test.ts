import { createMediaGen, ServiceError, TaskFailedError, WaitTimeoutError, type WaitUpdate } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOnAClock } from "./client-on-a-clock.ts";

const pending = { url: [] };
const done = { url: ["http://localhost/1"] };

describe("a wait ends", () => {
  test("with the record once there are as many addresses as the form asked for", async () => {
    const { media, queries } = clientOnAClock([pending, { url: ["1"] }, { url: ["1", "2"] }, pending]);
    const task = await media.image.generate("imgmodelv4", { prompt: "A fox", batchsize: 2 });
    expect(await task.wait()).toMatchObject({ taskid: "t-1", url: ["1", "2"], image_status: 1 });
    expect(task.record?.url).toEqual(["1", "2"]);
    expect(queries).toHaveLength(3);
  });

  test("with fewer addresses once their count has not changed over three checks", async () => {
    const { media, queries } = clientOnAClock([
      pending,
      { url: ["1"] },
      { url: ["1", "2"] },
      { url: ["1", "2"] },
      { url: ["1", "2"] },
    ]);
    const task = await media.image.generate("imgmodelv4", { prompt: "A fox", batchsize: 3 });
    expect((await task.wait()).url).toEqual(["1", "2"]);
    expect(queries).toHaveLength(5);
  });

  test("at the deadline, exactly, with the task and the last trouble", async () => {
    const { media, elapsed } = clientOnAClock([pending, "lost"]);
    const task = await media.video.generate("vidmodelv2", { prompt: "A fox" });
    const error: unknown = await task.wait({ waitTimeoutMs: 60_000 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({ task, cause: { name: "ConnectionError" } });
    expect(elapsed()).toBe(60_000);
  });

  test("after 30 minutes where nothing else is said", async () => {
    const { media, elapsed } = clientOnAClock([pending]);
    await expect(media.video.task("t-1").wait()).rejects.toBeInstanceOf(WaitTimeoutError);
    expect(elapsed()).toBe(30 * 60_000);
  });

  test("at once when it is aborted, with the signal's reason", async () => {
    const controller = new AbortController();
    const { media, queries } = clientOnAClock([pending]);
    const onUpdate = ({ checks }: WaitUpdate) => checks === 2 && controller.abort("enough");
    await expect(media.video.task("t-1").wait({ onUpdate, signal: controller.signal })).rejects.toBe("enough");
    expect(queries).toHaveLength(2);
  });

  test("when the caller's statuses say that the task failed, with the record", async () => {
    const { media } = clientOnAClock([pending, { status: 9 }], { statuses: { failed: [9] } });
    const task = media.image.task("t-1");
    const error: unknown = await task.wait().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TaskFailedError);
    expect(error).toMatchObject({ task, record: { image_status: 9 } });
    expect((error as Error).message).toContain("Task t-1 failed");
  });

  test("when the caller's reading says so, and what it leaves open is read as usual", async () => {
    const { media, queries } = clientOnAClock([pending, { status: 5 }], {
      classify: (record) => ("image_status" in record && record.image_status === 5 ? "succeeded" : undefined),
    });
    expect(await media.image.task("t-1").wait()).toMatchObject({ image_status: 5, url: [] });
    expect(queries).toHaveLength(2);
  });

  test("after five refusals in a row, with the task", async () => {
    const { media, queries } = clientOnAClock([{ code: 9999 }, { code: 9999 }, "lost", pending, { code: 9999 }]);
    const task = media.video.task("t-1");
    const error: unknown = await task.wait().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ task, code: 9999 });
    expect(queries).toHaveLength(4 + 5);
  });

  test("after five refusals in a row, a minute after it began, where the clock that dated the task is ahead", async () => {
    const { media, elapsed } = clientOnAClock([{ code: 9999 }]);
    const createdAt = 1_800_000_000_000 + 3_600_000;
    const task = media.task({
      version: 2,
      kind: "video",
      taskid: "t-1",
      origin: media.origin,
      resultCount: 1,
      createdAt,
    });
    await expect(task.wait()).rejects.toMatchObject({ task, code: 9999 });
    expect(elapsed()).toBeGreaterThan(60_000);
    expect(elapsed()).toBeLessThan(120_000);
  });

  test("at once when the caller's own reading throws", async () => {
    const classify = () => {
      throw new RangeError("mine");
    };
    const { media, queries } = clientOnAClock([pending], { classify });
    await expect(media.video.task("t-1").wait()).rejects.toBeInstanceOf(RangeError);
    expect(queries).toHaveLength(1);
  });

  test("with the record when the caller's statuses say so, whatever its addresses", async () => {
    const { media } = clientOnAClock([pending, { status: 4 }], { statuses: { succeeded: [4] } });
    expect(await media.video.task("t-1").wait()).toMatchObject({ url: [], task_status: 4 });
  });

  test("at its deadline and when aborted, although fetch and key never settle", async () => {
    const never = () => new Promise<never>(() => undefined);
    for (const options of [{ fetch: never }, { apiKey: never }]) {
      const media = createMediaGen({ baseUrl: "http://localhost", ...options });
      await expect(media.video.task("t-1").wait({ waitTimeoutMs: 5 })).rejects.toBeInstanceOf(WaitTimeoutError);
      await expect(media.video.query("t-1", { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({
        name: "TimeoutError",
      });
    }
  });

  test("when the caller's own onUpdate throws", async () => {
    const { media } = clientOnAClock([pending]);
    for (const onUpdate of [
      () => {
        throw new RangeError("mine");
      },
      () => Promise.reject(new RangeError("mine")),
    ]) {
      await expect(media.video.task("t-1").wait({ onUpdate })).rejects.toBeInstanceOf(RangeError);
    }
  });
});

describe("a wait goes on", () => {
  test("over lost queries, HTML and server errors", async () => {
    const { media } = clientOnAClock(["lost", "lost", "lost", "lost", "lost", "lost", "lost", done]);
    expect((await media.video.task("t-1").wait()).url).toEqual(done.url);
  });

  test("while a task younger than a minute is refused, for it may not be known yet", async () => {
    const { media, elapsed } = clientOnAClock([...Array<{ code: number }>(9).fill({ code: 9999 }), done]);
    const task = await media.video.generate("vidmodelv2", { prompt: "A fox" });
    expect((await task.wait()).url).toEqual(done.url);
    expect(elapsed()).toBeLessThan(60_000);
  });

  test("over answers that are no record yet and keys that could not be had", async () => {
    let keys = 0;
    const apiKey = () => (keys++ < 3 ? Promise.reject(new Error("no key")) : Promise.resolve("key"));
    const { media } = clientOnAClock([...Array<{ code: number }>(9).fill({ code: 1001 }), done], { apiKey });
    expect((await media.video.task("t-1").wait()).url).toEqual(done.url);
  });

  test("over statuses that nobody knows, and shows each of them", async () => {
    const { media } = clientOnAClock([{ status: 77 }, { status: -1 }, "lost", { status: 3, url: ["1"] }]);
    const seen: unknown[] = [];
    await media.video.task("t-1").wait({ onUpdate: ({ state, status, checks }) => seen.push([checks, state, status]) });
    expect(seen).toEqual([
      [1, "pending", 77],
      [2, "pending", -1],
      [3, undefined, undefined],
      [4, "succeeded", 3],
    ]);
  });
});

test("the checks of an unknown model spread out as the task grows older, with jitter", async () => {
  const firsts: number[] = [];
  for (const random of [0.1, 0.9]) {
    const { media, queries } = clientOnAClock([pending], { random: () => random });
    await expect(media.video.task("t-1").wait({ waitTimeoutMs: 120_000 })).rejects.toBeInstanceOf(WaitTimeoutError);
    const within = (from: number, to: number) => queries.filter((at) => at >= from && at < to).length / (to - from);
    const rates = [within(0, 3_000), within(3_000, 15_000), within(15_000, 50_000), within(50_000, 118_000)];
    expect(rates).toEqual(rates.toSorted((a, b) => b - a));
    expect(rates[0]).toBeGreaterThan(3 * (rates[3] ?? 0));
    firsts.push(queries[1] ?? 0);
  }
  expect(firsts[1]).toBeGreaterThan((firsts[0] ?? 0) * 1.3);
});

test("it is looked once more, a second before the deadline", async () => {
  const { media, queries } = clientOnAClock([pending]);
  await expect(media.video.task("t-1").wait({ waitTimeoutMs: 120_000 })).rejects.toBeInstanceOf(WaitTimeoutError);
  expect(queries.at(-1)).toBe(119_000);
});

test("a deadline that is no time is refused", async () => {
  const { media } = clientOnAClock([pending]);
  await expect(media.video.task("t-1").wait({ waitTimeoutMs: Number.NaN })).rejects.toThrow("waitTimeoutMs");
});

test("a deadline past the range of timers is slept for in parts that they take", async () => {
  const slept: number[] = [];
  const media = createMediaGen({
    baseUrl: "http://localhost",
    now: () => 0,
    sleep: (ms) => (slept.push(ms), new Promise(() => undefined)),
    fetch: async () => Response.json({ code: 1000, msg: "", data: { taskid: "t-1", url: ["http://localhost/1"] } }),
  });
  await media.video.task("t-1").wait({ waitTimeoutMs: 1e12 });
  expect(Math.max(...slept)).toBe(2 ** 31 - 1);
});

test("a wait whose deadline passes while onUpdate takes its time still ends as its last check said", async () => {
  const slowly = (and: () => void) => async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    and();
  };
  const mine = new RangeError("mine");
  const throws = () => {
    throw mine;
  };
  const failing = clientOnAClock([{ status: 3 }], { statuses: { failed: [3] } });
  await expect(
    failing.media.video.task("t-1").wait({ waitTimeoutMs: 100, onUpdate: slowly(() => undefined) }),
  ).rejects.toBeInstanceOf(TaskFailedError);
  const pending = clientOnAClock([{}]);
  await expect(pending.media.video.task("t-1").wait({ waitTimeoutMs: 100, onUpdate: slowly(throws) })).rejects.toBe(
    mine,
  );
  expect([failing.elapsed(), pending.elapsed()]).toEqual([100, 100]);
});

test("a classify that answers no state, as an async one does, ends nothing", async () => {
  for (const answer of [Promise.resolve("pending"), "done"]) {
    const events: string[] = [];
    // The cast: the types refuse it.
    const classify = (() => answer) as unknown as () => undefined;
    const { media } = clientOnAClock([{}], { classify, onEvent: ({ type }) => void events.push(type) });
    await expect(media.video.task("t-1").check()).rejects.toThrow("classify");
    expect(events).toEqual(["queried"]);
  }
});
