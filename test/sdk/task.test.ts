import { InvalidRequestError, type TaskJSON } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOnAClock } from "./client-on-a-clock.ts";
import { clientOf, created, errorOf, rejection, success } from "./fake-service.ts";

test("a task is plain JSON and resumes in another client", async () => {
  const first = clientOnAClock([]);
  const task = await first.media.image.generate("imgmodelv45", { prompt: "A fox", batchsize: 4 });
  const saved = JSON.stringify(task);
  expect(JSON.parse(saved)).toEqual({
    version: 2,
    kind: "image",
    model: "imgmodelv45",
    taskid: "t-1",
    origin: "http://localhost",
    resultCount: 4,
    createdAt: 1_800_000_000_000,
  });
  const second = clientOnAClock([{ url: ["1", "2", "3", "4"] }]);
  const resumed = second.media.task(JSON.parse(saved) as TaskJSON);
  expect(resumed.toJSON()).toEqual(task.toJSON());
  expect((await resumed.wait()).url).toHaveLength(4);
});

test("what a model names at creation is kept with the task", async () => {
  const { media } = clientOf([() => success({ taskid: "t-1", url: "http://localhost/1.png" })]);
  const task = await media.image.generate("imgmodelv5", { prompt: "A fox" });
  expect(task.initialUrl).toBe("http://localhost/1.png");
  expect(media.task(task.toJSON()).initialUrl).toBe(task.initialUrl);
});

test("check asks once and does not sleep; what it learned goes along in the JSON", async () => {
  const { media, queries, elapsed } = clientOnAClock([{ url: ["1"] }]);
  let saved = media.image.task("t-1", { resultCount: 2 }).toJSON();
  for (const state of ["pending", "pending", "succeeded"]) {
    // As a queue does it: each check in another process.
    const task = media.task(JSON.parse(JSON.stringify(saved)) as TaskJSON);
    expect(await task.check()).toEqual({
      state,
      status: 1,
      record: { taskid: "t-1", url: ["1"], image_status: 1, task_status: 1 },
      // Nobody knows how old it is.
      ...(state === "pending" && { afterMs: 10_000 }),
    });
    saved = task.toJSON();
  }
  expect(queries).toHaveLength(3);
  expect(elapsed()).toBe(0);
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

describe("what is no task of this service is refused", () => {
  const good: TaskJSON = { version: 2, kind: "video", taskid: "t-1", origin: "http://localhost", resultCount: 1 };
  test.for([
    ["version", 1],
    ["kind", "sound"],
    ["taskid", ""],
    ["resultCount", 0],
    ["createdAt", Number.NaN],
    ["createdAt", "yesterday"],
    ["origin", "https://elsewhere.example"],
  ] as const)("%s", ([field, value]) => {
    const { media } = clientOnAClock([]);
    expect(media.task(good).taskid).toBe("t-1");
    expect(() => media.task({ ...good, [field]: value } as TaskJSON)).toThrow(
      expect.objectContaining({ name: "InvalidRequestError", issues: [expect.objectContaining({ field })] }),
    );
  });

  test("nothing at all", () => {
    expect(() => clientOnAClock([]).media.task(null as unknown as TaskJSON)).toThrow(InvalidRequestError);
  });
});

test("a task deletes itself by its kind", async () => {
  const sent: unknown[] = [];
  const { media } = clientOf([
    async (request) => {
      sent.push([new URL(request.url).pathname, await request.json()]);
      return success({ status: "Success" });
    },
  ]);
  await media.image.task("t-1").delete({ uid: "u-1" });
  expect(sent).toEqual([["/v1/images/deleteimagestask", { taskids: ["t-1"], uid: "u-1" }]]);
});

describe("a check of a task that the service does not know", () => {
  const unknown = () => clientOf([() => created("t-1"), rejection], { latencyMs: 100 });

  test("is pending within a minute of its generation, as in a wait, and an error later", async () => {
    const { media, generate, now } = unknown();
    const task = await generate();
    const afterMs = expect.any(Number);
    expect(await task.check()).toEqual({ state: "pending", status: undefined, record: undefined, afterMs });
    const saved = { ...task.toJSON(), createdAt: now() - 60_000 };
    expect(await errorOf(media.task(saved).check())).toMatchObject({ name: "ServiceError", code: 9999 });
  });

  test("is an error if nobody knows when it was generated", async () => {
    const { media } = clientOf([rejection]);
    expect(await errorOf(media.image.task("t-1").check())).toMatchObject({ name: "ServiceError", code: 9999 });
  });

  test("does not hide another rejection", async () => {
    const { generate } = clientOf([() => created("t-1"), () => new Response("", { status: 401 })]);
    expect(await errorOf((await generate()).check())).toMatchObject({ name: "AuthenticationError" });
  });
});
