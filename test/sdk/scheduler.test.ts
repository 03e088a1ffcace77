import {
  createMediaGen,
  InvalidRequestError,
  WaitTimeoutError,
  type Clock,
  type MediaGenOptions,
  type WaitUpdate,
} from "@mediagen/sdk";
import { describe, expect, test, vi } from "vitest";
import { created, sharedStore } from "./fake-service.ts";
import { serviceOnAClock, type Fate } from "./service-on-a-clock.ts";

const after = (doneAfterMs: number) => (): Fate => ({ doneAfterMs });
/** Some other number each time, the same in each run. */
function varying(): () => number {
  let state = 0;
  return () => (state = (state + 0.618) % 1);
}

describe("queries in flight", () => {
  test.for<[number, MediaGenOptions]>([
    [16, {}],
    [3, { maxQueriesInFlight: 3 }],
  ])("are %i at most", async ([most, options]) => {
    const { tasks, pass, seen } = serviceOnAClock(after(4_000), options);
    await pass(Promise.all(tasks(100).map((task) => task.wait())));
    expect(seen().mostInFlight).toBe(most);
    expect(seen().inFlight).toBe(0);
  });

  test("cannot be none", () => {
    for (const maxQueriesInFlight of [0, Number.NaN]) {
      expect(() => createMediaGen({ baseUrl: "http://localhost", maxQueriesInFlight })).toThrow(InvalidRequestError);
    }
  });

  test("go around where there are too few for all", async () => {
    const { tasks, pass, queries } = serviceOnAClock(after(60_000), { maxQueriesInFlight: 1, latencyMs: 200 });
    const all = tasks(50);
    await pass(Promise.allSettled(all.map((task) => task.wait({ waitTimeoutMs: 40_000 }))));
    const times = Map.groupBy(queries.slice(0, 150), ({ taskid }) => taskid);
    expect(times.size).toBe(50);
    for (const { length } of times.values()) expect(Math.abs(length - 3)).toBeLessThanOrEqual(1);
  });
});

describe("a wait among many", () => {
  test("ends at its deadline, exactly", async () => {
    const { tasks, pass, elapsed } = serviceOnAClock(after(1e9), { maxQueriesInFlight: 2, latencyMs: 1_000 });
    const ends = tasks(100).map(async (task, index) => {
      await expect(task.wait({ waitTimeoutMs: 5_000 + index * 77.5 })).rejects.toBeInstanceOf(WaitTimeoutError);
      return elapsed();
    });
    expect(await pass(Promise.all(ends))).toEqual(ends.map((_, index) => 5_000 + index * 77.5));
  });

  test("ends at once when it is aborted, asleep, in line or in flight, and no other does", async () => {
    const { tasks, pass, sleep, elapsed, queries, seen } = serviceOnAClock(after(8_000), {
      maxQueriesInFlight: 1,
      latencyMs: 300,
    });
    const controllers = tasks(6).map((task) => {
      const controller = new AbortController();
      return {
        controller,
        end: task.wait({ signal: controller.signal }).then(
          () => "done",
          (reason: unknown) => `${reason} ${elapsed()}`,
        ),
      };
    });
    // The first checks are due after 0.7 s; the second of six tasks is in flight then, and the rest stand in line.
    let queried: readonly string[] = [];
    for (const [index, ms] of [
      [0, 100],
      [3, 650],
      [1, 10],
    ] as const) {
      await sleep(ms);
      queried = queries.map(({ taskid }) => taskid);
      controllers[index]?.controller.abort("enough at");
      expect(await controllers[index]?.end).toBe(`enough at ${elapsed()}`);
    }
    expect(queried).toEqual(["t-1"]);
    expect(await pass(Promise.all([2, 4, 5].map((index) => controllers[index]?.end)))).toEqual([
      "done",
      "done",
      "done",
    ]);
    expect(seen().timers).toBe(0);
  });

  test("is not held up by tasks whose queries fail", async () => {
    const { task, tasks, pass, elapsed } = serviceOnAClock((taskid) =>
      taskid.startsWith("sick") ? "lost" : { doneAfterMs: 4_000 },
    );
    for (let index = 0; index < 100; index++)
      void task(`sick-${index}`)
        .wait()
        .catch(() => undefined);
    await pass(Promise.all(tasks(100).map((one) => one.wait())));
    expect(elapsed()).toBeLessThan(6_000);
  });

  test("is held up for seconds only by queries that hang from the beginning, and not at all by those that hang later", async () => {
    const { task, tasks, pass, elapsed } = serviceOnAClock((taskid) =>
      taskid.startsWith("sick") ? "hangs" : { doneAfterMs: 4_000 },
    );
    for (let index = 0; index < 16; index++)
      void task(`sick-${index}`)
        .wait()
        .catch(() => undefined);
    await pass(Promise.all(tasks(50).map((one) => one.wait())));
    expect(elapsed()).toBeLessThan(6_000);
    const before = elapsed();
    await pass(Promise.all(Array.from({ length: 50 }, (_, index) => task(`late-${index}`).wait())));
    expect(elapsed() - before).toBeLessThan(6_000);
  });

  test("gets its turn among many that are well, when its last query failed", async () => {
    const { task, tasks, pass, queries, seen } = serviceOnAClock(
      (taskid) => (taskid === "sick" ? "lost" : { doneAfterMs: 1e9 }),
      { maxQueriesInFlight: 2, latencyMs: 400 },
    );
    const all = [...tasks(100), task("sick")];
    await pass(Promise.allSettled(all.map((one) => one.wait({ waitTimeoutMs: 110_000 }))));
    expect(queries.filter(({ taskid }) => taskid === "sick").length).toBeGreaterThanOrEqual(4);
    expect(seen().mostInFlight).toBe(2);
  });

  test("asks a service that says when no sooner", async () => {
    let answers = 0;
    const limited = () => new Response("", { status: 429, headers: { "retry-after": "30" } });
    const { media, pass, elapsed } = serviceOnAClock(after(0), {
      fetch: async () => (answers++ === 0 ? limited() : Response.json({ code: 1000, msg: "", data: { url: ["1"] } })),
    });
    await pass(media.video.task("t-1").wait());
    expect(elapsed()).toBe(30_000);
  });
});

