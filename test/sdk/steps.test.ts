import { createEmulator, type FaultName } from "@mediagen/emulator";
import { createMediaGen, type MediaGen, MediaGenError, memoryStore, type TaskJSON } from "@mediagen/sdk";
import { expect, test } from "vitest";
import { clientOnAClock } from "./client-on-a-clock.ts";
import { clientOf, created, errorOf, fails, fetchError, gate, neverSent, sharedStore } from "./fake-service.ts";

const form = { prompt: "A fox" };

/** A step of a queue: throws what the queue may repeat, and returns what becomes of the order otherwise. */
async function step(media: MediaGen, prompt = form): Promise<string> {
  try {
    return (await media.generate("imgmodelv4", prompt, { idempotencyKey: "order-1" })).taskid;
  } catch (error) {
    if (!MediaGenError.is(error) || (error.billed === "no" && error.isRetryable)) throw error;
    expect(error.advice).toMatch(/\.$/);
    return `aside, billed: ${error.billed}`;
  }
}

test.for([
  ["resetAfter", "aside, billed: maybe", "aside, billed: maybe"],
  ["emptyBody", "aside, billed: maybe", "aside, billed: maybe"],
  ["serverError", "aside, billed: maybe", "aside, billed: maybe"],
  ["insufficientCredits", "aside, billed: no", "created"],
  ["failure", "aside, billed: no", "created"],
  ["rateLimited", "thrown", "created"],
] as const satisfies readonly (readonly [FaultName, string, string])[])(
  "after %s a step is %s, and %s when it runs again: one generation is paid",
  async ([fault, first, second]) => {
    const emulator = createEmulator();
    const media = createMediaGen({ ...emulator.client, retries: 0, store: memoryStore() });
    emulator.next({ fault, on: "generate", retryAfter: "7" });
    const outcome = () =>
      step(media).then(
        (text) => (text === emulator.tasks[0]?.taskid ? "created" : text),
        () => "thrown",
      );
    expect([await outcome(), await outcome()]).toEqual([first, second]);
    expect(emulator.charges).toHaveLength(1);
  },
);

test("what a killed worker left is set aside and never sent, until a person resolves it", async () => {
  const store = sharedStore();
  const response = gate<Response>();
  const killed = clientOf([() => response.promise], { store });
  const slow = step(killed.media);
  await expect.poll(() => store.states()).toContain("sending");
  const [{ attempt, id = "" } = {}] = store.written();
  // It renews its record no longer.
  store.beforeWrite((record) => {
    if (record.attempt === attempt && record.state === "sending") throw new Error("killed");
  });
  const { media, sent } = clientOf([() => created("t-2")], { store });
  expect([await step(media), await step(media)]).toEqual(Array(2).fill("aside, billed: maybe"));
  expect(sent()).toBe(0);
  await media.resolve(id, "notCreated");
  expect(await step(media)).toBe("t-2");
  // A worker that was thought dead returns its own task, which is not lost either.
  response.resolve(created("t-1"));
  expect(await slow).toBe("t-1");
  expect((await media.recover()).tasks.map(({ taskid }) => taskid).sort()).toEqual(["t-1", "t-2"]);
});

test("a step that did not reach the service or the store is thrown, one that a certificate prevents is set aside", async () => {
  const store = sharedStore();
  const { media, sent } = clientOf([neverSent], { store });
  expect(await errorOf(step(media))).toMatchObject({ name: "ConnectionError" });
  store.beforeWrite(() => {
    throw new Error("no connection to the database");
  });
  expect(await errorOf(step(media))).toMatchObject({ name: "StoreError" });
  expect(sent()).toBe(1);
  const other = clientOf([fails(fetchError({ code: "CERT_HAS_EXPIRED" }))], { store: sharedStore() });
  expect(await step(other.media)).toBe("aside, billed: no");
});

test("an order whose form or key is not valid is set aside, and nothing of it is sent or recorded", async () => {
  const store = sharedStore();
  const { media, sent } = clientOf([() => created("t-1")], { store });
  expect(await step(media, { prompt: "" })).toBe("aside, billed: no");
  expect(store.states()).toEqual([]);
  expect(await step(media)).toBe("t-1");
  // The key stands for another form, which was paid.
  expect(await step(media, { prompt: "A hare" })).toBe("aside, billed: maybe");
  expect(sent()).toBe(1);
});

test("a check has the delay before the next one, and the saved task holds what it has learned", async () => {
  const { media } = clientOnAClock([{ url: ["1"] }, { url: ["1", "2"] }]);
  const saved: TaskJSON = { version: 2, kind: "image", taskid: "t-1", origin: "http://localhost", resultCount: 2 };
  const task = media.task(saved);
  expect(await task.check()).toMatchObject({ state: "pending", afterMs: expect.any(Number) });
  expect(task.toJSON()).toMatchObject({ partial: { count: 1, checks: 1 } });
  const { state, afterMs } = await media.task(task.toJSON()).check();
  expect([state, afterMs]).toEqual(["succeeded", undefined]);
});
