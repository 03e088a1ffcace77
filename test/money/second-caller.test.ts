import { describe, expect, test } from "vitest";
import {
  clientOf,
  created,
  errorOf,
  gate,
  idle,
  sharedStore,
  type SharedStore,
} from "../sdk/fake-service.ts";

type Passing = NonNullable<Parameters<typeof clientOf>[1]>["passing"];
const enough = new Error("enough");

describe("a second call with a key, while the task of the first one is being recorded", () => {
  /**
   * Calls with one key. The write of `created` does what `write` says, once the service has created
   * the task.
   */
  async function firstCall(write: () => unknown, passing: Passing = ["pause", "background"]) {
    const store: SharedStore = sharedStore();
    const reached = gate();
    store.beforeWrite(({ state }) => {
      if (state !== "created") return undefined;
      reached.resolve();
      return write();
    });
    const client = clientOf([], { store, passing });
    const controller = new AbortController();
    const first = errorOf(client.generate("order-1", "A fox", controller.signal));
    await reached.promise;
    return { ...client, store, first, abort: () => controller.abort(enough) };
  }

  test.for([false, true])(
    "returns it only once it is recorded, also if the first one was aborted: %s",
    async (isAborted) => {
      const writing = gate();
      const { generate, media, store, first, sent, abort } = await firstCall(() => writing.promise);
      if (isAborted) abort();
      const returned: string[] = [];
      const add = (name: string) => () => void returned.push(`${name}: ${store.states().at(-1)}`);
      const second = generate("order-1");
      const all = [second.then(add("second")), media.recover().then(add("recover"))];
      await idle();
      // A process that dies before that must not have delivered it.
      expect(returned).toEqual([]);
      writing.resolve();
      await Promise.all(all);
      expect(returned.toSorted()).toEqual(["recover: created", "second: created"]);
      expect((await second).taskid).toBe(((await first) as { readonly taskid: string }).taskid);
      expect(sent()).toBe(1);
    },
  );

  test.for<[string, () => unknown]>([
    ["fails", () => Promise.reject(new Error("full"))],
    ["hangs", () => new Promise(() => undefined)],
  ])(
    "is bounded as the first one: a store that %s does not keep the task from either",
    async ([, write]) => {
      const { generate, media, first, sent, events } = await firstCall(write, [
        "pause",
        "background",
        "limit",
      ]);
      const { taskid } = await generate("order-1");
      expect(await first).toHaveProperty("taskid", taskid);
      expect(events.map(({ type }) => type)).toContain("storeFailed");
      // Its key is that of its form, also without a record.
      expect(await errorOf(generate("order-1", "A lighthouse"))).toMatchObject({
        name: "InvalidRequestError",
      });
      expect((await media.recover()).tasks.map((task) => task.taskid)).toEqual([taskid]);
      expect(sent()).toBe(1);
    },
  );

  test("is rejected if its form or its model is another", async () => {
    const writing = gate();
    const { media, generate, first, sent } = await firstCall(() => writing.promise);
    const others = [
      generate("order-1", "A lighthouse"),
      media.video.generate("vidmodelv2", { prompt: "A fox" }, { idempotencyKey: "order-1" }),
    ].map(errorOf);
    await idle();
    writing.resolve();
    await first;
    for (const error of await Promise.all(others))
      expect(error).toMatchObject({ name: "InvalidRequestError" });
    expect(sent()).toBe(1);
  });

  test("ends with its own signal, which does not end the first one", async () => {
    const writing = gate();
    const { generate, first, sent } = await firstCall(() => writing.promise);
    const controller = new AbortController();
    const second = errorOf(generate("order-1", "A fox", controller.signal));
    await idle();
    controller.abort(enough);
    expect(await second).toBe(enough);
    writing.resolve();
    expect(await first).toHaveProperty("taskid");
    expect(sent()).toBe(1);
  });
});

test("a call waits for a sender of its own process that cannot renew its entry", async () => {
  const response = gate<Response>();
  const store = sharedStore();
  let writes = 0;
  store.beforeWrite(({ state }) => {
    if (state === "sending" && writes++ > 0) throw new Error("the store is down");
  });
  const { generate, sent, now } = clientOf([() => response.promise], {
    store,
    passing: ["pause", "background"],
  });
  const first = generate("order-1");
  await expect.poll(() => store.states()).toContain("sending");
  const start = now();
  const second = generate("order-1");
  await expect.poll(() => now() - start).toBeGreaterThan(20_000);
  response.resolve(created("t-1"));
  expect([(await first).taskid, (await second).taskid, sent()]).toEqual(["t-1", "t-1", 1]);
});

test("calls with one key end by their own signals alone, and one continues if the other was aborted before it was sent", async () => {
  const approval = gate();
  const options = { store: sharedStore(), beforeGenerate: () => approval.promise };
  const { generate, sent } = clientOf([() => created("t-1")], options);
  const controllers = [new AbortController(), new AbortController()];
  const [one, other] = controllers.map(({ signal }) => errorOf(generate("1", "A fox", signal)));
  const third = generate("1");
  await idle();
  controllers[1]?.abort(enough);
  expect(await other).toBe(enough);
  controllers[0]?.abort(enough);
  expect(await one).toBe(enough);
  approval.resolve();
  expect([(await third).taskid, sent()]).toEqual(["t-1", 1]);
});
