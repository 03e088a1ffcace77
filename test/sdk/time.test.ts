import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { createEmulator } from "@mediagen/emulator";
import { blobs, createMediaGen } from "@mediagen/sdk";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
// What the clients' timers are made of, which no entry point exports.
import { longestDelayMs, sleepBy, startTimer } from "../../packages/sdk/src/time/clock.ts";
import { orAbort } from "../../packages/sdk/src/time/deadline.ts";
import { Semaphore } from "../../packages/sdk/src/time/semaphore.ts";
import { shareTimer } from "../../packages/sdk/src/time/shared-timer.ts";
import { clientOf, errorOf, forever } from "./fake-service.ts";

const { signal } = new AbortController();
const steady = () => performance.now();
const sleep = sleepBy(shareTimer({ steady }, startTimer));

describe("sleep", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    // Before the real timers: the mock is of a fake one, and would bring it back.
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  test("takes delays that are too long for one timer, and passes the runtime no such delay", async () => {
    const setTimeout = vi.spyOn(globalThis, "setTimeout");
    let isOver = false;
    void sleep(2 * longestDelayMs + 1_000, signal).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(2 * longestDelayMs + 999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
    expect(setTimeout.mock.calls.map(([, ms]) => ms)).toEqual([longestDelayMs, longestDelayMs, 1_000]);
  });

  test("rejects with the signal's reason in any of its parts", async () => {
    const controller = new AbortController();
    const end = sleep(3 * longestDelayMs, controller.signal).catch((reason: unknown) => reason);
    await vi.advanceTimersByTimeAsync(longestDelayMs + 1);
    controller.abort("enough");
    expect(await end).toBe("enough");
  });
});

describe("timeouts that are too long for one timer", () => {
  test("print no warning, whichever they are", async () => {
    const program = resolve("test/sdk/processes/longest-timeouts.ts");
    expect(await promisify(execFile)(process.execPath, [program])).toEqual({ stdout: "12\n", stderr: "" });
  });

  const ms = 2 ** 31 + 5_000;
  const passing = ["limit"] as const;

  test.for(["queryTimeoutMs", "generateTimeoutMs", "headersTimeoutMs"] as const)(
    "end when they should: %s",
    async (name) => {
      const others = { queryTimeoutMs: Infinity, generateTimeoutMs: Infinity, headersTimeoutMs: Infinity };
      const { media, generate, now } = clientOf([forever], { passing, ...others, [name]: ms });
      const start = now();
      const call = name === "queryTimeoutMs" ? media.image.query("t-1") : generate();
      expect(String(await errorOf(call))).toContain(`${ms / 1_000} seconds`);
      expect(now() - start).toBe(ms);
    },
  );
});

/** A signal, and how many listeners it has. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set<unknown>();
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners.add(args[1]), add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners.delete(args[1]), remove(...args));
  return { controller, signal, listeners };
}

describe("a signal", () => {
  test("has no listener of any call that has ended, however it has ended", async () => {
    const { signal, listeners } = countedSignal();
    const emulator = createEmulator();
    const media = createMediaGen({
      ...emulator.client,
      apiKey: async () => emulator.client.apiKey,
      maxGenerationsInFlight: 1,
    });
    for (const fault of [undefined, "cutBody", "hang", "serverError"] as const) {
      const task = await media.image.generate("imgmodelz", { prompt: "A fox" }, { signal });
      if (fault) emulator.next({ fault, on: "query" });
      await task.wait({ signal, onUpdate: async () => undefined });
      if (fault) emulator.next({ fault, on: "download" });
      await blobs(task, { signal });
      if (fault) emulator.next({ fault, on: "delete", times: 9 });
      await errorOf(task.delete({ signal }));
      expect(listeners.size).toBe(0);
      emulator.reset();
    }
  });

  test("gets none from waiting for what never settles, once it has aborted", async () => {
    const { controller, signal, listeners } = countedSignal();
    const late = orAbort(forever(), signal).catch((reason: unknown) => reason);
    expect(listeners.size).toBe(1);
    controller.abort("enough");
    expect(await late).toBe("enough");
    listeners.clear();
    await expect(orAbort(forever(), signal)).rejects.toBe("enough");
    expect(listeners.size).toBe(0);
  });
});

test("a background sleep does not keep the process alive, and others do", async () => {
  // The list has only what keeps the process alive.
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const controller = new AbortController();
  const background = sleepBy(shareTimer({ steady }, startTimer, { holds: false }))(60_000, controller.signal);
  expect(timers()).toBe(before);
  const pause = sleep(60_000, controller.signal, "pause");
  expect(timers()).toBe(before + 1);
  controller.abort("over");
  expect(await Promise.allSettled([background, pause])).toEqual(Array(2).fill({ status: "rejected", reason: "over" }));
  expect(timers()).toBe(before);
});

test("a semaphore gives places in the order in which they were requested, and none to those who aborted", async () => {
  const semaphore = new Semaphore(1);
  const release = await semaphore.acquire(undefined);
  const controller = new AbortController();
  const order: string[] = [];
  const aborted = semaphore.acquire(controller.signal).catch((reason: unknown) => reason);
  const waiting = ["first", "second"].map(async (name) => {
    const releaseOwn = await semaphore.acquire(undefined);
    order.push(name);
    releaseOwn();
  });
  controller.abort("enough");
  expect(await aborted).toBe("enough");
  expect(order).toEqual([]);
  release();
  await Promise.all(waiting);
  expect(order).toEqual(["first", "second"]);
  await expect(semaphore.acquire(controller.signal)).rejects.toBe("enough");
});
