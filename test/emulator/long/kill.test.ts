import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Snapshot } from "@mediagen/emulator";
import { ConnectionError, createMediaGen, OutcomeUnknownError } from "@mediagen/sdk";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../command-process.ts";

const kills = 12;

test(`an emulator that is killed ${kills} times under load keeps everything that it has reported`, async () => {
  const directory = await mkdtemp(join(tmpdir(), "mediagen-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, "state.json");
  const [kept, deleted] = [new Set<string>(), new Set<string>()];
  let generated = 0;

  async function useUntilKilled(baseUrl: string, killed: () => boolean): Promise<void> {
    const media = createMediaGen({ baseUrl, apiKey: "emulator-key", retries: 0 });
    while (!killed()) {
      try {
        const { taskid } = await media.image.generate("imgmodelv4", { prompt: "A fox" });
        if (generated++ % 3 > 0) kept.add(taskid);
        else await media.image.delete([taskid]).then(() => deleted.add(taskid));
      } catch (error) {
        // What a kill interrupts may or may not have happened.
        const isKill = error instanceof ConnectionError || error instanceof OutcomeUnknownError;
        if (!killed() || !isKill) throw error;
      }
    }
  }

  function check({ version, tasks, charges, credits }: Snapshot): void {
    const there = new Set(tasks.map(({ taskid }) => taskid));
    const charged = new Set(charges.map(({ taskid }) => taskid));
    expect([...kept].filter((taskid) => !there.has(taskid))).toEqual([]);
    expect([...deleted].filter((taskid) => there.has(taskid))).toEqual([]);
    expect([...kept, ...deleted, ...there].filter((taskid) => !charged.has(taskid))).toEqual([]);
    expect([version, charged.size]).toEqual([1, charges.length]);
    expect(credits).toBe(1_000_000 - charges.reduce((sum, charge) => sum + charge.credits, 0));
  }

  for (let kill = 0; kill < kills; kill++) {
    const emulator = await serve(["--state", file, "--credits", "1000000"]);
    check((await (await fetch(`${emulator.baseUrl}/_emulator/snapshot`)).json()) as Snapshot);
    const target = kept.size + 40 + 13 * kill;
    let killed = false;
    const using = Array.from({ length: 40 }, () => useUntilKilled(emulator.baseUrl, () => killed));
    while (kept.size < target) {
      // The file has a complete state whenever it is read.
      expect(JSON.parse(await readFile(file, "utf8"))).toMatchObject({ version: 1 });
      await setImmediate();
    }
    killed = true;
    emulator.child.kill("SIGKILL");
    expect(await emulator.ended).toMatchObject({ signal: "SIGKILL", stderr: "" });
    await Promise.all(using);
    check(JSON.parse(await readFile(file, "utf8")) as Snapshot);
  }
  expect(deleted.size).toBeGreaterThan(20);
});
