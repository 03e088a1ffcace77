import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { disk } from "@mediagen/sdk/kit";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";

const { lockFile } = disk;

const createPath = async () => join(await temporaryDirectory(), ".lock");

function startProcess(): ChildProcess {
  const child = fork(new URL("processes/lock-owner.ts", import.meta.url));
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Lets a process lock paths, and returns those that it owns. */
async function lockIn(
  child: ChildProcess,
  ...paths: readonly string[]
): Promise<readonly string[]> {
  child.send(paths);
  const [owned] = (await once(child, "message")) as [readonly string[]];
  return owned;
}

/** Creates the lock of an owner of whom some facts differ from those of this process. */
async function lockOf(change: {
  readonly [fact in "host" | "bootId" | "pid" | "start"]?: string;
}): Promise<string> {
  const path = await createPath();
  const { release } = lockFile(path);
  const [own = ""] = await readdir(path);
  release();
  const [host, bootId, pid, start, id] = own.split(",");
  await mkdir(join(path, Object.values({ host, bootId, pid, start, id, ...change }).join()), {
    recursive: true,
  });
  return path;
}

describe("a lock", () => {
  test("of a process that was killed is taken by one of four that start at once", async () => {
    const paths = await Promise.all(Array.from({ length: 100 }, createPath));
    const killed = startProcess();
    expect(await lockIn(killed, ...paths)).toEqual(paths);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const processes = Array.from({ length: 4 }, startProcess);
    // All have started once they have locked nothing.
    await Promise.all(processes.map((one) => lockIn(one)));
    const owned = await Promise.all(processes.map((one) => lockIn(one, ...paths)));
    expect(owned.flat().sort()).toEqual(paths.toSorted());
    for (const path of paths) expect(await readdir(dirname(path))).toEqual([".lock"]);
  });

  test.skipIf(process.platform === "win32")(
    "of a process that is stopped is not taken",
    async () => {
      const path = await createPath();
      const child = startProcess();
      await lockIn(child, path);
      child.kill("SIGSTOP");
      expect(lockFile(path).owner).toMatch(`process ${child.pid} on `);
    },
  );

  test("of this process is not taken until it is released, and no other is released with it", async () => {
    const path = await createPath();
    const first = lockFile(path);
    expect(lockFile(path).owner).toMatch(`process ${process.pid} on `);
    first.release();
    expect(await readdir(dirname(path))).toEqual([]);
    const second = lockFile(path);
    first.release();
    expect(second.owner).toBeUndefined();
    expect(lockFile(path).owner).toMatch(`process ${process.pid} on `);
  });

  test("of another host is not taken, because nobody knows whether its process has ended", async () => {
    expect(lockFile(await lockOf({ host: "elsewhere", pid: "7" })).owner).toBe(
      "process 7 on elsewhere",
    );
  });

  test("from before this host or container restarted is taken", async () => {
    expect(lockFile(await lockOf({ bootId: "before" })).owner).toBeUndefined();
  });

  test.runIf(process.platform === "linux")(
    "of an earlier process with the same number is taken",
    async () => {
      expect(lockFile(await lockOf({ start: "1" })).owner).toBeUndefined();
    },
  );

  test("without an owner is taken, and a file in its place is an error", async () => {
    const path = await createPath();
    await mkdir(path);
    expect(lockFile(path).owner).toBeUndefined();
    const file = await createPath();
    await writeFile(file, "");
    expect(() => lockFile(file)).toThrow("ENOTDIR");
  });
});
