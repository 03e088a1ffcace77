import { memoryStore, WaitTimeoutError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { errorOf, forever } from "./fake-service.ts";
import { serviceOnAClock, type Fate } from "./service-on-a-clock.ts";

describe("polls that hang for ever", () => {
  test("are four times as many as there are slots at most, if all of them hang, and the waits end at their deadlines", async () => {
    const { tasks, pass, seen, elapsed } = serviceOnAClock(() => "hangs", {
      maxQueriesInFlight: 4,
    });
    const waits = tasks(40).map(async (task, index) => {
      expect(await errorOf(task.wait({ waitTimeoutMs: 100_000 + index }))).toBeInstanceOf(
        WaitTimeoutError,
      );
      expect(elapsed()).toBe(100_000 + index);
    });
    await pass(Promise.all(waits));
    expect(seen()).toMatchObject({ inFlight: 0, mostInFlight: 16, timers: 0 });
  });

  test("leave time for the last poll, a second before the deadline", async () => {
    let queries = 0;
    const { task, pass, elapsed } = serviceOnAClock((): Fate =>
      queries++ === 0 ? "hangs" : { doneAfterMs: 0 },
    );
    await pass(task("t-0").wait({ waitTimeoutMs: 8_000 }));
    expect(elapsed()).toBeGreaterThan(7_000);
    expect(elapsed()).toBeLessThan(8_000);
  });

  test("are cut off soon at a service that is fast, and not any more once it has become slow", async () => {
    let latencyMs = 20;
    let hanging = 1;
    const fate = (taskid: string): Fate =>
      taskid === "once" && hanging-- > 0 ? "hangs" : { doneAfterMs: 60_000 };
    const service = serviceOnAClock(fate, { latencyMs: () => latencyMs });
    const { media, task, tasks, pass, sleep, elapsed, queries } = service;
    const waits = Promise.all(tasks(50).map((one) => one.wait()));
    await sleep(20_000);
    void task("once").wait();
    await sleep(20_000);
    const [hung = 0, next = Infinity] = queries
      .filter(({ taskid }) => taskid === "once")
      .map(({ at }) => at);
    expect(Math.round(next - hung)).toBe(1_500);
    latencyMs = 5_000;
    await pass(waits);
    expect(elapsed()).toBeLessThan(90_000);
    const before = elapsed();
    await pass(media.video.task("t-0").wait());
    expect(elapsed() - before).toBe(5_000);
  });
});

describe("a store that hangs", () => {
  const store = { ...memoryStore(), get: forever as () => Promise<never> };

  test("delays a wait by a second at most, and no poll of another", async () => {
    /** When the last of many waits for tasks has ended, of a store or not. */
    const lastEnd = async (fields: object, options: object) => {
      const fate = () => ({ doneAfterMs: 5_000 });
      const { tasks, media, pass, elapsed } = serviceOnAClock(fate, {
        ...options,
        maxQueriesInFlight: 2,
      });
      await pass(
        Promise.all(tasks(100).map((task) => media.task({ ...task.toJSON(), ...fields }).wait())),
      );
      return elapsed();
    };
    expect(await lastEnd({ generationId: "g-1" }, { store })).toBe((await lastEnd({}, {})) + 1_000);
  });

  test("delays a check by a second, and no wait beyond its deadline", async () => {
    const { task, media, pass, elapsed } = serviceOnAClock(() => ({ doneAfterMs: 0 }), { store });
    const saved = { ...task("t-1").toJSON(), generationId: "g-1" };
    const checked: Promise<unknown> = media.task(saved).check();
    expect(await pass(checked)).toMatchObject({ state: "succeeded", record: { url: ["1"] } });
    expect(elapsed()).toBe(50 + 1_000);
    await pass(media.task(saved).wait({ waitTimeoutMs: 600 }));
    expect(elapsed()).toBeLessThanOrEqual(50 + 1_000 + 600);
  });
});
