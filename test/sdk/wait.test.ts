import { createEmulator } from "@mediagen/emulator";
import { createMediaGen, ServiceError, TaskFailedError, WaitTimeoutError, type WaitUpdate } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOnAClock } from "./client-on-a-clock.ts";
import { errorOf } from "./fake-service.ts";

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
    const { media, queries } = clientOnAClock([pending], { clock: { random: () => random } });
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
  await expect(media.video.task("t-1").wait({ waitTimeoutMs: Number.NaN })).rejects.toMatchObject({
    issues: [{ field: "waitTimeoutMs" }],
  });
});

test("a deadline past the range of timers is slept for in parts that they take", async () => {
  const slept: number[] = [];
  const media = createMediaGen({
    baseUrl: "http://localhost",
    clock: { now: () => 0, sleep: (ms) => (slept.push(ms), new Promise(() => undefined)) },
    fetch: async () => Response.json({ code: 1000, msg: "", data: { taskid: "t-1", url: ["http://localhost/1"] } }),
  });
  await media.video.task("t-1").wait({ waitTimeoutMs: 1e12 });
  expect(Math.max(...slept)).toBe(2 ** 31 - 1);
});

describe("an onUpdate that never settles", () => {
  const never = () => new Promise<never>(() => undefined);

  test("does not keep a wait beyond its deadline, which ends as its last check said", async () => {
    const failed = clientOnAClock([{ status: 3 }], { statuses: { failed: [3] } });
    const succeeded = clientOnAClock([done]);
    const unfinished = clientOnAClock([pending]);
    const wait = ({ media }: typeof failed) => media.video.task("t-1").wait({ waitTimeoutMs: 800, onUpdate: never });
    await expect(wait(failed)).rejects.toBeInstanceOf(TaskFailedError);
    expect((await wait(succeeded)).url).toEqual(done.url);
    await expect(wait(unfinished)).rejects.toBeInstanceOf(WaitTimeoutError);
    for (const { elapsed, queries } of [failed, succeeded, unfinished])
      expect([elapsed(), queries.length]).toEqual([800, 1]);
  });

  test("does not keep a wait that is aborted", async () => {
    const { media, elapsed } = clientOnAClock([done]);
    const controller = new AbortController();
    const onUpdate = () => {
      queueMicrotask(() => controller.abort("enough"));
      return never();
    };
    await expect(media.video.task("t-1").wait({ onUpdate, signal: controller.signal })).rejects.toBe("enough");
    expect(elapsed()).toBe(0);
  });

  test("may still reject when the wait is over: nothing hears of it", async () => {
    const rejections: unknown[] = [];
    const rejected = (error: unknown) => void rejections.push(error);
    process.on("unhandledRejection", rejected);
    const late = Promise.withResolvers<never>();
    const { media } = clientOnAClock([pending]);
    const wait = media.video.task("t-1").wait({ waitTimeoutMs: 800, onUpdate: () => late.promise });
    await expect(wait).rejects.toBeInstanceOf(WaitTimeoutError);
    late.reject(new RangeError("mine"));
    await new Promise((resolve) => setTimeout(resolve));
    process.off("unhandledRejection", rejected);
    expect(rejections).toEqual([]);
  });
});

describe("a wait that times out", () => {
  test("has the last record and its status", async () => {
    const failed = { status: 3, message: "the picture was rejected" };
    const { media } = clientOnAClock([pending, failed, failed, failed, "lost"]);
    const error: unknown = await media.video
      .task("t-1")
      .wait({ waitTimeoutMs: 60_000 })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WaitTimeoutError);
    expect(error).toMatchObject({ status: 3, record: { task_status: 3, message: "the picture was rejected" } });
  });

  test("has neither if no query succeeded", async () => {
    const { media } = clientOnAClock(["lost"]);
    const error: unknown = await media.video
      .task("t-1")
      .wait()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "WaitTimeoutError", record: undefined, status: undefined });
  });
});

describe("a rejected key", () => {
  const html = (status: number) => ({ http: status });

  test.for([401, 403])(
    "ends a wait after three queries with HTTP %i in a row, over ten seconds, and the error has the task",
    async (status) => {
      const { media, queries, elapsed } = clientOnAClock([pending, html(status)]);
      const task = await media.video.generate("vidmodelv2", { prompt: "A fox" });
      const error: unknown = await task.wait().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({ task, status, code: undefined, operation: "queryVideoTask" });
      expect(queries).toHaveLength(1 + 7);
      expect(elapsed()).toBeLessThan(20_000);
    },
  );

  test("ends a wait after three queries that are far apart", async () => {
    const { media, queries } = clientOnAClock([{ http: 401, retryAfter: 30 }]);
    await expect(media.video.task("t-1").wait()).rejects.toMatchObject({ status: 401 });
    expect(queries).toHaveLength(3);
  });

  test("ends no wait within ten seconds, as behind a gateway that throttles", async () => {
    const throttled = { http: 403, retryAfter: 1 };
    const { media } = clientOnAClock([throttled, throttled, throttled, throttled, done]);
    expect((await media.video.task("t-1").wait()).url).toEqual(done.url);
  });

  test("is counted apart from queries that are rejected for another reason", async () => {
    const unknown = { code: 9999 };
    const late = { http: 403, retryAfter: 30 };
    const { media } = clientOnAClock([unknown, unknown, unknown, unknown, late, late, unknown, late, unknown, done]);
    expect((await media.video.task("t-1").wait()).url).toEqual(done.url);
  });

  test("ends no wait if it was accepted again by then, as behind a gateway that restarts", async () => {
    const { media } = clientOnAClock([html(403), html(401), pending, html(403), html(403), done]);
    expect((await media.video.task("t-1").wait()).url).toEqual(done.url);
  });
});

describe("a wait whose deadline passes while the machine sleeps", () => {
  test("resolves if the task has succeeded meanwhile", async () => {
    const emulator = createEmulator({ clock: "manual" });
    const media = createMediaGen({ ...emulator.client });
    const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
    const states: unknown[] = [];
    const wait = task.wait({ onUpdate: ({ state }) => void states.push(state) });
    emulator.clock.advance("1h");
    expect((await wait).url).toHaveLength(1);
    expect(states.at(-1)).toBe("succeeded");
  });

  test("rejects with its deadline if the task is not finished, or the poll fails", async () => {
    for (const fails of [false, true]) {
      const emulator = createEmulator({ clock: "manual" });
      let isDown = false;
      const fetch: typeof emulator.fetch = async (url, init) => {
        if (isDown) throw new TypeError("fetch failed");
        return emulator.fetch(url, init);
      };
      const media = createMediaGen({ ...emulator.client, fetch, classify: () => "pending" });
      const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
      isDown = fails;
      const wait = errorOf(task.wait());
      emulator.clock.advance("1h");
      expect(await wait).toHaveProperty("name", "WaitTimeoutError");
    }
  });

  test("rejects with the signal's reason if the signal has aborted", async () => {
    const emulator = createEmulator({ clock: "manual" });
    const media = createMediaGen({ ...emulator.client });
    const task = await media.image.generate("imgmodelz", { prompt: "A fox" });
    const controller = new AbortController();
    const wait = errorOf(task.wait({ signal: controller.signal }));
    emulator.clock.advance("1h");
    controller.abort("mine");
    expect(await wait).toBe("mine");
  });
});
