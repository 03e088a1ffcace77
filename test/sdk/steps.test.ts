import { createEmulator, type FaultName } from "@mediagen/emulator";
import {
  checkStep,
  createMediaGen,
  generateStep,
  MediaGenError,
  type GenerationMark,
  type TaskJSON,
} from "@mediagen/sdk";
import { expect, test } from "vitest";
import { clientOnAClock } from "./client-on-a-clock.ts";

/** A mark in memory that shows what it holds. */
function createMark() {
  let held: "begun" | TaskJSON | undefined;
  const mark: GenerationMark = {
    begin: async () => {
      const before = held;
      held ??= "begun";
      return before;
    },
    keep: async (task) => void (held = task),
    clear: async () => void (held = undefined),
  };
  return { mark, held: () => held };
}

/** A service and a client of it that leaves repeating to the queue. */
function createService() {
  const emulator = createEmulator();
  return { emulator, media: createMediaGen({ ...emulator.client, retries: 0 }) };
}

const model = "imgmodelv4";
const form = { prompt: "A fox" };

test("an order is generated once, however often its step runs, and each run answers the same task", async () => {
  const { emulator, media } = createService();
  const { mark, held } = createMark();
  const first = await generateStep(media, model, form, { mark });
  const task = { version: 1, kind: "image", model, taskid: emulator.tasks[0]?.taskid };
  expect(first).toEqual({ outcome: "created", task: expect.objectContaining(task), afterMs: expect.any(Number) });
  expect(held()).toEqual(first.outcome === "created" && first.task);
  expect(await generateStep(media, model, form, { mark })).toEqual(first);
  expect(emulator.charges).toHaveLength(1);
});

test("of steps that run at once one sends, and the others say that it may have been sent", async () => {
  const { emulator, media } = createService();
  const { mark } = createMark();
  const steps = await Promise.all([1, 2, 3].map(() => generateStep(media, model, form, { mark })));
  expect(steps.map(({ outcome }) => outcome)).toEqual(["created", "unknown", "unknown"]);
  expect(emulator.charges).toHaveLength(1);
});

test("what a worker left when it was killed is unknown and never sent, until a person takes the mark away", async () => {
  const { emulator, media } = createService();
  const { mark } = createMark();
  await mark.begin(); // The worker is killed here.
  for (const _ of [1, 2]) {
    expect(await generateStep(media, model, form, { mark })).toEqual({
      outcome: "unknown",
      why: expect.stringContaining("noted no answer"),
    });
  }
  expect(emulator.charges).toHaveLength(0);
  await mark.clear();
  expect(await generateStep(media, model, form, { mark })).toMatchObject({ outcome: "created" });
});

test("a worker that was thought dead settles what was unknown, by keeping its task", async () => {
  const { media } = createService();
  const { mark } = createMark();
  const slow = generateStep(media, model, form, { mark });
  expect(await generateStep(media, model, form, { mark })).toMatchObject({ outcome: "unknown" });
  const settled = await slow;
  expect(settled).toMatchObject({ outcome: "created" });
  expect(await generateStep(media, model, form, { mark })).toEqual(settled);
});

test.for(["resetAfter", "emptyBody", "serverError"] satisfies FaultName[])(
  "after %s the outcome is unknown, the mark stays, and the step sends nothing when it runs again",
  async (fault) => {
    const { emulator, media } = createService();
    const { mark, held } = createMark();
    emulator.next({ fault, on: "generate" });
    const step = await generateStep(media, model, form, { mark });
    expect(step).toEqual({ outcome: "unknown", why: expect.stringContaining("may have been paid") });
    expect(held()).toBe("begun");
    expect(await generateStep(media, model, form, { mark })).toMatchObject({ outcome: "unknown" });
    expect(emulator.charges).toHaveLength(1);
  },
);

test.for([
  ["rateLimited", { outcome: "again", afterMs: 7_000 }],
  ["insufficientCredits", { outcome: "creditsOut" }],
  ["failure", { outcome: "refused" }],
] as const)("after %s nothing was created, and the step may run again as a new one", async ([fault, expected]) => {
  const { emulator, media } = createService();
  const { mark, held } = createMark();
  emulator.next({ fault, on: "generate", retryAfter: "7" });
  expect(await generateStep(media, model, form, { mark })).toMatchObject({ ...expected, why: expect.any(String) });
  expect(held()).toBeUndefined();
  expect(await generateStep(media, model, form, { mark })).toMatchObject({ outcome: "created" });
});

test("a service that is not reached is tried again later", async () => {
  const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" });
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause: refused }));
  const media = createMediaGen({ baseUrl: "http://localhost", fetch, retries: 0 });
  const { mark, held } = createMark();
  expect(await generateStep(media, model, form, { mark })).toEqual({
    outcome: "again",
    why: expect.stringContaining("ECONNREFUSED"),
    afterMs: expect.any(Number),
  });
  expect(held()).toBeUndefined();
});

