import { readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { lockFile } from "../../packages/batch/src/lock-file.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

vi.mock("node:fs/promises", { spy: true });

async function createPath() {
  const directory = await temporaryDirectory();
  return { directory, path: join(directory, ".lock") };
}

/** What a process of this machine writes, with another process id. */
async function written(pid: number, machine: object = {}): Promise<string> {
  const { path } = await createPath();
  const lock = await lockFile(path);
  const own = JSON.parse(await readFile(path, "utf8")) as object;
  if (lock.owner === undefined) await lock.release();
  return JSON.stringify({ ...own, pid, ...machine });
}

const elsewhere = { host: "elsewhere" };

describe("a lock file", () => {
  test("of another machine, or that cannot be read, is free after 15 seconds", { timeout: 30_000 }, async () => {
    const take = async (text: string) => {
      const { path } = await createPath();
      await writeFile(path, text);
      const begin = performance.now();
      expect((await lockFile(path)).owner).toBeUndefined();
      return performance.now() - begin;
    };
    const took = await Promise.all([take(await written(2 ** 30, elsewhere)), take("")]);
    for (const ms of took) expect(ms).toBeGreaterThan(14_900);
  });

  const others = process.platform === "linux" ? { elsewhere, otherContainer: { bootId: "" } } : { elsewhere };
  test.each(Object.entries(others))("of another machine is not taken while it is renewed: %s", async (_, machine) => {
    const { path } = await createPath();
    await writeFile(path, await written(2 ** 30, machine));
    let renewals = 0;
    const renewal = setInterval(() => utimes(path, 0, ++renewals), 100);
    expect((await lockFile(path)).owner).toContain(`process ${2 ** 30} on `);
    clearInterval(renewal);
  });

  test("of a process that is gone is taken by one of four", { timeout: 30_000 }, async () => {
    const text = await written(2 ** 30);
    const files = await vi.importActual<typeof import("node:fs/promises")>("node:fs/promises");
    let removals = 0;
    // A slow process removes what it saw after a fast one has its lock.
    vi.mocked(rm).mockImplementation(async (...args) => {
      await setTimeout((removals++ % 4) * 20);
      return files.rm(...args);
    });
    onTestFinished(() => void vi.mocked(rm).mockRestore());
    const round = async () => {
      const { directory, path } = await createPath();
      await writeFile(path, text);
      const locks = await Promise.all(Array.from({ length: 4 }, () => lockFile(path)));
      expect(locks.filter(({ owner }) => owner === undefined)).toHaveLength(1);
      expect(await readdir(directory)).toEqual([".lock"]);
    };
    await Promise.all(Array.from({ length: 50 }, round));
  });

  test("that another process has taken is neither renewed nor removed", async () => {
    const { path } = await createPath();
    const lock = await lockFile(path);
    await writeFile(path, await written(2 ** 30, elsewhere));
    await utimes(path, 0, 0);
    await setTimeout(1_500);
    if (lock.owner === undefined) await lock.release();
    expect((await stat(path)).mtimeMs).toBe(0);
  });
});
