import {
  type Clock,
  createMediaGen,
  type MediaGenOptions,
  memoryStore,
  WaitTimeoutError,
  type WaitUpdate,
} from "@mediagen/sdk";
import { describe, expect, test, vi } from "vitest";
import { created, errorOf, sharedStore } from "./fake-service.ts";
import { type Fate, serviceOnAClock } from "./service-on-a-clock.ts";

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
  ])("are %i at most, not all at the same time, and leave no timer", async ([most, options]) => {
    const { tasks, pass, seen, queries } = serviceOnAClock(after(4_000), {
      clock: { random: varying() },
      ...options,
    });
    await pass(Promise.all(tasks(100).map((task) => task.wait())));
    expect(seen()).toEqual({ inFlight: 0, mostInFlight: most, timers: 0 });
    expect(new Set(queries.map(({ at }) => at)).size).toBeGreaterThan(30);
  });

  test("are shared evenly if there are too few for all", async () => {
    const { tasks, pass, queries } = serviceOnAClock(after(60_000), {
      maxQueriesInFlight: 1,
      latencyMs: 200,
    });
    await pass(Promise.allSettled(tasks(50).map((task) => task.wait({ waitTimeoutMs: 40_000 }))));
    const times = Map.groupBy(queries.slice(0, 150), ({ taskid }) => taskid);
    expect(times.size).toBe(50);
    for (const { length } of times.values()) expect(Math.abs(length - 3)).toBeLessThanOrEqual(1);
  });
});

describe("a wait among many", () => {
  test("ends at once when it is aborted, asleep, in line or in flight, and no other does", async () => {
    const options = { maxQueriesInFlight: 1, latencyMs: 300 };
    const { tasks, pass, sleep, elapsed, queries, seen } = serviceOnAClock(after(8_000), options);
    const waits = tasks(6).map((task) => {
      const controller = new AbortController();
      const end = task.wait({ signal: controller.signal }).then(
        () => "done",
        (reason: unknown) => `${reason} ${elapsed()}`,
      );
      return { controller, end };
    });
    // The first checks are due after 0.7 s; the second of six tasks is in flight then, and the rest
    // are in line.
    const queried: string[] = [];
    for (const [index, ms] of [
      [0, 100],
      [3, 650],
      [1, 10],
    ] as const) {
      await sleep(ms);
      queried.splice(0, Infinity, ...queries.map(({ taskid }) => taskid));
      waits[index]?.controller.abort("enough at");
      expect(await waits[index]?.end).toBe(`enough at ${elapsed()}`);
    }
    expect(queried).toEqual(["t-1"]);
    expect(await pass(Promise.all([2, 4, 5].map((index) => waits[index]?.end)))).toEqual(
      Array(3).fill("done"),
    );
    expect(seen().timers).toBe(0);
  });

  test.for<[string, Fate, number]>([
    ["100 that fail", "lost", 100],
    ["16 that hang", "hangs", 16],
  ])("is not delayed by polls of others: %s", async ([, fate, count]) => {
    const fateOf = (taskid: string) => (taskid.startsWith("sick") ? fate : { doneAfterMs: 4_000 });
    const { task, pass, elapsed } = serviceOnAClock(fateOf);
    for (let index = 0; index < count; index++) void errorOf(task(`sick-${index}`).wait());
    for (const name of ["early", "late"]) {
      const before = elapsed();
      await pass(
        Promise.all(Array.from({ length: 50 }, (_, index) => task(`${name}-${index}`).wait())),
      );
      expect(elapsed() - before).toBeLessThan(6_000);
    }
  });

  test("gets its turn among many, although its last poll failed", async () => {
    const { task, tasks, pass, queries, seen } = serviceOnAClock(
      (taskid) => (taskid === "sick" ? "lost" : { doneAfterMs: 1e9 }),
      { maxQueriesInFlight: 2, latencyMs: 400 },
    );
    const all = [...tasks(100), task("sick")];
    await pass(Promise.allSettled(all.map((one) => one.wait({ waitTimeoutMs: 110_000 }))));
    expect(queries.filter(({ taskid }) => taskid === "sick").length).toBeGreaterThanOrEqual(4);
    expect(seen().mostInFlight).toBe(2);
  });
});

