import { createEmulator, type EmulatorOptions, listen } from "@mediagen/emulator/node";
import { blobs, createMediaGen } from "@mediagen/sdk";
import { afterEach, describe, expect, test, vi } from "vitest";
import { durations } from "../contract/cases.ts";

const form = { prompt: "A fox runs through snow" };

function start(options: EmulatorOptions = {}) {
  const emulator = createEmulator(options);
  return { emulator, clock: emulator.clock, media: createMediaGen(emulator.client) };
}

/** Lets everything that can go on without the clock do so. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe("auto time", () => {
  test("starts at the same moment in every run, and only queries advance it", async () => {
    const { clock, media } = start({ behaviour: { queryMovesMs: 700 } });
    const begin = clock.now();
    expect(new Date(begin).toISOString()).toBe("2026-01-01T00:00:00.000Z");
    const { taskid } = await media.image.generate("imgmodelv4", form);
    await media.image.query(taskid);
    await media.video.query(taskid).catch(() => undefined);
    expect(clock.now() - begin).toBe(1_400);
    await media.image.delete([taskid]);
    expect(clock.now() - begin).toBe(1_400);
  });

  test("passes while all wait, so that waiting for minutes takes none", async () => {
    const { clock, media } = start();
    const begin = clock.now();
    const ended: number[] = [];
    const generateAndWait = async (duration: (typeof durations)[number]) => {
      await (await media.video.generate("vidmodelv2", { prompt: "#slow", duration })).wait();
      ended.push(duration);
    };
    await Promise.all(durations.toReversed().map(generateAndWait));
    expect(ended).toEqual(durations);
    expect(clock.now() - begin).toBeGreaterThan(20 * 16_000);
  });

  test("stops while a request is being served", async () => {
    const gate = Promise.withResolvers<void>();
    const { emulator, clock, media } = start({ persist: () => gate.promise });
    let woken = false;
    const generation = media.image.generate("imgmodelv4", form);
    await vi.waitFor(() => expect(emulator.calls).toHaveLength(1));
    const sleep = clock.sleep(1_000).then(() => (woken = true));
    await settle();
    expect(woken).toBe(false);
    gate.resolve();
    await Promise.all([generation, sleep]);
  });
});

describe("a call that hangs in auto time", () => {
  /** Fails if it takes anywhere near the ten seconds and more that these limits are. */
  const soon = { timeout: 5_000 };

  test(
    "ends at the client's limits at once: a query of a wait, a download and a generation",
    soon,
    async () => {
      const { emulator, clock, media } = start();
      const begin = clock.now();
      emulator.next({ fault: "hang", on: "query" });
      const task = await media.image.generate("imgmodelv4", form);
      await task.wait();
      expect(clock.now() - begin).toBeGreaterThanOrEqual(10_000);
      emulator.next({ fault: "hang", on: "download" });
      expect(await blobs(task)).toHaveLength(1);
      emulator.next({ fault: "hang", on: "generate" });
      await expect(media.video.generate("vidmodelv2", form)).rejects.toMatchObject({
        name: "OutcomeUnknownError",
        message: expect.stringContaining("the call took longer than 10 min"),
      });
      expect(emulator.calls.filter(({ fault }) => fault === "hang")).toHaveLength(3);
    },
  );

  test("ends a wait at its deadline at once, if all queries hang", soon, async () => {
    const { emulator, clock, media } = start();
    emulator.next({ fault: "hang", on: "query", share: 1 });
    const task = await media.image.generate("imgmodelv4", form);
    const begin = clock.now();
    await expect(task.wait()).rejects.toMatchObject({ name: "WaitTimeoutError" });
    // The machine may have slept in the last query, so another one has a second. Both have moved
    // time on.
    expect(clock.now() - begin).toBeGreaterThanOrEqual(30 * 60_000);
    expect(clock.now() - begin).toBeLessThan(30 * 60_000 + 4_000);
  });

  test("takes real time if it came over a port, because its client may be busy", async () => {
    const emulator = createEmulator();
    const server = await listen(emulator);
    const { apiKey, clock } = emulator.client;
    const media = createMediaGen({ baseUrl: server.baseUrl, apiKey, clock, retries: 0 });
    emulator.next({ fault: "hang" });
    const leaving = new AbortController();
    const query = media.video
      .query("t-1", { signal: leaving.signal })
      .catch((reason: unknown) => reason);
    await vi.waitFor(() => expect(emulator.calls).toHaveLength(1));
    const begin = emulator.clock.now();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(emulator.clock.now()).toBe(begin);
    leaving.abort("enough");
    expect(await query).toBe("enough");
    await server.close();
  });
});

describe("manual time", () => {
  test("passes only by hand", async () => {
    const { emulator, clock, media } = start({ clock: "manual" });
    const begin = clock.now();
    const task = await media.video.generate("vidmodelv2", form);
    const updates: unknown[] = [];
    const wait = task.wait({ onUpdate: ({ elapsedMs }) => updates.push(elapsedMs) });
    await settle();
    expect([clock.now() - begin, emulator.tasks[0]?.state, updates]).toEqual([0, "pending", []]);
    clock.advance("3s");
    await settle();
    expect([emulator.tasks[0]?.state, updates]).toEqual(["running", [3_000]]);
    clock.advance(60_000);
    expect((await wait).url).toHaveLength(1);
    expect(updates).toEqual([3_000, 63_000]);
  });

  test.for<readonly [unknown, number | undefined]>([
    [1_500, 1_500],
    ["1.5m", 90_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ...[-1, Infinity, "", "20", "-5s", null].map((bad) => [bad, undefined] as const),
    // No Date can hold such a moment.
    [1e300, undefined],
    ["99999999999d", undefined],
  ])("advances by %s: %s ms", ([duration, ms]) => {
    const { clock } = start({ clock: "manual" });
    const begin = clock.now();
    const advance = () => clock.advance(duration as string);
    if (ms === undefined) expect(advance).toThrow(RangeError);
    else advance();
    expect(clock.now() - begin).toBe(ms ?? 0);
  });
});

describe("real time", () => {
  afterEach(() => void vi.useRealTimers());

  test.for(["auto", "manual", { speed: 60 }] as const)(
    "a background sleep takes it in mode %o",
    async (mode) => {
      vi.useFakeTimers();
      const { clock } = start({ clock: mode });
      let over = false;
      const sleep = clock.sleep(1_000, undefined, "background").then(() => (over = true));
      clock.advance("1h");
      await vi.advanceTimersByTimeAsync(999);
      expect(over, "neither a jump of the clock nor its speed ends it").toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      await sleep;
    },
  );

  test("passes at its speed, and ends sleeps", async () => {
    vi.useFakeTimers({ now: 0 });
    const { clock } = start({ clock: { speed: 10 } });
    expect(clock.now()).toBe(0);
    let woken = 0;
    for (const ms of [1_000, 10_000]) void clock.sleep(ms).then(() => woken++);
    await vi.advanceTimersByTimeAsync(99);
    expect(woken).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect([woken, clock.now()]).toEqual([1, 1_000]);
    clock.advance("9s");
    await vi.advanceTimersByTimeAsync(0);
    expect(woken).toBe(2);
    expect(vi.getTimerCount()).toBe(0);
  });
});
