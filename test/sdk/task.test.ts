import type { TaskJSON } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOnAClock } from "./client-on-a-clock.ts";
import { clientOf, created, errorOf, rejection, success } from "./fake-service.ts";

// What media.task rejects otherwise is in messages.txt.

test("a task is plain JSON and resumes in another client", async () => {
  const first = clientOnAClock([]);
  const task = await first.media.image.generate("imgmodelv45", { prompt: "A fox", batchsize: 4 });
  const saved = JSON.stringify(task);
  const facts = {
    version: 2,
    kind: "image",
    model: "imgmodelv45",
    taskid: "t-1",
    origin: "http://localhost",
  };
  expect(JSON.parse(saved)).toEqual({ ...facts, resultCount: 4, createdAt: 1_800_000_000_000 });
  const second = clientOnAClock([{ url: ["1", "2", "3", "4"] }]);
  const resumed = second.media.task(JSON.parse(saved) as TaskJSON);
  expect(resumed.toJSON()).toEqual(task.toJSON());
  expect((await resumed.wait()).url).toHaveLength(4);
});

test("a URL that the service returns at creation is saved with the task", async () => {
  const { media, generate } = clientOf([
    () => success({ taskid: "t-1", url: "http://localhost/1.png" }),
  ]);
  const task = await generate();
  expect([task.initialUrl, media.task(task.toJSON()).initialUrl]).toEqual(
    Array(2).fill("http://localhost/1.png"),
  );
});

test("a check polls once and does not sleep, and the saved task has what it learned", async () => {
  const { media, queries, elapsed } = clientOnAClock([{ url: ["1"] }]);
  let saved = media.image.task("t-1", { resultCount: 2 }).toJSON();
  for (const state of ["pending", "pending", "succeeded"]) {
    // As in a queue: each check in another process.
    const task = media.task(JSON.parse(JSON.stringify(saved)) as TaskJSON);
    const record = { taskid: "t-1", url: ["1"], image_status: 1, task_status: 1 };
    // The age of the task is unknown.
    expect(await task.check()).toEqual({
      state,
      status: 1,
      record,
      ...(state === "pending" && { afterMs: 10_000 }),
    });
    saved = task.toJSON();
    // Half a minute passes between two checks.
    if (saved.partial)
      saved = { ...saved, partial: { ...saved.partial, since: saved.partial.since - 30_000 } };
  }
  expect([queries.length, elapsed()]).toEqual([3, 0]);
});

test("a pending check says when the next one is worth it: the later, the older the task is", async () => {
  const { media, now } = clientOf([() => success({ taskid: "t-1", url: [] })]);
  const saved = { ...media.image.task("t-1").toJSON(), model: "imgmodelz" };
  const delays: number[] = [];
  for (const ageMs of [-5_000, 0, 1_000, 10_000, 60_000, 3_600_000]) {
    const check = await media.task({ ...saved, createdAt: now() - ageMs }).check();
    delays.push(check.state === "pending" ? check.afterMs : NaN);
  }
  expect(delays[0]).toBe(delays[1]);
  expect(delays.at(-1)).toBeGreaterThan(4 * (delays[1] ?? NaN));
  expect(delays.slice(1)).toEqual(delays.slice(1).toSorted((a, b) => a - b));
  expect(delays.every((ms) => Number.isInteger(ms) && ms >= 200 && ms <= 60_000)).toBe(true);
});

test("a task that the service does not know is pending within a minute of its generation, as in a wait", async () => {
  const { media, generate, now } = clientOf([() => created("t-1"), rejection], { latencyMs: 100 });
  const task = await generate();
  const afterMs = expect.any(Number);
  expect(await task.check()).toEqual({
    state: "pending",
    status: undefined,
    record: undefined,
    afterMs,
  });
  const old = media.task({ ...task.toJSON(), createdAt: now() - 60_000 });
  for (const other of [old, media.image.task("t-1")])
    expect(await errorOf(other.check())).toMatchObject({ name: "ServiceError", code: 9999 });
  // The clock of the host that generated it is a day ahead: that is no new task.
  const ahead = media.task({ ...task.toJSON(), createdAt: now() + 86_400_000 });
  expect(await errorOf(ahead.check())).toMatchObject({ name: "ServiceError", code: 9999 });
});

test.for([401, 403, 429, 500])(
  "a check of a new task does not hide HTTP %d, with an envelope or without",
  async (status) => {
    for (const body of ["", '{"code":9999,"msg":"no"}']) {
      const { generate } = clientOf([() => created("t-1"), () => new Response(body, { status })]);
      expect(await errorOf((await generate()).check())).toMatchObject({ status, billed: "yes" });
    }
  },
);

describe("a record of another task", () => {
  const replies = [() => created("t-1"), () => created("OTHER"), () => created("t-1")];

  test("is a failed query, which may be repeated", async () => {
    const { media, generate } = clientOf(replies);
    await generate();
    expect(await errorOf(media.image.query("t-1"))).toMatchObject({
      name: "ServiceError",
      isRetryable: true,
      message: expect.stringContaining("the record names another task (OTHER)"),
    });
  });

  test("does not end a wait, and its results are not fetched", async () => {
    const { generate } = clientOf(replies);
    const updates: unknown[] = [];
    const task = await generate();
    const record = await task.wait({ onUpdate: ({ error }) => void updates.push(error) });
    expect(record).toMatchObject({ taskid: "t-1" });
    expect(updates).toMatchObject([{ name: "ServiceError" }, undefined]);
  });
});

describe("results that arrive one every 30 seconds are all waited for", () => {
  const start = Date.UTC(2026, 10, 21);
  /** A client of a service that makes four pictures, and a clock that the test moves. */
  function slowService() {
    let now = start;
    const url = () => ["1", "2", "3", "4"].slice(0, 1 + Math.floor((now - start) / 30_000));
    const fetch = async () => success({ taskid: "t-1", url: url() });
    const sleep = async (ms: number, signal: AbortSignal, reason: string) => {
      if (reason !== "pause") return new Promise<void>(() => undefined);
      signal.throwIfAborted();
      now += ms;
    };
    const media = clientOf([], { fetch, clock: { now: () => now, sleep } }).media;
    const json = media.image.task("t-1", { resultCount: 4 }).toJSON();
    const task = media.task({ ...json, model: "imgmodelv4", createdAt: start });
    return { task, pass: (ms: number) => void (now += ms) };
  }

  test("by a wait, and by three waits of one task", async () => {
    const { task } = slowService();
    const results = new Set<number | undefined>();
    await slowService().task.wait({ onUpdate: (update) => void results.add(update.results) });
    expect([...results]).toEqual([1, 2, 3, 4]);
    const records = await Promise.all([task.wait(), task.wait(), task.wait()]);
    for (const { url } of records) expect(url).toHaveLength(4);
  });

  test("by checks that follow afterMs, each in another process", async () => {
    const { task, pass } = slowService();
    let check = await task.check();
    while (check.state === "pending") {
      pass(check.afterMs);
      check = await task.check();
    }
    expect(check.record?.url).toHaveLength(4);
  });
});
