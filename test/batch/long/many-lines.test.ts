import { readdir } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../../emulator/command-process.ts";
import { createBatchFolder, linesOf } from "../batch-folder.ts";
import { runBatchIn } from "../run-batch.ts";

test("10,000 lines take hardly more memory than 1,000, and bring 10,000 pictures", async () => {
  const emulator = await serve(["--credits", "1000000000", "--speed", "1000"]);
  onTestFinished(() => void emulator.child.kill());
  const figures: Record<number, object> = {};
  const residentMB: number[] = [];
  for (const count of [1_000, 10_000]) {
    const { out, write } = await createBatchFolder();
    const summary = await runBatchIn(await write("jobs.jsonl", linesOf(count)), out, { baseUrl: emulator.baseUrl, concurrency: 32 });
    expect(summary).toMatchObject({ lines: count, succeeded: count, generated: count });
    expect((await readdir(out)).filter((name) => name.endsWith(".png"))).toHaveLength(count);
    residentMB.push(summary?.residentMB ?? Infinity);
    figures[count] = { residentMB: summary?.residentMB, linesPerMinute: summary?.linesPerMinute };
  }
  console.log(figures);
  // What grows is what is known of each line: its id, and its entries in the journal.
  expect((residentMB[1] ?? 0) - (residentMB[0] ?? 0)).toBeLessThan(80);
});
