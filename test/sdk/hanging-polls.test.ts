import { memoryStore, WaitTimeoutError } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { forever } from "./fake-service.ts";
import { waitsUnder } from "./hanging-polls.ts";
import { serviceOnAClock, type Fate } from "./service-on-a-clock.ts";

describe("polls that hang for ever", () => {
  test("double the delay of the other waits at most, if they are 5 % of all", async () => {
    const without = await waitsUnder(1_000, { faults: 0, hanging: 0 });
    const hanging = await waitsUnder(1_000, { faults: 0, hanging: 0.05 });
    expect(hanging.arrived).toBe(1_000);
    expect(hanging.p50).toBeLessThan(2 * without.p50);
    expect(hanging.allDone).toBeLessThan(2 * without.allDone);
  });

  test("double the time of 2,000 waits at most, if they are 5 % of all and 30 % of the others fail", async () => {
    const without = await waitsUnder(2_000, { faults: 0.3, hanging: 0 });
    const hanging = await waitsUnder(2_000, { faults: 0.3, hanging: 0.05 });
    expect(hanging.arrived).toBe(2_000);
    expect(hanging.p50).toBeLessThan(2 * without.p50);
    expect(hanging.allDone).toBeLessThan(2 * without.allDone);
  });

  test("are four times as many as there are slots at most, if all of them hang, and the waits end at their deadlines", async () => {
    const { tasks, pass, seen, elapsed } = serviceOnAClock(() => "hangs", { maxQueriesInFlight: 4 });
    const waits = tasks(200).map(async (task, index) => {
      await expect(task.wait({ waitTimeoutMs: 20_000 + index })).rejects.toBeInstanceOf(WaitTimeoutError);
      expect(elapsed()).toBe(20_000 + index);
    });
    await pass(Promise.all(waits));
    expect(seen()).toMatchObject({ inFlight: 0, mostInFlight: 16, timers: 0 });
  });
});

describe("a poll", () => {
  test("that hangs makes room for the last one, a second before the deadline", async () => {
    let queries = 0;
    const { task, pass, elapsed } = serviceOnAClock((): Fate => (queries++ === 0 ? "hangs" : { doneAfterMs: 0 }));
    await pass(task("t-0").wait({ waitTimeoutMs: 8_000 }));
    expect(elapsed()).toBeGreaterThan(7_000);
    expect(elapsed()).toBeLessThan(8_000);
  });

  test("is waited for again as soon as the service has become slow for all of them", async () => {
    let latencyMs = 20;
    const { media, tasks, pass, sleep, elapsed } = serviceOnAClock(() => ({ doneAfterMs: 60_000 }), {
      latencyMs: () => latencyMs,
    });
    const waits = Promise.all(tasks(50).map((task) => task.wait()));
    await sleep(20_000);
    latencyMs = 5_000;
    await pass(waits);
    expect(elapsed()).toBeLessThan(90_000);
    const before = elapsed();
    await pass(media.video.task("t-0").wait());
    expect(elapsed() - before, "no poll is cut off any more").toBe(5_000);
  });
});

describe("a store that hangs", () => {
  const hangingStore = () => ({ ...memoryStore(), get: forever as () => Promise<never> });

  test("delays a wait by a second at most, and no poll of another", async () => {
    const { tasks, media, pass, elapsed } = serviceOnAClock(() => ({ doneAfterMs: 5_000 }), {
      store: hangingStore(),
      maxQueriesInFlight: 2,
    });
    const ends: number[] = [];
    const waits = tasks(100).map(async (task) => {
      await media.task({ ...task.toJSON(), generationId: `g-${task.taskid}` }).wait();
      ends.push(elapsed());
    });
    await pass(Promise.all(waits));
    const without = serviceOnAClock(() => ({ doneAfterMs: 5_000 }), { maxQueriesInFlight: 2 });
    await without.pass(Promise.all(without.tasks(100).map((task) => task.wait())));
    expect(Math.max(...ends)).toBe(without.elapsed() + 1_000);
  });

  test("delays a check by a second, and not beyond its signal", async () => {
    const { task, media, pass, elapsed } = serviceOnAClock(() => ({ doneAfterMs: 0 }), { store: hangingStore() });
    const saved = { ...task("t-1").toJSON(), generationId: "g-1" };
    const checked: Promise<unknown> = media.task(saved).check();
    expect(await pass(checked)).toMatchObject({ state: "succeeded", record: { url: ["1"] } });
    expect(elapsed()).toBe(50 + 1_000);
    await pass(media.task(saved).wait({ waitTimeoutMs: 600 }));
    expect(elapsed(), "the deadline passes").toBeLessThanOrEqual(50 + 1_000 + 600);
  });
});
