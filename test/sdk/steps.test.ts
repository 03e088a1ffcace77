import { createEmulator, type FaultName } from "@mediagen/emulator";
import {
  checkStep,
  createMediaGen,
  generateStep,
  InvalidRequestError,
  memoryStore,
  stepError,
  type MediaGenOptions,
  type TaskJSON,
} from "@mediagen/sdk";
import { expect, test } from "vitest";
import { clientOnAClock } from "./client-on-a-clock.ts";
import { clientOf, created, errorOf, fails, fetchError, gate, neverSent, sharedStore } from "./fake-service.ts";

/** A service and a client of it that leaves retries to the queue. */
function createService(options: MediaGenOptions = {}) {
  const emulator = createEmulator();
  return { emulator, media: createMediaGen({ ...emulator.client, retries: 0, store: memoryStore(), ...options }) };
}

const model = "imgmodelv4";
const form = { prompt: "A fox" };
const order = { idempotencyKey: "order-1" };

test("an order is generated once, however often its step runs, and each run returns the same task", async () => {
  const { emulator, media } = createService();
  const first = await generateStep(media, model, form, order);
  const task = { version: 2, kind: "image", model, taskid: emulator.tasks[0]?.taskid };
  expect(first).toEqual({ outcome: "created", task: expect.objectContaining(task), afterMs: expect.any(Number) });
  expect(await generateStep(media, model, form, order)).toEqual(first);
  expect(emulator.charges).toHaveLength(1);
});

test("of steps that run at once one sends, and the others return its task", async () => {
  const { emulator, media } = createService();
  const steps = await Promise.all([1, 2, 3].map(() => generateStep(media, model, form, order)));
  expect(steps).toMatchObject(Array(3).fill({ outcome: "created", task: { taskid: emulator.tasks[0]?.taskid } }));
  expect(emulator.charges).toHaveLength(1);
});

test("what a killed worker left is unknown and never sent, until a person resolves it", async () => {
  const store = sharedStore();
  const response = gate<Response>();
  const killed = clientOf([() => response.promise], { store });
  const slow = generateStep(killed.media, model, form, order);
  await expect.poll(() => store.states()).toContain("sending");
  const attempt = store.written()[0]?.attempt;
  // It renews its record no longer.
  store.beforeWrite((record) => {
    if (record.attempt === attempt && record.state === "sending") throw new Error("killed");
  });
  const { media, sent } = clientOf([() => created("t-2")], { store });
  const steps = [await generateStep(media, model, form, order), await generateStep(media, model, form, order)];
  const unknown = {
    outcome: "unknown",
    reason: expect.stringContaining("its sender ended"),
    generationId: store.written()[0]?.id,
  };
  expect(steps).toEqual([unknown, unknown]);
  expect(sent()).toBe(0);
  await media.resolve(store.written()[0]?.id ?? "", "notCreated");
  expect(await generateStep(media, model, form, order)).toMatchObject({ outcome: "created", task: { taskid: "t-2" } });
  // A worker that was thought dead returns its own task, which is not lost either.
  response.resolve(created("t-1"));
  expect(await slow).toMatchObject({ outcome: "created", task: { taskid: "t-1" } });
  expect((await media.recover()).tasks.map(({ taskid }) => taskid).sort()).toEqual(["t-1", "t-2"]);
});

test.for(["resetAfter", "emptyBody", "serverError"] satisfies FaultName[])(
  "after %s the outcome is unknown, and the step sends nothing when it runs again",
  async (fault) => {
    const { emulator, media } = createService();
    emulator.next({ fault, on: "generate" });
    const step = await generateStep(media, model, form, order);
    expect(step).toEqual({
      outcome: "unknown",
      reason: expect.stringContaining("may have been billed"),
      generationId: expect.any(String),
    });
    expect(await generateStep(media, model, form, order)).toMatchObject({ ...step, reason: expect.any(String) });
    expect(emulator.charges).toHaveLength(1);
  },
);

test.for([
  ["rateLimited", { outcome: "again", afterMs: 7_000 }],
  ["insufficientCredits", { outcome: "creditsOut" }],
  ["failure", { outcome: "rejected" }],
] as const)("after %s nothing was created, and the step may run again as a new one", async ([fault, expected]) => {
  const { emulator, media } = createService();
  emulator.next({ fault, on: "generate", retryAfter: "7" });
  expect(await generateStep(media, model, form, order)).toMatchObject({ ...expected, reason: expect.any(String) });
  expect(await generateStep(media, model, form, order)).toMatchObject({ outcome: "created" });
});

test("if the service or the store is not reached, the step runs again later", async () => {
  const store = sharedStore();
  const { media, sent } = clientOf([neverSent], { store });
  const again = { outcome: "again", afterMs: expect.any(Number) };
  const notReached = { ...again, reason: expect.stringContaining("safe to retry") };
  expect(await generateStep(media, model, form, order)).toEqual(notReached);
  expect(store.states()).toEqual(["claimed", "sending", "notCreated"]);
  store.beforeWrite(() => {
    throw new Error("no connection to the database");
  });
  expect(await generateStep(media, model, form, order)).toEqual({
    ...again,
    reason: expect.stringContaining("no connection to the database"),
  });
  expect(sent()).toBe(1);
});

