import { createEmulator, faultEffects, listen, type FaultName } from "@mediagen/emulator/node";
import { createMediaGen, download } from "@mediagen/sdk/node";
import { describe, expect, test, vi } from "vitest";
import type { Asked } from "./faults.ts";
import { canary, createWitness, entries } from "./witness.ts";

/** What a call comes to that meets a fault once, and how many requests the service sees of it. */
type Expected = readonly [outcome: string, requests: number];

const once: Expected = ["done", 1];
const twice: Expected = ["done", 2];
const unknown: Expected = ["OutcomeUnknownError", 1];
/** A deletion that was done, and whose repetition is rejected. */
const done: Expected = ["ServiceError", 2];
const refused: Expected = ["ServiceError", 1];
const broke: Expected = ["InsufficientCreditsError", 1];

/** Every fault of the emulator, on all that can meet it. */
const expected: Readonly<Record<FaultName, Partial<Record<Asked, Expected>>>> = {
  resetBefore: { generate: unknown, query: twice, delete: twice, download: twice },
  resetAfter: { generate: unknown, query: twice, delete: done, download: twice },
  hang: { generate: unknown, query: twice, delete: done, download: twice },
  cutBody: { generate: unknown, query: twice, delete: done, download: twice },
  slowBody: { generate: once, query: once, delete: once, download: once },
  html: { generate: unknown, query: twice, delete: done, download: twice },
  brokenJson: { generate: unknown, query: twice, delete: done },
  emptyBody: { generate: unknown, query: twice, delete: done, download: twice },
  failure: { generate: refused, query: refused, delete: refused },
  insufficientCredits: { generate: broke, query: broke, delete: broke },
  rateLimited: { generate: twice, query: twice, delete: twice, download: twice },
  unavailable: { generate: unknown, query: twice, delete: twice, download: twice },
  serverError: { generate: unknown, query: twice, delete: done, download: twice },
  wrongCode: { generate: unknown, query: refused, delete: refused },
  unknownStatus: { query: once },
  taskFails: { generate: once },
  linkExpired: { download: twice },
  downloadCut: { download: twice },
};

/** Whether a generation that meets the fault is paid: it took effect, or it was sent again. */
const isPaid = (fault: FaultName) => faultEffects[fault] === "after" || fault === "rateLimited";

const witness = createWitness();
const cases = Object.entries(expected).flatMap(([fault, outcomes]) =>
  // The casts: Object.entries forgets which keys there are.
  Object.entries(outcomes).map(([asked, [outcome, requests]]) => ({
    fault: fault as FaultName,
    asked: asked as Asked,
    outcome,
    requests,
  })),
);

describe.each(["node:http", "global fetch"] as const)("on %s", (entry) => {
  test.concurrent.for(cases)(
    "$asked: $fault ends as $outcome after $requests requests",
    async ({ fault, asked, outcome, requests }, { expect }) => {
      const emulator = createEmulator({ apiKey: canary, clock: "manual" });
      const made = await createMediaGen({ ...emulator.client }).image.generate("imgmodelz", { prompt: "A fox" });
      emulator.clock.advance("1h");
      const charged = emulator.charges.length;
      const isHanging = () =>
        emulator.calls.filter(({ fault: met, status }) => met === "hang" && status === undefined).length;
      let passed = 0;
      const limit = async (signal: AbortSignal) => {
        await vi.waitUntil(() => signal.aborted || isHanging() > passed, { interval: 2, timeout: 30_000 });
        if (!signal.aborted) passed++;
      };
      const server = await listen(emulator);
      const pauses: number[] = [];
      try {
        const media = entries[entry]({ ...witness.options(limit, pauses), baseUrl: server.baseUrl });
        const task = media.image.task(made.taskid);
        emulator.next({ fault, on: asked });
        const seen = await witness.outcomeOf(asked, (folder) => {
          if (asked === "generate") return media.image.generate("imgmodelz", { prompt: "A fox" });
          if (asked === "query") return media.image.query(task.taskid);
          return asked === "delete" ? task.delete() : download(task, folder);
        });
        const operations = {
          generate: "generateImgmodelz",
          query: "queryImageTask",
          delete: "deleteImageTasks",
          download: "download",
        };
        const met = emulator.calls.slice(1).filter(({ operation }) => operation === operations[asked]);
        expect([seen.result instanceof Error ? seen.outcome : "done", met.length], String(seen.result)).toEqual([
          outcome,
          requests,
        ]);
        if (fault === "rateLimited" || (fault === "unavailable" && asked !== "generate"))
          expect(pauses).toEqual([1_000]);
        if (asked === "delete" && faultEffects[fault] === "after") expect(emulator.tasks).toEqual([]);
        if (asked === "download" && !(seen.result instanceof Error)) {
          const [address = ""] = (await media.image.query(task.taskid)).url;
          const whole = new Uint8Array(await (await fetch(address)).arrayBuffer());
          expect(seen.result).toMatchObject([
            { bytes: whole.length, type: "image/png", sha256: await digestOf(whole) },
          ]);
        }
        const paid = emulator.charges.length - charged;
        expect(paid).toBe(
          asked === "generate" && (outcome === "done" || (outcome === "OutcomeUnknownError" && isPaid(fault))) ? 1 : 0,
        );
        witness.totals.duplicates += Math.max(0, paid - 1);
      } finally {
        await server.close();
      }
    },
  );
});

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex");
}

test("over all of them nothing is paid twice, nothing is left behind, and the key is not to be seen", () => {
  const { calls, charactersShown, ...totals } = witness.totals;
  expect(totals).toEqual({ duplicates: 0, uncaught: 0, partFiles: 0, elsewhere: 0, keys: 0 });
  expect(calls).toBe(2 * cases.length);
  expect(charactersShown).toBeGreaterThan(calls * 100);
});
