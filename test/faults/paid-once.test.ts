import { createEmulator, faultEffects, listen, type FaultName } from "@mediagen/emulator/node";
import * as node from "@mediagen/sdk/node";
import * as plain from "@mediagen/sdk";
import { describe, expect, test } from "vitest";

const generations = 300;
/** Faults that lose the answer to a generation that took effect; one that hangs differs only in how long it takes. */
const losing = (Object.keys(faultEffects) as FaultName[]).filter(
  (fault) => faultEffects[fault] === "after" && !["hang", "slowBody", "unknownStatus", "taskFails", "downloadCut"].includes(fault),
);

describe.for([
  ["the plain door", plain.createMediaGen],
  ["the Node door", node.createMediaGen],
] as const)("%s", ([, createMediaGen]) => {
  test.for(losing)("pays each of 300 generations once though a fifth of the answers end in %s, and tells of each lost one", async (fault) => {
    const emulator = createEmulator({ clock: { speed: 1 }, credits: 1_000_000 });
    const server = await listen(emulator);
    try {
      emulator.next({ fault, on: "generate", share: 0.2 });
      const media = createMediaGen({ baseUrl: server.baseUrl, apiKey: emulator.client.apiKey });
      const outcomes: PromiseSettledResult<{ readonly taskid: string }>[] = [];
      for (let left = generations; left > 0; left -= 20) {
        const twenty = Array.from({ length: 20 }, () => media.image.generate("imgmodelz", { prompt: "A fox" }));
        outcomes.push(...(await Promise.allSettled(twenty)));
      }
      const taskids = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value.taskid] : []));
      const errors = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason as Error] : []));
      expect(emulator.charges).toHaveLength(generations);
      expect(new Set(taskids).size).toBe(taskids.length);
      expect(errors.length).toBeGreaterThan(30);
      expect(new Set(errors.map(({ name }) => name))).toEqual(new Set(["OutcomeUnknownError"]));
      const known = new Set(emulator.charges.map(({ taskid }) => taskid));
      expect(taskids.filter((taskid) => !known.has(taskid))).toEqual([]);
    } finally {
      await server.close();
    }
  });
});
