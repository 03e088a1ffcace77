import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { DirectoryLock } from "../../packages/batch/src/directory-lock.ts";
import { createHolder, lockFilesIn, type LockFiles } from "../../packages/batch/src/lock-files.ts";
import { createLockFiles, createTime, holderOf, inEveryOrder, sleepUntilAborted } from "./lock-model.ts";

const inUse = /directory is in use by another run/;
const own = await createHolder();

async function createDirectory() {
  const directory = await mkdtemp(join(tmpdir(), "mediagen-lock-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const lock = () => new DirectoryLock(lockFilesIn(directory), { ...own, id: crypto.randomUUID() });
  return { directory, lock };
}

describe("a lock on a disk", () => {
  test("is held by one run, and free once that has released it", async () => {
    const { directory, lock } = await createDirectory();
    const first = lock();
    await first.take();
    await expect(lock().take()).rejects.toThrow(`in use by another run (process ${process.pid} on ${own.host})`);
    await first.release();
    const second = lock();
    await second.take();
    expect(await readdir(directory)).toEqual([".lock.2"]);
    await second.release();
  });

  test.for<[string, string]>([
    ["of a process of this machine that is gone", JSON.stringify({ ...own, pid: 2 ** 30 })],
    ["that was released", JSON.stringify({ ...own, machine: "elsewhere", released: true })],
  ])("%s is taken at once", async ([, text]) => {
    const { directory, lock } = await createDirectory();
    await writeFile(join(directory, ".lock.7"), text);
    const taken = lock();
    await taken.take();
    expect(await readdir(directory)).toEqual([".lock.8"]);
    await taken.release();
    expect(await readFile(join(directory, ".lock.8"), "utf8")).toContain('"released":true');
  });

  test.for<[string, string]>([
    ["of another machine", JSON.stringify({ ...own, pid: 2 ** 30, machine: "elsewhere" })],
    ["of a process that lives", JSON.stringify(own)],
    ["that cannot be read", "{"],
  ])("%s is not taken while it is renewed", async ([, text]) => {
    const { directory } = await createDirectory();
    const path = join(directory, ".lock.7");
    await writeFile(path, text);
    let renewals = 0;
    const renewed = createTime(() => utimes(path, 0, ++renewals)).lockTime;
    await expect(new DirectoryLock(lockFilesIn(directory), own, renewed).take()).rejects.toThrow(inUse);
  });

  test("that is waited for ends with the signal's reason", async () => {
    const { directory, lock } = await createDirectory();
    await writeFile(join(directory, ".lock.7"), "{");
    await expect(lock().take(AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });
});

describe("in virtual time", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] }));
  afterEach(() => void vi.useRealTimers());

  const sleep = (ms: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      setTimeout(resolve, ms);
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  const time = { steady: () => performance.now(), wall: () => Date.now(), sleep };

  /** A lock whose disk takes so many seconds for each renewal in turn, and then none. */
  function createLock(files: ReturnType<typeof createLockFiles>, name: string, seconds: readonly number[] = []) {
    const delays = [...seconds];
    const before = async (operation: keyof LockFiles) => {
      const delay = operation === "renew" ? (delays.shift() ?? 0) : 0;
      if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay * 1_000));
    };
    return new DirectoryLock(files.of(before), holderOf(name), time);
  }

  test("a silent lock of another machine is taken after 15 seconds, not before", async () => {
    const files = createLockFiles();
    files.write(3, holderOf("elsewhere"));
    const lock = createLock(files, "here");
    let isTaken = false;
    const taken = lock.take().then(() => (isTaken = true));
    await vi.advanceTimersByTimeAsync(14_900);
    expect(isTaken).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    await taken;
    await lock.release();
  });

  test.for([[8], [14], [21], [60], [4, 7], [9, 9, 9]])(
    "a disk that takes %j s to renew a lock costs its run nothing if nobody else wants it",
    async (seconds) => {
      const files = createLockFiles();
      const first = createLock(files, "first", seconds);
      await first.take();
      await vi.advanceTimersByTimeAsync(120_000);
      await first.confirm();
      const second = createLock(files, "second").take().catch(String);
      await vi.advanceTimersByTimeAsync(20_000);
      expect(await second).toMatch(inUse);
      expect(first.lost.aborted).toBe(false);
      await first.release();
    },
  );

  test("a run that another one took the directory from, while its disk stood still, is told once", async () => {
    const files = createLockFiles();
    const first = createLock(files, "first", [60]);
    await first.take();
    await vi.advanceTimersByTimeAsync(2_000);
    const second = createLock(files, "second");
    const taken = second.take();
    await vi.advanceTimersByTimeAsync(20_000);
    await taken;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(String(first.lost.reason)).toMatch(/in use by another run.*process \d+ on second.*The batch was stopped/);
    await expect(first.confirm()).rejects.toBe(first.lost.reason);
    await first.release();
    await second.confirm();
    expect(second.lost.aborted).toBe(false);
    await second.release();
  });

  test("a disk that fails for too long ends the run with its error", async () => {
    const files = createLockFiles();
    const failing = new Error("input/output error");
    let isFailing = false;
    const first = new DirectoryLock(
      files.of(async () => {
        if (isFailing) throw failing;
      }),
      holderOf("first"),
      time,
    );
    await first.take();
    isFailing = true;
    await vi.advanceTimersByTimeAsync(5_000);
    await first.confirm();
    await vi.advanceTimersByTimeAsync(7_000);
    expect(first.lost.reason).toBe(failing);
    await first.release();
  });
});

