import { join } from "node:path";
import { createEmulator, listen, type Emulator } from "@mediagen/emulator/node";
import { createMediaGen, fileStore } from "@mediagen/sdk/node";
import { expect, onTestFinished, test } from "vitest";
import { createBatchDirectory, linesOf } from "./batch-directory.ts";
import { runBatchIn } from "./run-batch.ts";

test(
  "a batch that is killed again and again bills each line once, lists unknown outcomes, and ends with every result once",
  { timeout: 120_000 },
  async () => {
    const emulator = createEmulator({ clock: { speed: 100 } });
    const { out, write, results, unfinished } = await createBatchDirectory();
    const lines = linesOf(24);
    const input = await write("jobs.jsonl", lines);
    let kill: (() => void) | undefined;
    let served = 0;
    // Each run is killed a few calls later: before a call takes effect, or after that and before
    // its response.
    const serve: Emulator["serve"] = async (incoming) => {
      const isLast = kill !== undefined && ++served % 9 === 0;
      if (isLast && served % 2 === 0) {
        kill?.();
        return new Promise<never>(() => undefined);
      }
      const response = await emulator.serve(incoming);
      if (isLast) kill?.();
      return response;
    };
    const server = await listen({ ...emulator, serve });
    onTestFinished(() => server.close());
    const { baseUrl } = server;
    const options = { baseUrl, concurrency: 4, statuses: emulator.statuses };
    let kills = 0;
    let summary = await runBatchIn(input, out, options, (stop) => (kill = stop));
    for (; !summary; kills++)
      summary = await runBatchIn(input, out, options, (stop) => (kill = stop));
    expect(kills).toBeGreaterThan(3);
    kill = undefined;

    const taskOf = new Map(emulator.tasks.map(({ prompt, taskid }) => [prompt, taskid]));
    expect([emulator.charges.length, taskOf.size]).toEqual([taskOf.size, emulator.tasks.length]);
    const { succeeded, failed, unfinished: left } = summary;
    const unknown = await unfinished();
    expect([succeeded + unknown.length, failed, left]).toEqual([24, 0, 0]);
    expect(unknown.filter(({ state }) => state !== "unknown")).toEqual([]);

    // A person resolves the rest by what the service has.
    const media = createMediaGen({
      baseUrl,
      apiKey: "emulator-key",
      store: fileStore(join(out, "generations")),
    });
    for (const { generationId = "", attempt = "", form } of unknown) {
      const taskid = taskOf.get(String(form["prompt"]));
      await (taskid === undefined
        ? media.resolve(generationId, "notCreated", { attempt })
        : media.resolve(generationId, { taskid }));
    }
    expect(await runBatchIn(input, out, options)).toMatchObject({ succeeded: 24, unknown: 0 });
    expect(emulator.charges).toHaveLength(24);
    expect((await results()).map(({ id }) => id).sort()).toEqual(lines.map(({ id }) => id).sort());
  },
);
