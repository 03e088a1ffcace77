import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { linesOf } from "../batch/batch-directory.ts";
import { commandsIn, fails, inPlace, paste } from "./run-command.ts";

const image = "mediagen image D -m imgmodelz -q";

describe("a stdout that cannot be written to", () => {
  test.for([
    `${image} --no-wait --json >/dev/full`,
    `${image} -o out/ >/dev/full`,
    `set -o pipefail; ${image} --no-wait | true`,
  ])("loses no task: %s", (line) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const { code, stderr } = await paste(line, { cwd, env });
      const { taskid } = emulator.tasks[0] ?? {};
      const says = `^mediagen: image:${taskid}: stdout could not be written to \\(E\\w+\\)\n  .*\n    .*\n$`;
      expect([code, stderr]).toEqual([6, expect.stringMatching(says)]);
      const saved = await paste(commandsIn(stderr).join(), { cwd, env });
      expect(saved).toMatchObject({ code: 0, stdout: expect.stringMatching(`${taskid}-1.png\n`) });
      expect(emulator.charges).toHaveLength(1);
    }),
  );

  test("ends a batch as Ctrl-C does, with a known outcome for each generation", () =>
    inPlace(async ({ cwd, env, emulator }) => {
      const lines = linesOf(8).map((line) => JSON.stringify(line));
      await writeFile(join(cwd, "jobs.jsonl"), lines.join("\n"));
      const batch = "mediagen batch jobs.jsonl -o jobs --yes -q --concurrency 2";
      const { code, stderr } = await paste(`${batch} >/dev/full`, { cwd, env });
      // It depends on the machine whether it also says that it waits for responses.
      const said = stderr.replace(
        /^mediagen: forms are being sent; waiting for the responses, .*\n/,
        "",
      );
      expect([code, said]).toEqual([
        6,
        expect.stringMatching(/^mediagen: stdout .*\n {2}Continue with:\n {4}.*\n$/),
      ]);
      expect(emulator.charges.length).toBeLessThan(lines.length);
      const again = await paste(commandsIn(stderr).join(), { cwd, env });
      expect([again.code, emulator.charges.length]).toEqual([0, lines.length]);
      expect(
        (await readdir(join(cwd, "jobs"))).filter((name) => name.endsWith(".png")),
      ).toHaveLength(lines.length);
    }));

  test("ends other commands with 6, and a reader that closes it early is no failure", async () => {
    await fails(
      paste("mediagen models >/dev/full"),
      6,
      "written to (ENOSPC)\n  Run the command again",
    );
    expect(await paste("set -o pipefail; mediagen models | true")).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });
});
