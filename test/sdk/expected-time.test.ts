import type { WaitUpdate } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { type Fate, serviceOnAClock } from "./service-on-a-clock.ts";

/** Waits for as many tasks one after another, and returns what their updates expect. */
async function expectations(fates: readonly Fate[], waitTimeoutMs?: number): Promise<readonly (readonly unknown[])[]> {
  const service = serviceOnAClock((taskid) => fates[Number(taskid)] ?? "lost");
  const all: unknown[][] = [];
  for (const index of fates.keys()) {
    const expected: unknown[] = [];
    const onUpdate = ({ expectedMs }: WaitUpdate) => void expected.push(expectedMs);
    await service.pass(
      service
        .task(String(index))
        .wait({ onUpdate, waitTimeoutMs })
        .catch(() => undefined),
    );
    all.push(expected);
  }
  return all;
}

const after = (...ms: readonly number[]): readonly Fate[] => ms.map((doneAfterMs) => ({ doneAfterMs }));
const last = (all: readonly (readonly unknown[])[]) => Number(all.at(-1)?.at(-1));

describe("a wait expects that its task takes", () => {
  test("as long as the client has seen tasks of the model take, and nothing before it has seen one end", async () => {
    const [first, second] = await expectations(after(60_000, 60_000));
    expect(first?.length).toBeGreaterThan(3);
    expect(first?.slice(0, -1).every((expected) => expected === undefined)).toBe(true);
    for (const expected of second ?? []) {
      expect(expected).toBeGreaterThan(60_000 * 0.85);
      expect(expected).toBeLessThan(60_000 * 1.15);
    }
  });

  test("the median: one slow task among others changes little", async () => {
    const expected = last(await expectations(after(20_000, 20_000, 600_000, 20_000, 20_000)));
    expect(expected).toBeGreaterThan(16_000);
    expect(expected).toBeLessThan(24_000);
  });

  test("what half of the tasks took, if each takes another time", async () => {
    const expected = last(await expectations(after(10_000, 20_000, 30_000, 40_000, 50_000, 60_000, 70_000)));
    expect(expected).toBeGreaterThan(32_000);
    expect(expected).toBeLessThan(48_000);
  });

  test("nothing known, as long as most tasks have not ended: the quick ones are no sample of all", async () => {
    const all = await expectations(after(5_000, 9e6, 9e6, 9e6), 600_000);
    expect(all.at(-1)?.at(-1)).toBeUndefined();
  });
});
