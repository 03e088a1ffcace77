import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
// What the clients' timers are made of, which no entry point exports.
import { longestDelayMs, sleep } from "../../packages/sdk/src/time/clock.ts";
import { Semaphore } from "../../packages/sdk/src/time/semaphore.ts";

const { signal } = new AbortController();

describe("sleep", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

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

  test("rejects with the signal's reason in any of its parts, and leaves no timer", async () => {
    const controller = new AbortController();
    const end = sleep(3 * longestDelayMs, controller.signal).catch((reason: unknown) => reason);
    await vi.advanceTimersByTimeAsync(longestDelayMs + 1);
    controller.abort("enough");
    expect(await end).toBe("enough");
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("a background sleep does not keep the process alive, and others do", async () => {
  // The list has only what keeps the process alive.
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
  const before = timers();
  const controller = new AbortController();
  const background = sleep(60_000, controller.signal, "background");
  expect(timers()).toBe(before);
  const pause = sleep(60_000, controller.signal, "pause");
  expect(timers()).toBe(before + 1);
  controller.abort("over");
  expect(await Promise.allSettled([background, pause])).toEqual(Array(2).fill({ status: "rejected", reason: "over" }));
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