describe("what a client has seen of a model", () => {
  test("saves queries: the first comes later, the further ones when they are likely to be worth it", async () => {
    // From 50 to 69 seconds, in no order.
    const duration = (taskid: string) => 50_000 + 1_000 * ((Number(taskid.slice(2)) * 7) % 20);
    const { task, pass, queries, elapsed } = serviceOnAClock((taskid) => ({ doneAfterMs: duration(taskid) }), {
      clock: { random: varying() },
    });
    const waits: { readonly queries: number; readonly firstMs: number; readonly delayMs: number }[] = [];
    for (let index = 0; index < 200; index++) {
      const [before, start, one] = [queries.length, elapsed(), task(`t-${index}`)];
      await pass(one.wait());
      const firstMs = (queries[before]?.at ?? 0) - start;
      waits.push({ queries: queries.length - before, firstMs, delayMs: elapsed() - start - duration(one.taskid) });
    }
    const mean = (key: keyof (typeof waits)[number], from: number, to: number) =>
      waits.slice(from, to).reduce((sum, wait) => sum + wait[key], 0) / (to - from);
    expect(waits[0]?.queries).toBeGreaterThan(20);
    expect(waits[0]?.firstMs).toBeLessThan(1_000);
    expect(mean("queries", 5, 25)).toBeLessThan(15);
    expect(mean("queries", 100, 200)).toBeLessThan(11);
    expect(mean("firstMs", 100, 200)).toBeGreaterThan(10_000);
    expect(mean("delayMs", 100, 200)).toBeLessThan(800);
  });

  test("spares tasks that began together most queries: a few go ahead, also before any has ended", async () => {
    const { tasks, pass, queries, elapsed } = serviceOnAClock(
      (taskid) => ({ doneAfterMs: 20_000 + 25 * Number(taskid.slice(2)) }),
      { clock: { random: varying() }, maxQueriesInFlight: 400 },
    );
    const delays: number[] = [];
    await pass(
      Promise.all(
        tasks(400).map(async (task, index) => {
          await task.wait();
          delays.push(elapsed() - 20_000 - 25 * index);
        }),
      ),
    );
    // Each alone, knowing nothing, would take some twenty.
    expect(queries.length / 400).toBeLessThan(8);
    // Those that have learned when tasks end are queried earlier than they were going to be.
    expect(delays.reduce((sum, delay) => sum + delay, 0) / 400).toBeLessThan(700);
  });

  test("does not put off tasks that are older already: they are looked at when due, or at once", async () => {
    const { task, pass, sleep, queries, elapsed } = serviceOnAClock(after(60_000));
    for (let index = 0; index < 5; index++) await pass(task(`t-${index}`).wait());
    const old = task("t-5");
    await sleep(120_000);
    const [before, start] = [queries.length, elapsed()];
    await pass(old.wait());
    expect(queries.length - before).toBe(1);
    expect(queries.at(-1)?.at).toBe(start);
  });

  test("counts from the first result, where the others of several never come", async () => {
    const { task, media, pass, elapsed } = serviceOnAClock(after(5_000), { clock: { random: varying() } });
    const delays: number[] = [];
    for (let index = 0; index < 40; index++) {
      const start = elapsed();
      const onUpdate = ({ record }: WaitUpdate) =>
        void (record?.url.length && (delays[index] ??= elapsed() - start - 5_000));
      await pass(media.task({ ...task(`t-${index}`).toJSON(), resultCount: 2 }).wait({ onUpdate }));
    }
    expect(Math.max(...delays.slice(20))).toBeLessThan(600);
  });

  test("is of that model alone", async () => {
    const { task, media, pass, queries, elapsed } = serviceOnAClock(after(60_000));
    for (let index = 0; index < 5; index++) await pass(task(`t-${index}`).wait());
    const [before, start] = [queries.length, elapsed()];
    await pass(media.task({ ...task("t-5").toJSON(), model: "another" }).wait());
    expect((queries[before]?.at ?? 0) - start).toBeLessThan(1_000);
  });
});

