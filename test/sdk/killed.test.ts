import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { createMediaGen, fileStore } from "@mediagen/sdk/node";
import { expect, onTestFinished, test } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";
import { killWhileGenerating } from "./killing.ts";

// The simulator kills at every other point, in memory. A dead process is known to be dead, so that
// nothing waits until it counts as silent.
test.for<[state: string, unknown: number]>([
  ["claimed", 0],
  ["sending", 1],
])(
  "of a process killed at `%s`, %i generations are unknown, at once, and no key is ever paid twice",
  async ([state, unknown]) => {
    const directory = await temporaryDirectory();
    const emulator = createEmulator();
    const { baseUrl, close } = await listen(emulator);
    onTestFinished(close);
    const keys = ["one", "two", "three"];
    const generate = async (killedAt?: string) => {
      const options = JSON.stringify({ baseUrl, directory, keys, killedAt });
      const child = spawn(process.execPath, [resolve("test/sdk/processes/generate.ts"), options]);
      const printed = text(child.stdout);
      expect(await once(child, "close")).toEqual(
        killedAt === undefined ? [0, null] : [null, "SIGKILL"],
      );
      return (await printed).split("\n").filter(Boolean);
    };
    const taskids = () => emulator.charges.map(({ taskid }) => taskid);

    expect(await generate(state)).toEqual(taskids());
    const start = performance.now();
    const recovered = await createMediaGen({
      baseUrl,
      apiKey: "emulator-key",
      store: fileStore(directory),
    }).recover();
    expect(recovered.tasks.map(({ taskid }) => taskid)).toEqual(taskids());
    expect(recovered.unknown.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
      keys.slice(1, 1 + unknown),
    );

    const again = await generate();
    expect(performance.now() - start).toBeLessThan(15_000);
    expect(again.filter((one) => one !== "OutcomeUnknownError")).toEqual(taskids());
    expect(taskids()).toHaveLength(3 - unknown);
  },
);

// `npm run test:weekly -- fleet` does so with thousands of keys, and on databases.
test("five processes that are killed and paused at random pay for each key once, and know every task", async () => {
  const directory = await temporaryDirectory();
  const store = fileStore(directory);
  const report = await killWhileGenerating({
    name: "file",
    at: directory,
    store,
    keys: 120,
    strikes: 12,
  });
  console.log(JSON.stringify(report));
  expect(report).toMatchObject({ sentTwice: [], lost: [], unlisted: [], changed: [] });
  expect(report.sent).toBeGreaterThan(90);
  expect(report.kills + report.pauses).toBeGreaterThan(3);
});