test("a machine that slept notices before it sends, although its steady clock stood still", async () => {
  const files = createLockFiles();
  const clock = createTime(sleepUntilAborted);
  const at = async () => undefined;
  const slept = new DirectoryLock(files.of(at), holderOf("slept"), clock.lockTime);
  await slept.take();
  files.write(2, holderOf("other"));
  await slept.confirm(); // It relies on its last renewal, for as long as others do.
  clock.wallMs += 60_000;
  await expect(slept.confirm()).rejects.toThrow(inUse);
  await slept.release();
});

describe("in every order in which steps on the disk can happen", () => {
  /** Counts the processes that hold the lock at once. */
  function createCounter() {
    const counter = { holders: 0, most: 0, taken: 0 };
    const hold = () => {
      counter.taken++;
      counter.most = Math.max(counter.most, ++counter.holders);
    };
    return Object.assign(counter, { hold, leave: () => void counter.holders-- });
  }

  /** Gives up when the lock is held by somebody else. */
  const neverWait = AbortSignal.abort(new Error("it is held"));

  function createLock(files: ReturnType<typeof createLockFiles>, name: string, step: () => Promise<void>) {
    const clock = createTime((ms, signal) =>
      signal === neverWait ? Promise.reject(new Error("it is held")) : sleepUntilAborted(ms, signal),
    );
    return new DirectoryLock(files.of(step), holderOf(name, "one machine"), clock.lockTime);
  }

  test("one of two takes the lock of a process that is gone", async () => {
    const orders = await inEveryOrder(async (step) => {
      const files = createLockFiles();
      files.write(1, { ...holderOf("gone"), released: true });
      const counter = createCounter();
      for (const name of ["first", "second"])
        void createLock(files, name, step)
          .take(neverWait)
          .then(counter.hold, () => undefined);
      return () => expect(counter).toMatchObject({ most: 1, taken: 1 });
    });
    expect(orders).toBeGreaterThan(50);
  });

  test("two never hold it, when one takes and releases it twice while the other takes it", async () => {
    const orders = await inEveryOrder(async (step) => {
      const files = createLockFiles();
      const counter = createCounter();
      const use = async (name: string) => {
        const lock = createLock(files, name, step);
        await lock.take(neverWait);
        counter.hold();
        await step();
        counter.leave();
        await lock.release();
      };
      void use("first")
        .then(() => use("first again"))
        .catch(() => undefined);
      void use("second").catch(() => undefined);
      return () => expect([counter.most, counter.taken > 0]).toEqual([1, true]);
    });
    expect(orders).toBeGreaterThan(1_000);
  });

  test("a run that was silent for too long keeps the lock, or another one gets it", async () => {
    const ends = new Set<string>();
    await inEveryOrder(async (step) => {
      const files = createLockFiles();
      const clock = createTime(sleepUntilAborted);
      let isInOrder = false;
      const shared = files.of(async () => (isInOrder ? step() : undefined));
      const silent = new DirectoryLock(shared, holderOf("silent"), clock.lockTime);
      await silent.take();
      const asleep = Promise.withResolvers<() => void>();
      const sleep = () => new Promise<void>((resolve) => asleep.resolve(resolve));
      const other = new DirectoryLock(shared, holderOf("other"), { ...clock.lockTime, sleep });
      const end: string[] = [];
      void other.take().then(
        () => end.push("other"),
        () => undefined,
      );
      const wake = await asleep.promise;
      isInOrder = true;
      clock.steadyMs += 15_000;
      wake();
      void silent.confirm().then(
        () => end.push("silent"),
        () => undefined,
      );
      return () => {
        expect(end).toHaveLength(1);
        ends.add(end.join());
      };
    });
    expect(ends).toEqual(new Set(["silent", "other"]));
  });
});