test("tasks that began together are not queried together: there is jitter", async () => {
  const { tasks, pass, queries } = serviceOnAClock(after(10_000), { clock: { random: varying() } });
  await pass(Promise.all(tasks(10).map((task) => task.wait())));
  expect(new Set(queries.slice(0, 10).map(({ at }) => at)).size).toBe(10);
});

test("pauses that are skipped take no time, also where the clock stands still", async () => {
  const createdAt = 1_800_000_000_000;
  let asked = 0;
  const now = () => {
    if (++asked > 1_000) throw new Error("the clock is asked for ever");
    return createdAt;
  };
  const sleep: Clock["sleep"] = (_, signal, why) => (why === "pause" ? Promise.resolve() : orAborted(signal));
  const { media } = serviceOnAClock(after(0), {
    clock: { now, sleep },
    fetch: async () => Response.json({ code: 1000, msg: "", data: { url: ["1"] } }),
  });
  await media
    .task({ version: 2, kind: "video", taskid: "t-1", origin: media.origin, resultCount: 1, createdAt })
    .wait();
  expect(asked).toBeLessThan(1_000);
});

function orAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

test("2,000 waits leave no timer and no listener behind", async () => {
  const { tasks, pass, seen, queries } = serviceOnAClock(() => ({ doneAfterMs: 600_000 }), {
    clock: { random: varying() },
    latencyMs: 1,
  });
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
  const all = tasks(2_000);
  await pass(
    Promise.allSettled(
      all.map((task, index) =>
        task.wait(index % 100 === 0 ? { signal, waitTimeoutMs: 1_500 } : { waitTimeoutMs: 1_500 }),
      ),
    ),
  );
  expect(queries.length).toBeGreaterThan(2_000);
  expect(seen()).toEqual({ inFlight: 0, mostInFlight: 16, timers: 0 });
  expect(listeners).toBe(0);
});

describe("in real time", () => {
  const pending = async () => Response.json({ code: 1000, msg: "", data: { url: [] } });
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

  test("nothing keeps the process alive after the last wait", async () => {
    const before = timers();
    const media = createMediaGen({ baseUrl: "http://localhost", fetch: pending });
    await expect(media.video.task("t-1").wait({ waitTimeoutMs: 20 })).rejects.toBeInstanceOf(WaitTimeoutError);
    expect(timers()).toBe(before);
  });

  test("a record that cannot be written, which is retried in the background, keeps no process alive", async () => {
    const before = timers();
    const store = sharedStore();
    store.beforeWrite(({ state }) => (state === "created" ? Promise.reject(new Error("full")) : undefined));
    const media = createMediaGen({
      baseUrl: "http://localhost",
      store,
      onEvent: () => undefined,
      fetch: async () => created("t-1"),
    });
    expect((await media.image.generate("imgmodelz", { prompt: "A fox" })).taskid).toBe("t-1");
    // A timer of an earlier test may have ended since.
    expect(timers()).toBeLessThanOrEqual(before);
  });

  test("a clock that is set back moves no deadline", async () => {
    const media = createMediaGen({ baseUrl: "http://localhost", fetch: pending });
    const waits = [20, 50].map((waitTimeoutMs) =>
      media.video
        .task("t-1")
        .wait({ waitTimeoutMs })
        .catch((error: unknown) => error),
    );
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() - 3_600_000);
    expect(await Promise.all(waits)).toEqual([expect.any(WaitTimeoutError), expect.any(WaitTimeoutError)]);
    now.mockRestore();
  });
});
