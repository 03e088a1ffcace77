import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { createMediaGen, fileStore } from "@mediagen/sdk/node";
import { expect, onTestFinished, test } from "vitest";
import { killWhileGenerating } from "./killing.ts";

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "mediagen-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

// The simulator kills at every other point, in memory.
test.for<[point: string, paid: number, tasks: number, unknown: number]>([
  ["after claimed", 1, 1, 0],
  ["after sending", 1, 1, 1],
  ["after the response", 2, 1, 1],
  ["after created", 2, 2, 0],
])(
  "a process killed %s: %i paid, %i known as tasks, %i as unknown, at once, and no key is ever paid twice",
  async ([point, paid, tasks, unknown]) => {
    const directory = await newDirectory();
    const emulator = createEmulator();
    const { baseUrl, close } = await listen(emulator);
    onTestFinished(close);
    const keys = ["one", "two", "three"];
    const generate = async (killedAt?: string) => {
      const options = JSON.stringify({ baseUrl, directory, keys, point: killedAt });
      const program = [resolve("test/sdk/processes/generate.ts"), options];
      const child = spawn(process.execPath, program, { stdio: ["ignore", "pipe", "inherit"] });
      let printed = "";
      child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
      expect(await once(child, "close")).toEqual(killedAt === undefined ? [0, null] : [null, "SIGKILL"]);
      return printed.split("\n").filter(Boolean);
    };
    const taskids = (count: number) => emulator.charges.slice(0, count).map(({ taskid }) => taskid);

    expect(await generate(point)).toEqual(taskids(1));
    expect(emulator.charges).toHaveLength(paid);
    // The dead process is known to be dead, so that nothing waits until it counts as silent.
    const start = performance.now();
    const recovered = await createMediaGen({ baseUrl, apiKey: "emulator-key", store: fileStore(directory) }).recover();
    expect(recovered.tasks.map(({ taskid }) => taskid).toSorted()).toEqual(taskids(tasks).toSorted());
    expect(recovered.unknown.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys.slice(1, 1 + unknown));

    const again = await generate();
    expect(performance.now() - start).toBeLessThan(15_000);
    expect([again[0], again[1] === "OutcomeUnknownError"]).toEqual([emulator.charges[0]?.taskid, unknown > 0]);
    expect(emulator.charges).toHaveLength(unknown > 0 ? paid + 1 : 3);
  },
);

// `npm run test:all -- fleet` does so with thousands of keys, and on databases.
test("five processes that are killed and paused at random pay for each key once, and know every task", async () => {
  const directory = await newDirectory();
  const store = fileStore(directory);
  const report = await killWhileGenerating({ name: "file", at: directory, store, keys: 120, strikes: 12 });
  console.log(JSON.stringify(report));
  expect(report).toMatchObject({ sentTwice: [], lost: [], unlisted: [], changed: [] });
  expect(report.sent).toBeGreaterThan(90);
  expect(report.kills + report.pauses).toBeGreaterThan(3);
});
