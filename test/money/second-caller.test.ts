import { describe, expect, test } from "vitest";
import { clientOf, created, errorOf, gate, sharedStore } from "../sdk/fake-service.ts";

const form = { prompt: "A fox" };

describe("a second call with a key, while the task of the first one is being recorded", () => {
  /** Two calls with one key. The write of `created` does what `write` says, once the service has created the task. */
  function twoCalls(write: () => unknown, passing?: readonly ("pause" | "limit" | "background")[]) {
    const store = sharedStore();
    const reached = gate();
    store.beforeWrite(({ state }) => (state === "created" ? (reached.resolve(), write()) : undefined));
    const client = clientOf([], { store, ...(passing && { passing }) });
    return { ...client, store, first: client.generate("order-1"), reached: reached.promise };
  }

  /** Resolves when everything that is ready has run. */
  const idle = async () => {
    for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
  };

  test("returns it only once it is recorded: a process that dies before that must not have delivered it", async () => {
    const writing = gate();
    const { generate, media, store, first, reached, sent } = twoCalls(() => writing.promise);
    await reached;
    const returned: string[] = [];
    const note = (name: string) => () => void returned.push(`${name}: ${store.states().at(-1)}`);
    const all = [
      first.then(note("first")),
      generate("order-1").then(note("second")),
      media.recover().then(note("recover")),
    ];
    await idle();
    expect(returned).toEqual([]);
    writing.resolve();
    await Promise.all(all);
    expect(returned.toSorted()).toEqual(["first: created", "recover: created", "second: created"]);
    expect(sent()).toBe(1);
  });

  test("also when the first call was aborted before that", async () => {
    const writing = gate();
    const store = sharedStore();
    const reached = gate();
    store.beforeWrite(({ state }) => (state === "created" ? (reached.resolve(), writing.promise) : undefined));
    const { media, generate, sent } = clientOf([], { store, passing: ["pause", "background"] });
    const controller = new AbortController();
    const options = { idempotencyKey: "order-1", signal: controller.signal };
    const first = errorOf(media.image.generate("imgmodelz", form, options));
    await reached.promise;
    controller.abort(new Error("enough"));
    let isReturned = false;
    const second = generate("order-1").finally(() => (isReturned = true));
    await idle();
    expect(isReturned).toBe(false);
    writing.resolve();
    expect(await second).toMatchObject({ taskid: ((await first) as { readonly taskid: string }).taskid });
    expect(sent()).toBe(1);
  });

  test("is bounded as the first one: a store that fails or hangs does not keep the task from either", async () => {
    for (const write of [() => Promise.reject(new Error("full")), () => new Promise(() => undefined)]) {
      const { generate, first, reached, sent, events } = twoCalls(write, ["pause", "background", "limit"]);
      await reached;
      const second = generate("order-1");
      expect((await second).taskid).toBe((await first).taskid);
      expect(events.map(({ type }) => type)).toContain("storeFailed");
      expect(sent()).toBe(1);
    }
  });

  test("waits for a sender of its own process that cannot renew its entry", async () => {
    const response = gate<Response>();
    const store = sharedStore();
    let writes = 0;
    store.beforeWrite(({ state }) => {
      if (state === "sending" && writes++ > 0) throw new Error("the store is down");
    });
    const { generate, sent, now } = clientOf([() => response.promise], { store, passing: ["pause", "background"] });
    const first = generate("order-1");
    await expect.poll(() => store.states()).toContain("sending");
    const [start, second] = [now(), generate("order-1")];
    await expect.poll(() => now() - start).toBeGreaterThan(20_000);
    response.resolve(created("t-1"));
    expect([(await first).taskid, (await second).taskid, sent()]).toEqual(["t-1", "t-1", 1]);
  });

  test("is rejected if its form or its model is another", async () => {
    const writing = gate();
    const { media, generate, first, reached, sent } = twoCalls(() => writing.promise);
    await reached;
    const others = [
      errorOf(generate("order-1", "A lighthouse")),
      errorOf(media.video.generate("vidmodelv2", form, { idempotencyKey: "order-1" })),
    ];
    await idle();
    writing.resolve();
    await first;
    for (const error of await Promise.all(others)) expect(error).toMatchObject({ name: "InvalidRequestError" });
    expect(sent()).toBe(1);
  });

  test("also if the record of the first task failed", async () => {
    const { generate, media, first, sent } = twoCalls(() => Promise.reject(new Error("full")), ["pause"]);
    const { taskid } = await first;
    expect(await errorOf(generate("order-1", "A lighthouse"))).toMatchObject({ name: "InvalidRequestError" });
    expect((await media.recover()).tasks.map((task) => task.taskid)).toEqual([taskid]);
    expect(sent()).toBe(1);
  });

  test("ends with its own signal, which does not end the first one", async () => {
    const writing = gate();
    const { media, first, reached, sent } = twoCalls(() => writing.promise);
    await reached;
    const controller = new AbortController();
    const second = errorOf(
      media.image.generate("imgmodelz", form, { idempotencyKey: "order-1", signal: controller.signal }),
    );
    await idle();
    const enough = new Error("enough");
    controller.abort(enough);
    expect(await second).toBe(enough);
    writing.resolve();
    expect((await first).taskid).toBeDefined();
    expect(sent()).toBe(1);
  });
});