test("a form or model that is not valid is refused with every issue, and nothing is sent or recorded", async () => {
  const store = sharedStore();
  const { emulator, media } = createService({ store });
  expect(await generateStep(media, model, { prompt: "A fox", batchsize: 99 }, order)).toEqual({
    outcome: "rejected",
    reason: expect.stringContaining("batchsize"),
  });
  const unknown: string = "imgmodel9";
  expect(await generateStep(media, unknown, form, order)).toEqual({
    outcome: "rejected",
    reason: expect.stringMatching(/imgmodel9.*Nothing was sent\. Did you mean "imgmodelz"\?$/),
  });
  expect([store.states(), emulator.calls]).toEqual([[], []]);
});

test("a mistake in the program is thrown: a client without a store, a key that stands for another form", async () => {
  const { media } = createService();
  await generateStep(media, model, form, order);
  const withoutStore = createService({ store: undefined }).media;
  for (const step of [
    generateStep(withoutStore, model, form, order),
    generateStep(media, model, { prompt: "A hare" }, order),
  ]) {
    const error = await errorOf(step);
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ issues: [{ field: "idempotencyKey" }] });
  }
});

test.for([
  ["resetAfter", "unknown"],
  ["rateLimited", "again"],
  ["insufficientCredits", "creditsOut"],
  ["failure", "rejected"],
] as const)("stepError tells of the error after %s what generateStep returns: %s", async ([fault, outcome]) => {
  const { emulator, media } = createService();
  emulator.next({ fault, on: "generate", retryAfter: "7" });
  const next = stepError(await errorOf(media.image.generate(model, form, order)));
  expect(next).toMatchObject({ outcome, reason: expect.any(String), ...(outcome === "again" && { afterMs: 7_000 }) });
});

test("stepError rejects a form and a mistake in the program for good, and says nothing of other errors", async () => {
  const { media } = createService({ store: undefined });
  const invalid = await errorOf(media.image.generate(model, { prompt: "A fox", batchsize: 99 }));
  const mistake = await errorOf(media.image.generate(model, form, order));
  expect([invalid, mistake].map((error) => stepError(error)?.outcome)).toEqual(["rejected", "rejected"]);
  const others = [new TypeError("a bug"), new DOMException("enough", "AbortError"), "text", undefined];
  expect(others.map(stepError)).toEqual(others.map(() => undefined));
});

test("a certificate that is not valid rejects an order: its step would run again for ever", async () => {
  const { media } = clientOf([fails(fetchError({ code: "CERT_HAS_EXPIRED" }))], { store: sharedStore() });
  expect(await generateStep(media, model, form, order)).toMatchObject({
    outcome: "rejected",
    reason: expect.stringContaining("nothing was sent"),
  });
});

test("an order that the client's budget does not cover may run again: nothing was sent", async () => {
  const { media, sent } = clientOf([() => created("t-1")], { store: sharedStore(), budget: { generations: 1 } });
  expect(await generateStep(media, model, form, order)).toMatchObject({ outcome: "created" });
  expect(await generateStep(media, model, form, { idempotencyKey: "order-2" })).toEqual({
    outcome: "creditsOut",
    reason: expect.stringContaining("Nothing was sent"),
  });
  expect(await generateStep(media, model, form, order)).toMatchObject({ outcome: "created", task: { taskid: "t-1" } });
  expect(sent()).toBe(1);
});

test("what beforeGenerate throws is thrown, and the order may be generated later", async () => {
  const veto = new Error("the budget is spent");
  let isSpent = true;
  const beforeGenerate = () => (isSpent ? Promise.reject(veto) : undefined);
  const { emulator, media } = createService({ beforeGenerate });
  await expect(generateStep(media, model, form, order)).rejects.toBe(veto);
  expect(emulator.calls).toEqual([]);
  isSpent = false;
  expect(await generateStep(media, model, form, order)).toMatchObject({ outcome: "created" });
});

test("a task that the store cannot record is returned, and returned again", async () => {
  const store = sharedStore();
  store.beforeWrite(({ state }) => {
    if (state === "created") throw new Error("the disk is full");
  });
  const { media, events, sent } = clientOf([() => created("t-1")], { store });
  const steps = [await generateStep(media, model, form, order), await generateStep(media, model, form, order)];
  expect(steps).toMatchObject(Array(2).fill({ outcome: "created", task: { taskid: "t-1" } }));
  expect(events).toContainEqual(expect.objectContaining({ type: "storeFailed" }));
  expect(sent()).toBe(1);
});

test("a check returns what comes next: later each time while it is pending, then the record", async () => {
  const { media, queries } = clientOnAClock([{ url: [] }, { url: [] }, { url: ["1"] }]);
  const saved: TaskJSON = {
    version: 2,
    kind: "image",
    taskid: "t-1",
    origin: "http://localhost",
    resultCount: 1,
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

test("a pending task holds what its check has learned, failed ones are known by the client's statuses, and old ones are overdue", async () => {
  const { media } = clientOnAClock([{ url: ["1"] }, { status: 3 }, { url: [] }, "lost"], {
    statuses: { failed: [3] },
    retries: 0,
  });
  const saved: TaskJSON = {
    version: 2,
    kind: "image",
    taskid: "t-1",
    origin: "http://localhost",
    resultCount: 2,
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
