import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "vitest";
import { commandsIn, inPlace, paste } from "./run-command.ts";

const image = "mediagen image D -m imgmodelz -q";

describe.concurrent("a stdout that cannot be written to", () => {
  test.for([
    `${image} --no-wait >/dev/full`,
    `${image} --no-wait --json >/dev/full`,
    `${image} -o out/ >/dev/full`,
    `set -o pipefail; ${image} --no-wait | true`,
  ])("loses no task: %s", (command, { expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const { code, stderr } = await paste(command, { cwd, env });
      const { taskid } = emulator.tasks[0] ?? {};
      expect([code, stderr]).toEqual([
        6,
        expect.stringMatching(
          `^mediagen: image:${taskid}: stdout could not be written to \\(E\\w+\\)\n  .*\n    .*\n$`,
        ),
      ]);
      const [resume = ""] = commandsIn(stderr);
      expect(await paste(resume, { cwd, env })).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(`${taskid}-1.png\n`),
      });
      expect(emulator.charges).toHaveLength(1);
    }),
  );

  test("ends a batch as Ctrl-C does, and leaves no generation behind of which nothing is known", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const lines = Array.from({ length: 8 }, (_, i) => `{"id":"l${i}","model":"imgmodelz","prompt":"A ${i}"}\n`);
      await writeFile(join(cwd, "jobs.jsonl"), lines.join(""));
      const batch = "mediagen batch jobs.jsonl -o jobs --yes -q --concurrency 2";
      const { code, stderr } = await paste(`${batch} >/dev/full`, { cwd, env });
      // How fast this machine is decides whether it also says that it waits for responses.
      const said = stderr.replace(/^mediagen: forms are being sent; waiting for the responses, .*\n/, "");
      expect([code, said]).toEqual([6, expect.stringMatching(/^mediagen: stdout .*\n {2}Continue with:\n {4}.*\n$/)]);
      expect(emulator.charges.length).toBeLessThan(lines.length);
      const again = await paste(commandsIn(stderr).join(), { cwd, env });
      expect([again.code, emulator.charges.length]).toEqual([0, lines.length]);
      expect((await readdir(join(cwd, "jobs"))).filter((name) => name.endsWith(".png"))).toHaveLength(lines.length);
    }));

  test("ends other commands with 6, and a reader that closes it early is no failure", ({ expect }) =>
    inPlace(async ({ cwd }) => {
      expect(await paste("mediagen models >/dev/full", { cwd })).toMatchObject({
        code: 6,
        stderr:
          "mediagen: stdout could not be written to (ENOSPC)\n  Run the command again with a stdout that can be written to.\n",
      });
      expect(await paste("set -o pipefail; mediagen models | true", { cwd })).toEqual({
        code: 0,
        stdout: "",
        stderr: "",
      });
    }));
});