describe("what a client has learned of a model", () => {
  test("saves queries: the first comes later, the others when they are likely to be worth it", async () => {
    // From 50 to 69 seconds, in no order.
    const duration = (taskid: string) => 50_000 + 1_000 * ((Number(taskid.slice(2)) * 7) % 20);
    const { task, pass, queries, elapsed } = serviceOnAClock(
      (taskid) => ({ doneAfterMs: duration(taskid) }),
      {
        clock: { random: varying() },
      },
    );
    const waits: {
      readonly queries: number;
      readonly firstMs: number;
      readonly delayMs: number;
    }[] = [];
    for (let index = 0; index < 200; index++) {
      const before = queries.length;
      const start = elapsed();
      const one = task(`t-${index}`);
      await pass(one.wait());
      const firstMs = (queries[before]?.at ?? 0) - start;
      waits.push({
        queries: queries.length - before,
        firstMs,
        delayMs: elapsed() - start - duration(one.taskid),
      });
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

  test("spares tasks that began together most queries: a few are polled early, also before any has ended", async () => {
    const duration = (taskid: string) => 20_000 + 25 * Number(taskid.slice(2));
    const { tasks, pass, queries, elapsed } = serviceOnAClock(
      (taskid) => ({ doneAfterMs: duration(taskid) }),
      {
        clock: { random: varying() },
        maxQueriesInFlight: 400,
      },
    );
    let delayMs = 0;
    await pass(
      Promise.all(
        tasks(400).map(async (task) => {
          await task.wait();
          delayMs += elapsed() - duration(task.taskid);
        }),
      ),
    );
    // Each alone would take some twenty.
    expect(queries.length / 400).toBeLessThan(8);
    // Those that have learned when tasks end are queried earlier than planned.
    expect(delayMs / 400).toBeLessThan(700);
  });

  test("does not delay tasks that are older, and is of that model alone", async () => {
    const { task, media, pass, sleep, queries, elapsed } = serviceOnAClock(after(60_000));
    for (let index = 0; index < 5; index++) await pass(task(`t-${index}`).wait());
    const old = task("t-5");
    await sleep(120_000);
    const before = queries.length;
    const start = elapsed();
    await pass(old.wait());
    expect(queries.slice(before).map(({ at }) => at)).toEqual([start]);
    await pass(media.task({ ...task("t-6").toJSON(), model: "another" }).wait());
    expect((queries[before + 1]?.at ?? 0) - start).toBeLessThan(1_000);
  });

  test("counts from the first result, if the others of several never come", async () => {
    const { task, media, pass, elapsed } = serviceOnAClock(after(5_000), {
      clock: { random: varying() },
    });
    const delays: number[] = [];
    for (let index = 0; index < 40; index++) {
      const start = elapsed();
      const onUpdate = ({ record }: WaitUpdate) =>
        void (record?.url.length && (delays[index] ??= elapsed() - start - 5_000));
      await pass(media.task({ ...task(`t-${index}`).toJSON(), resultCount: 2 }).wait({ onUpdate }));
    }
    expect(Math.max(...delays.slice(20))).toBeLessThan(600);
  });
});

test("pauses that are skipped take no time, also on a clock that does not move", async () => {
  let reads = 0;
  const now = () => {
    if (++reads > 1_000) throw new Error("the clock is read for ever");
    return 1_800_000_000_000;
  };
  const sleep: Clock["sleep"] = (_, signal, reason) =>
    reason === "pause"
      ? Promise.resolve()
      : new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const fetch = async () => Response.json({ code: 1000, msg: "", data: { url: ["1"] } });
  const { media } = serviceOnAClock(after(0), { clock: { now, sleep }, fetch });
  await media.task({ ...media.video.task("t-1").toJSON(), createdAt: 1_800_000_000_000 }).wait();
  expect(reads).toBeLessThan(1_000);
});

test("a task of a store whose date is no time is polled as one without a date", async () => {
  const store = memoryStore();
  const { media, pass, queries } = serviceOnAClock(after(60_000), { store });
  const facts = {
    kind: "video",
    origin: media.origin,
    resultCount: 1,
    createdAt: "yesterday",
  } as const;
  const task = { ...facts, version: 2, taskid: "t-1" };
  const entry = {
    ...facts,
    version: 1,
    id: "g-1",
    revision: 1,
    attempt: "a",
    state: "created",
    model: "m",
    task,
  };
  // The cast: its dates are no numbers.
  await store.write(entry as never);
  const { tasks } = await media.recover();
  await pass(Promise.all(tasks.map((one) => one.wait())));
  expect(queries.length).toBeGreaterThan(2);
  expect(queries.length).toBeLessThan(30);
});

describe("in real time", () => {
  const pending = async () => Response.json({ code: 1000, msg: "", data: { url: [] } });
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

  test("neither an ended wait nor an entry that is written in the background keeps the process alive", async () => {
    const before = timers();
    const polls = createMediaGen({ baseUrl: "http://localhost", fetch: pending });
    expect(await errorOf(polls.video.task("t-1").wait({ waitTimeoutMs: 20 }))).toBeInstanceOf(
      WaitTimeoutError,
    );
    const store = sharedStore();
    store.beforeWrite(({ state }) =>
      state === "created" ? Promise.reject(new Error("full")) : undefined,
    );
    const options = { store, onEvent: () => undefined, fetch: async () => created("t-1") };
    const media = createMediaGen({ baseUrl: "http://localhost", ...options });
    expect((await media.image.generate("imgmodelz", { prompt: "A fox" })).taskid).toBe("t-1");
    // A timer of an earlier test may have ended since.
    expect(timers()).toBeLessThanOrEqual(before);
  });

  test("a clock that is set back moves no deadline", async () => {
    const media = createMediaGen({ baseUrl: "http://localhost", fetch: pending });
    const waits = [20, 50].map((waitTimeoutMs) =>
      errorOf(media.video.task("t-1").wait({ waitTimeoutMs })),
    );
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() - 3_600_000);
    expect(await Promise.all(waits)).toEqual([
      expect.any(WaitTimeoutError),
      expect.any(WaitTimeoutError),
    ]);
    now.mockRestore();
  });
});
