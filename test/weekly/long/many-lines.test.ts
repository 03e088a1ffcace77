import { readdir } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../../emulator/command-process.ts";
import { createBatchDirectory, linesOf } from "../../batch/batch-directory.ts";
import { runBatchIn } from "../../batch/run-batch.ts";

test(
  "10,000 lines have 10,000 pictures, and hold less than half a kilobyte of memory each",
  { timeout: 1_200_000 },
  async () => {
    const emulator = await serve(["--speed", "1000"]);
    onTestFinished(() => void emulator.child.kill());
    const held: number[] = [];
    for (const count of [1_000, 10_000]) {
      const { out, write } = await createBatchDirectory();
      const summary =
        (await runBatchIn(await write("jobs.jsonl", linesOf(count)), out, {
          baseUrl: emulator.baseUrl,
          concurrency: 32,
        })) ?? expect.fail();
      expect(summary).toMatchObject({ lines: count, succeeded: count, generated: count });
      expect((await readdir(out)).filter((name) => name.endsWith(".png"))).toHaveLength(count);
      held.push(summary.heldMB);
      console.log(summary);
    }
    expect((held[1] ?? Infinity) - (held[0] ?? 0)).toBeLessThan(9_000 * 0.0005);
  },
);
