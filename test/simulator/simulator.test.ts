import { hash } from "node:crypto";
import { createMediaGen, memoryStore } from "@mediagen/sdk";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Run, run, type Setting } from "./schedule.ts";
import { TextBlob } from "./service.ts";
import { Decisions } from "./world.ts";

const { stackTraceLimit } = Error;
beforeAll(async () => {
  // What takes real time would let two runs of one seed differ: loading the ledger, Blobs and
  // digests.
  await createMediaGen({ baseUrl: "http://localhost", store: memoryStore() }).recover();
  vi.stubGlobal("Blob", TextBlob);
  // Not a spy, which would keep what a million schedules pass.
  Object.assign(crypto.subtle, {
    digest: async (_: unknown, data: Uint8Array) => hash("sha256", data, "buffer"),
  });
  // A fifth of the time went into the stacks of errors, which no trace shows.
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
  vi.unstubAllGlobals();
  // That of its class is below.
  Reflect.deleteProperty(crypto.subtle, "digest");
});

/** `npm run test:weekly -- simulate` */
const isLong = import.meta.env.MODE === "simulate";
/** Few if the sources are mutated: each mutant runs them. */
const usual = process.env["MUTATED"] ? 300 : 10_000;
const schedules = isLong ? 1_000_000 : usual;

/** Draws the setting of a run. */
function settingOf(decisions: Decisions): Setting {
  // The cast: the index is one of the list.
  const pick = <T>(...values: readonly T[]): T =>
    values[Math.floor(decisions.random() * values.length)] as T;
  const some = () => pick(0, 0, 0.1, 0.4);
  return {
    service: {
      notReached: some(),
      droppedOnTheWay: some(),
      responseLost: some(),
      responseNever: pick(0, 0, 0.1),
      rejected: some(),
      odd: pick(0, 0.4),
      rateLimited: some(),
      failed: some(),
    },
    store: {
      fails: pick(0, 0, 0.05, 0.3),
      failsButWrites: pick(0, 0, 0.1, 0.3),
      hangs: pick(0, 0, 0, 0.1),
    },
    disturbances: {
      crash: pick(0, 0.02, 0.1),
      pause: pick(0, 0, 0.05, 0.2),
      abort: pick(0, 0, 0.05),
    },
    calls: pick<Setting["calls"]>(
      [["a"], ["a"]],
      [["a", "a"], ["a"]],
      [["a", "b"], ["b"]],
      [["a", undefined], ["a"]],
      [["a"], ["a"], ["a"]],
      [["a", "a", "a"]],
    ),
    repeats: pick(0, 1, 3),
    isClientPerCall: pick(true, false),
    people: pick(0, 0, 1, 2),
    hasSkew: pick(true, false),
    isPrompt: false,
    calmAfter: pick(40, 120),
  };
}

/** Runs a schedule. Fails with its trace if it breaks a promise. */
async function runKept(setting: Setting, decisions: Decisions, name: string): Promise<Run> {
  const ended = await run(setting, decisions);
  if (ended.broken === undefined) return ended;
  return expect.fail(
    `${ended.broken} (${name})\n${JSON.stringify(setting)}\n${ended.trace.join("\n")}`,
  );
}

test(`no promise about money is broken in ${schedules} schedules`, { timeout: 0 }, async () => {
  // SEED=7 repeats the schedule of that seed.
  const first = Number(process.env["SEED"] ?? 1);
  const start = performance.now();
  let payments = 0;
  let steps = 0;
  for (let seed = first; seed < first + schedules; seed++) {
    const setting = settingOf(new Decisions(-seed));
    const ended = await runKept(setting, new Decisions(seed), `SEED=${seed}`);
    payments += ended.payments;
    steps += ended.trace.length;
  }
  const rate = Math.round((1_000 * schedules) / (performance.now() - start));
  console.log(
    `${schedules} schedules, ${steps} steps, ${payments} payments, ${rate} schedules a second`,
  );
  // A simulation in which hardly anything is paid would show nothing.
  expect(payments).toBeGreaterThan(schedules / 2);
});

test(
  "two attempts of one key keep the promises, however they interleave and crash",
  { timeout: 0 },
  async () => {
    const setting: Setting = {
      service: { responseLost: 1 },
      store: {},
      // With two crashes there are 27 times as many.
      disturbances: { crash: 1, mostCrashes: isLong ? 2 : 1 },
      calls: [["a"], ["a"]],
      repeats: 0,
      isClientPerCall: false,
      people: 0,
      hasSkew: false,
      isPrompt: true,
      calmAfter: 1_000,
    };
    let interleavings = 0;
    for (let script: readonly number[] | undefined = []; script; interleavings++) {
      const decisions: Decisions = new Decisions(undefined, script);
      await runKept(setting, decisions, script.join(" "));
      // The next one: the last decision that could have been another one is.
      const last = decisions.made.findLastIndex(
        (made, index) => made + 1 < (decisions.counts[index] ?? 0),
      );
      script =
        last < 0 ? undefined : [...decisions.made.slice(0, last), (decisions.made[last] ?? 0) + 1];
    }
    console.log(`${interleavings} interleavings`);
    expect(interleavings).toBe(isLong ? 49_678 : 1_806);
  },
);

test("a seed determines its schedule", async () => {
  for (let seed = 1; seed <= 20; seed++) {
    const setting = settingOf(new Decisions(-seed));
    const one = await run(setting, new Decisions(seed));
    const other = await run(setting, new Decisions(seed));
    expect(one.trace).toEqual(other.trace);
  }
});
