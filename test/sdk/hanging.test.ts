import { ConnectionError, type GenerationEntry, memoryStore, type SleepReason, StoreError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { clientOf, created, errorOf, forever, gate, sharedStore } from "./fake-service.ts";

const enough = new Error("enough");
const isState = (state: GenerationEntry["state"]) => (record: GenerationEntry) => record.state === state;

describe("an abort ends at once what hangs in the caller's own code, and nothing is sent", () => {
  test("beforeGenerate, with a store or without", async () => {
    for (const store of [undefined, memoryStore()]) {
      const controller = new AbortController();
      const asked = gate();
      const { media, sent } = clientOf([], { store, beforeGenerate: () => (asked.resolve(), forever()) });
      const generating = media.image.generate("imgmodelz", { prompt: "A fox" }, { signal: controller.signal });
      await asked.promise;
      controller.abort(enough);
      expect(await errorOf(generating)).toBe(enough);
      expect(sent()).toBe(0);
    }
  });

  test.for(["claimed", "sending"] as const)("a store that does not write `%s`", async (state) => {
    const store = sharedStore();
    const reached = gate();
    store.beforeWrite((record) => (isState(state)(record) ? (reached.resolve(), forever()) : undefined));
    const { media, sent } = clientOf([], { store, passing: ["pause", "limit"] });
    const controller = new AbortController();
    const options = { idempotencyKey: "order-1", signal: controller.signal };
    const generating = media.image.generate("imgmodelz", { prompt: "A fox" }, options);
    await reached.promise;
    controller.abort(enough);
    expect(await errorOf(generating)).toBe(enough);
    expect(sent()).toBe(0);
  });

  test("a store that reads nothing", async () => {
    const reached = gate();
    const hang = () => (reached.resolve(), forever());
    const { media, sent } = clientOf([], { store: { ...memoryStore(), get: hang as () => Promise<never> } });
    const controller = new AbortController();
    const options = { idempotencyKey: "order-1", signal: controller.signal };
    const calls = Promise.all(
      [
        media.image.generate("imgmodelz", { prompt: "A fox" }, options),
        media.resolve("id", "notCreated", { signal: controller.signal }),
      ].map(errorOf),
    );
    await reached.promise;
    controller.abort(enough);
    expect(await calls).toEqual([enough, enough]);
    expect(sent()).toBe(0);
  });

  test("a store that lists nothing", async () => {
    const controller = new AbortController();
    const next = () => (controller.abort(enough), forever() as Promise<never>);
    const list = () => ({ [Symbol.asyncIterator]: () => ({ next }) });
    const { media } = clientOf([], { store: { ...memoryStore(), list } });
    expect(await errorOf(media.recover({ signal: controller.signal }))).toBe(enough);
  });
});

test("a generation whose time is over while it is recorded as sending is not sent any more", async () => {
  const store = sharedStore();
  const [reached, held] = [gate(), gate()];
  store.beforeWrite((record) => (isState("sending")(record) ? (reached.resolve(), held.promise) : undefined));
  let clock = 0;
  // Only the time of the generation passes, once, and not that of the store.
  const sleep = async (ms: number, _: AbortSignal, reason: SleepReason) => {
    await (reason === "limit" && ms <= 5_000 && clock === 0 ? reached.promise : forever());
    clock += ms;
  };
  const { generate, sent } = clientOf([], { store, clock: { now: () => clock, sleep }, generateTimeoutMs: 5_000 });
  const generating = errorOf(generate("order-1"));
  await expect.poll(() => clock).toBe(5_000);
  held.resolve();
  expect(await generating).toBeInstanceOf(ConnectionError);
  expect(sent()).toBe(0);
});

test("a claim that is recorded after the abort is given back: the next generation of its key need not wait", async () => {
  const store = sharedStore();
  const [reached, held] = [gate(), gate()];
  store.beforeWrite((record) => (isState("claimed")(record) ? (reached.resolve(), held.promise) : undefined));
  const controller = new AbortController();
  const options = { idempotencyKey: "order-1", signal: controller.signal };
  const generating = clientOf([], { store }).media.image.generate("imgmodelz", { prompt: "A fox" }, options);
  await reached.promise;
  controller.abort(enough);
  expect(await errorOf(generating)).toBe(enough);
  held.resolve();
  await expect.poll(() => store.states()).toEqual(["claimed", "notCreated"]);
});

describe("a store that hangs", () => {
  test.for(["claimed", "sending"] as const)(
    "while it writes `%s` counts as failed, and nothing is sent",
    async (state) => {
      const store = sharedStore();
      store.beforeWrite((record) => (isState(state)(record) ? forever() : undefined));
      const { generate, sent } = clientOf([], { store, passing: ["pause", "limit"] });
      expect(await errorOf(generate("order-1"))).toBeInstanceOf(StoreError);
      expect(sent()).toBe(0);
    },
  );

  test("while it reads counts as failed, and nothing is sent", async () => {
    const get = forever as () => Promise<never>;
    const { generate, sent } = clientOf([], { store: { ...memoryStore(), get }, passing: ["pause", "limit"] });
    expect(await errorOf(generate("order-1"))).toBeInstanceOf(StoreError);
    expect(sent()).toBe(0);
  });

  test("while it lists counts as failed; one that takes its time for each record does not", async () => {
    const memory = memoryStore();
    const { generate } = clientOf([], { store: memory });
    for (const key of ["order-1", "order-2", "order-3"]) await generate(key);
    let clock = 0;
    const sleepers: { readonly until: number; readonly wake: () => void }[] = [];
    const sleep = (ms: number) => new Promise<void>((wake) => sleepers.push({ until: clock + ms, wake }));
    const pass = async (ms: number) => {
      clock += ms;
      for (const { until, wake } of sleepers) if (until <= clock) wake();
      await new Promise(setImmediate);
    };
    let hangs = false;
    const list = async function* (filter: Parameters<typeof memory.list>[0]) {
      for await (const one of memory.list(filter)) {
        await pass(10_000);
        yield one;
      }
      if (hangs) await Promise.all([forever(), pass(15_000)]);
    };
    const { media } = clientOf([], { store: { ...memory, list }, clock: { now: () => clock, sleep } });
    expect((await media.recover()).tasks).toHaveLength(3);
    hangs = true;
    await expect(media.recover()).rejects.toThrow(/longer than 15 s/);
  });

  test.for([["after some time"], ["at an abort"]])(
    "once the task is paid for does not keep it: it is returned %s",
    async ([when]) => {
      const store = sharedStore();
      const reached = gate();
      store.beforeWrite((record) => (isState("created")(record) ? (reached.resolve(), forever()) : undefined));
      const { media, sent, events, now } = clientOf([() => created("t-1")], { store, passing: ["pause", "limit"] });
      const controller = new AbortController();
      const options = { idempotencyKey: "order-1", signal: controller.signal };
      const generating = media.image.generate("imgmodelz", { prompt: "A fox" }, options);
      await reached.promise;
      const begin = now();
      if (when === "at an abort") controller.abort(enough);
      const task = await generating;
      expect(now() - begin).toBeLessThan(when === "at an abort" ? 5_000 : 60_000);
      expect(task).toMatchObject({ taskid: "t-1", generationId: expect.any(String) });
      await expect
        .poll(() => events)
        .toContainEqual(expect.objectContaining({ type: "storeFailed", task: task.toJSON() }));
      expect(sent()).toBe(1);
    },
  );
});

test("a store that hangs while it records the end of a task holds no wait beyond its deadline", async () => {
  const store = sharedStore();
  const { generate } = clientOf([], { store, passing: ["pause", "limit"] });
  const task = await generate("order-1");
  store.beforeWrite(forever);
  expect((await task.wait({ waitTimeoutMs: 5_000 })).url).toHaveLength(1);
});

test("an abort ends a call that is still reading its files", async () => {
  const slow = new Blob(["GIF89a"]);
  const reached = gate();
  slow.slice = () => Object.assign(new Blob(), { arrayBuffer: () => (reached.resolve(), forever() as Promise<never>) });
  for (const store of [undefined, memoryStore()]) {
    const { media, sent } = clientOf([], { store });
    const controller = new AbortController();
    const form = { prompt: "A fox", sourceImage: slow };
    const generating = media.video.generate("vidmodelv2", form, { signal: controller.signal });
    await reached.promise;
    controller.abort(enough);
    expect(await errorOf(generating)).toBe(enough);
    expect(sent()).toBe(0);
  }
});

describe.for<[string, number]>([
  ["a day ahead", 86_400_000],
  ["a day behind", -86_400_000],
])("a sender that was killed and whose clock was %s", ([, skewMs]) => {
  /** A store with what the sender has left, in this state. */
  async function leftIn(state: "claimed" | "sending") {
    const store = sharedStore();
    let isDead = false;
    store.beforeWrite((record) => (isDead ? forever() : void (isDead = isState(state)(record))));
    const clock = Date.now() + skewMs;
    const dead = clientOf([forever], { store, clock: { now: () => clock, sleep: forever as never } });
    void dead.generate("order-1").catch(() => undefined);
    await expect.poll(() => store.states()).toContain(state);
    // Only the dead sender's writes hang.
    store.beforeWrite(() => undefined);
    return store;
  }

  test("keeps no key that it had only claimed", async () => {
    const { generate } = clientOf([() => created("t-1")], { store: await leftIn("claimed") });
    expect((await generate("order-1")).taskid).toBe("t-1");
  });

  test("leaves a generation that it was sending to be settled", async () => {
    const { media, generate, sent } = clientOf([() => created("t-1")], { store: await leftIn("sending") });
    const { unknown } = await media.recover();
    expect(unknown).toHaveLength(1);
    expect(await errorOf(generate("order-1"))).toMatchObject({ name: "OutcomeUnknownError" });
    expect(sent()).toBe(0);
    await media.resolve(unknown[0]?.generationId ?? "", "notCreated");
    expect((await generate("order-1")).taskid).toBe("t-1");
  });

  test("leaves one that is settled without recover", async () => {
    const store = await leftIn("sending");
    const { media, generate } = clientOf([() => created("t-1")], { store });
    const [{ id } = { id: "" }] = store.written();
    await media.resolve(id, "notCreated");
    expect((await generate("order-1")).taskid).toBe("t-1");
  });
});
