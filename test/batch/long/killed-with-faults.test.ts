import { join } from "node:path";
import { createEmulator, listen } from "@mediagen/emulator/node";
import { createMediaGen, fileStore } from "@mediagen/sdk/node";
import { expect, onTestFinished, test } from "vitest";
import { createBatchDirectory, linesOf } from "../batch-directory.ts";
import { runBatchIn } from "../run-batch.ts";

const killEveryMs = 2_000;

test(
  "300 lines with 25 % of faults, killed every 2 s, are paid once each and all listed; those that fail are paid once more",
  { timeout: 1_200_000 },
  async () => {
    const emulator = createEmulator({ clock: { speed: 20 } });
    // Each is a twentieth of the calls that it applies to.
    const faults = ["resetAfter", "cutBody", "serverError", "rateLimited", "resetBefore"] as const;
    for (const fault of faults) emulator.next({ fault, share: 0.05 });
    for (const fault of ["downloadCut", "linkExpired"] as const) emulator.next({ fault, on: "download", share: 0.05 });
    const server = await listen(emulator);
    onTestFinished(() => server.close());
    const { out, write, results, unfinished } = await createBatchDirectory();
    const lines = linesOf(300).map((line, index) =>
      index % 30 === 0 ? { ...line, prompt: `${line.prompt} #fail` } : line,
    );
    const failing = lines.filter(({ prompt }) => prompt.includes("#fail")).length;
    const input = await write("jobs.jsonl", lines);
    const options = { baseUrl: server.baseUrl, concurrency: 8, statuses: emulator.statuses };
    const media = createMediaGen({
      baseUrl: server.baseUrl,
      apiKey: "emulator-key",
      store: fileStore(join(out, "generations")),
    });
    const taskOf = () => new Map(emulator.tasks.map(({ prompt, taskid }) => [prompt, taskid]));
    const figures = { kills: 0, settled: 0 };

    /** Runs until a run ends by itself and nothing is left; a person settles what is unknown by what is at the service. */
    const runToTheEnd = async (more: { readonly retryFailed?: boolean }, known: ReadonlySet<string>) => {
      for (;;) {
        let timer: NodeJS.Timeout | undefined;
        const ended = await runBatchIn(input, out, { ...options, ...more }, (kill) => {
          timer = setTimeout(kill, killEveryMs);
        });
        clearTimeout(timer);
        if (!ended) {
          figures.kills++;
          continue;
        }
        const { succeeded, failed, unknown, unfinished: open, notStarted } = ended;
        expect(succeeded + failed + unknown + open + notStarted).toBe(300);
        const left = await unfinished();
        expect(left.filter(({ state }) => state === "unknown")).toHaveLength(unknown);
        if (unknown === 0 && open === 0 && notStarted === 0) return ended;
        if (open > 0 || notStarted > 0) continue;
        console.log({ ...figures, paid: emulator.charges.length, succeeded, failed, unknown });
        for (const { generationId = "", form } of left) {
          figures.settled++;
          const taskid = taskOf().get(String(form["prompt"]));
          const isNew = taskid !== undefined && !known.has(taskid);
          await (isNew
            ? media.resolve(generationId, { taskid, unverified: true })
            : media.resolve(generationId, "notCreated"));
        }
      }
    };
    const first = await runToTheEnd({}, new Set());
    expect(first).toMatchObject({ succeeded: 300 - failing, failed: failing });
    expect([emulator.charges.length, taskOf().size]).toEqual([300, 300]);

    const again = await runToTheEnd({ retryFailed: true }, new Set(taskOf().values()));
    expect(again).toMatchObject({ succeeded: 300 - failing, failed: failing });
    console.log({ ...figures, paid: emulator.charges.length });
    expect(emulator.charges).toHaveLength(300 + failing);
    expect((await results()).map(({ id }) => id).sort()).toEqual(lines.map(({ id }) => id).sort());
  },
);
