import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { lockFile } from "../../packages/batch/src/lock-file.ts";

async function createPath() {
  const directory = await mkdtemp(join(tmpdir(), "mediagen-lock-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return { directory, path: join(directory, ".lock") };
}

/** What a process of this machine writes, with another process id. */
async function written(pid: number, machine?: string): Promise<string> {
  const { path } = await createPath();
  const lock = await lockFile(path);
  const [own] = (await readFile(path, "utf8")).split("\n");
  if (lock.owner === undefined) await lock.release();
  return `${machine ?? own}\n${pid}`;
}

describe("a lock file", () => {
  test("has one owner, and is gone once that has released it", async () => {
    const { directory, path } = await createPath();
    const first = await lockFile(path);
    expect(first.owner).toBeUndefined();
    expect((await lockFile(path)).owner).toMatch(new RegExp(`^process ${process.pid} on `));
    if (first.owner === undefined) await first.release();
    expect(await readdir(directory)).toEqual([]);
    expect((await lockFile(path)).owner).toBeUndefined();
  });

  test("of a process of this machine that is gone is free at once", async () => {
    const { path } = await createPath();
    await writeFile(path, await written(2 ** 30));
    const begin = performance.now();
    expect((await lockFile(path)).owner).toBeUndefined();
    expect(performance.now() - begin).toBeLessThan(1_000);
  });

  test("of another machine, or that cannot be read, is free after 15 seconds", { timeout: 30_000 }, async () => {
    const take = async (text: string) => {
      const { path } = await createPath();
      await writeFile(path, text);
      const begin = performance.now();
      expect((await lockFile(path)).owner).toBeUndefined();
      return performance.now() - begin;
    };
    const took = await Promise.all([take(await written(2 ** 30, "elsewhere")), take("")]);
    for (const ms of took) expect(ms).toBeGreaterThan(14_900);
  });

  test("of another machine is not taken while it is renewed", async () => {
    const { path } = await createPath();
    await writeFile(path, await written(2 ** 30, "elsewhere"));
    let renewals = 0;
    const renewal = setInterval(() => utimes(path, 0, ++renewals), 100);
    expect((await lockFile(path)).owner).toContain(`process ${2 ** 30} on `);
    clearInterval(renewal);
  });

  test("that is waited for ends with the signal's reason", async () => {
    const { path } = await createPath();
    await writeFile(path, "");
    await expect(lockFile(path, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  });
});
