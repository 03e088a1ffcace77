import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Snapshot } from "@mediagen/emulator";
import { ConnectionError, createMediaGen, MediaGenError, OutcomeUnknownError, ServiceError } from "@mediagen/sdk";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "../command-process.ts";

const kills = 12;
const clients = 40;
const credits = 1_000_000;

let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "mediagen-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

test(`an emulator that is killed ${kills} times under load has lost nothing that it had answered`, async () => {
  const file = join(folder, "state.json");
  /** What was answered, and what was asked without an answer: that may or may not have happened. */
  const generated = new Set<string>();
  const deleted = new Set<string>();
  const perhapsDeleted = new Set<string>();
  const lost: unknown[] = [];
  let unknown = 0;
  let reads = 0;

  async function useUntilKilled(baseUrl: string, killed: () => boolean): Promise<void> {
    // Without retries, which after a kill would only ask a port that nobody listens on.
    const media = createMediaGen({ baseUrl, apiKey: "emulator-key", retries: 0 });
    while (!killed()) {
      try {
        const { taskid } = await media.image.generate("imgmodelv4", { prompt: "A fox" });
        generated.add(taskid);
        await media.image.query(taskid);
        if (generated.size % 3 > 0) continue;
        perhapsDeleted.add(taskid);
        await media.image.delete([taskid]);
        deleted.add(taskid);
      } catch (error) {
        if (!(error instanceof MediaGenError) || error instanceof ServiceError || !killed()) lost.push(error);
        if (error instanceof OutcomeUnknownError) unknown++;
        else if (!(error instanceof ConnectionError)) lost.push(error);
      }
    }
  }

  /** Reads the file again and again while it is written: every reading is a whole state. */
  async function readUntil(over: () => boolean): Promise<void> {
    for (; !over(); reads++) {
      const state = JSON.parse(await readFile(file, "utf8")) as Snapshot;
      if (state.version !== 1) lost.push(state);
      await setImmediate();
    }
  }

  function check({ tasks, charges, credits: left }: Snapshot): void {
    const there = new Set(tasks.map(({ taskid }) => taskid));
    const charged = new Set(charges.map(({ taskid }) => taskid));
    const kept = [...generated].filter((taskid) => !perhapsDeleted.has(taskid));
    expect(
      kept.filter((taskid) => !there.has(taskid)),
      "tasks that are missing",
    ).toEqual([]);
    expect(
      [...deleted].filter((taskid) => there.has(taskid)),
      "deleted tasks that are there",
    ).toEqual([]);
    const all = [...generated, ...there];
    expect(
      all.filter((taskid) => !charged.has(taskid)),
      "tasks without a charge",
    ).toEqual([]);
    expect(charged.size, "no task is charged twice").toBe(charges.length);
    expect(charged.size, "no task is charged twice").toBe(charges.length);
    expect(
      [...there].filter((taskid) => !charged.has(taskid)),
      "tasks without a charge",
    ).toEqual([]);
    expect(left, "credits add up").toBe(credits - charges.reduce((sum, charge) => sum + charge.credits, 0));
    // What nobody was answered may be there: no more of it than there were outcomes that are not known.
    expect([...charged].filter((taskid) => !generated.has(taskid)).length).toBeLessThanOrEqual(unknown);
  }

  for (let kill = 0; kill < kills; kill++) {
    const emulator = await serve(["--state", file, "--credits", String(credits)]);
    check((await (await fetch(`${emulator.baseUrl}/_emulator/snapshot`)).json()) as Snapshot);
    const target = generated.size + 40 + 13 * kill;
    let killed = false;
    const reading = readUntil(() => killed);
    const using = Array.from({ length: clients }, () => useUntilKilled(emulator.baseUrl, () => killed));
    while (generated.size < target) await setImmediate();
    killed = true;
    emulator.child.kill("SIGKILL");
    expect(await emulator.ended).toMatchObject({ signal: "SIGKILL", stderr: "" });
    await Promise.all([reading, ...using]);
    check(JSON.parse(await readFile(file, "utf8")) as Snapshot);
  }
  const left = (await readdir(folder)).filter((name) => name !== "state.json").length;
  console.log(
    `${kills} kills: ${generated.size} tasks and ${deleted.size} deletions answered, ${unknown} generations without an answer, ${reads} readings of the file, ${left} part files left`,
  );
  expect(lost).toEqual([]);
  expect(deleted.size).toBeGreaterThan(50);
});