test("a form or model that is wrong is refused with every issue, and nothing is sent", async () => {
  const { emulator, media } = createService();
  const { mark, held } = createMark();
  expect(await generateStep(media, model, { prompt: "A fox", batchsize: 99 }, { mark })).toEqual({
    outcome: "refused",
    why: expect.stringContaining("batchsize"),
  });
  // The cast: jobs come from a queue, where no compiler looked at them.
  expect(await generateStep(media, "imgmodel9" as typeof model, form, { mark })).toEqual({
    outcome: "refused",
    why: expect.stringMatching(/imgmodel9.*imgmodelv4/),
  });
  expect([held(), emulator.calls]).toEqual([undefined, []]);
});

test("what beforeGenerate throws is thrown on, and leaves no mark", async () => {
  const { emulator } = createService();
  const veto = new Error("the budget is spent");
  const media = createMediaGen({ ...emulator.client, beforeGenerate: () => Promise.reject(veto) });
  const { mark, held } = createMark();
  await expect(generateStep(media, model, form, { mark })).rejects.toBe(veto);
  expect([held(), emulator.calls]).toEqual([undefined, []]);
});

test("a task that its mark cannot keep is named in the error", async () => {
  const { emulator, media } = createService();
  const { mark } = createMark();
  const full = new Error("the disk is full");
  const error = await generateStep(media, model, form, { mark: { ...mark, keep: () => Promise.reject(full) } }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MediaGenError);
  expect(error).toMatchObject({
    message: expect.stringContaining(emulator.tasks[0]?.taskid ?? "no task"),
    cause: full,
  });
});

test("a check answers what comes next: later each time while it is pending, then the record", async () => {
  const { media, queries } = clientOnAClock([{ url: [] }, { url: [] }, { url: ["1"] }]);
  const saved: TaskJSON = {
    version: 1,
    kind: "image",
    taskid: "t-1",
    origin: "http://localhost",
    results: 1,
    createdAt: 0,
  };
  const [young, old] = [
    await checkStep(media.task(saved), { now: () => 1_000 }),
    await checkStep(media.task(saved), { now: () => 600_000 }),
  ];
  expect([young, old]).toEqual([1, 2].map(() => ({ state: "pending", task: saved, afterMs: expect.any(Number) })));
  if (young.state !== "pending" || old.state !== "pending") throw new Error("they are pending");
  expect(young.afterMs).toBeLessThan(2_000);
  expect(old.afterMs).toBeGreaterThan(10_000);
  expect(await checkStep(media.task(saved))).toEqual({
    state: "succeeded",
    record: expect.objectContaining({ url: ["1"] }),
  });
  expect(queries).toHaveLength(3);
});

test("a task that a person found, whose creation is not known, ages from its first check on", async () => {
  const { media } = clientOnAClock([{ url: [] }]);
  const first = await checkStep(media.image.task("t-1"), { now: () => 1_000 });
  if (first.state !== "pending") throw new Error("it is pending");
  const task = media.task(first.task);
  const [old, overdue] = [
    await checkStep(task, { now: () => 601_000 }),
    await checkStep(task, { now: () => 1_801_000 }),
  ];
  expect([old, overdue]).toMatchObject([
    { state: "pending", afterMs: expect.toSatisfy((ms: number) => ms > 10_000) },
    { state: "overdue" },
  ]);
});

test("a query that is worth more delay is made less often", async () => {
  const { media } = clientOnAClock([{ url: [] }]);
  const task = media.task({
    version: 1,
    kind: "image",
    taskid: "t-1",
    origin: "http://localhost",
    results: 1,
    createdAt: 0,
  });
  const [often, seldom] = [
    await checkStep(task, { now: () => 60_000 }),
    await checkStep(task, { now: () => 60_000, worthOfQueryMs: 340 }),
  ];
  if (often.state !== "pending" || seldom.state !== "pending") throw new Error("they are pending");
  expect(seldom.afterMs / often.afterMs).toBeGreaterThan(1.8);
});

test("a pending task holds what its check has learned, failed ones are known by the client's statuses, and old ones are overdue", async () => {
  const { media } = clientOnAClock([{ url: ["1"] }, { status: 3 }, { url: [] }, "lost"], {
    statuses: { failed: [3] },
    retries: 0,
  });
  const saved: TaskJSON = {
    version: 1,
    kind: "image",
    taskid: "t-1",
    origin: "http://localhost",
    results: 2,
    createdAt: 0,
  };
  const now = () => 1_800_000;
  expect(await checkStep(media.task(saved), { now: () => 0 })).toMatchObject({
    state: "pending",
    task: { partial: { count: 1, checks: 1 } },
  });
  expect(await checkStep(media.task(saved), { now })).toMatchObject({ state: "failed", record: { image_status: 3 } });
  expect(await checkStep(media.task(saved), { now })).toMatchObject({ state: "overdue", record: { url: [] } });
  await expect(checkStep(media.task(saved), { now })).rejects.toMatchObject({ name: "ConnectionError" });
});
