import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fault } from "@mediagen/emulator";
import { describe, test } from "vitest";
import { planText } from "../../packages/cli/src/batch/plan-text.ts";
import { durationsInWords } from "../contract/cases.ts";
import { linesOf } from "../batch/batch-directory.ts";
import { inPlace, mediagen, mediagenOnTerminal } from "./run-command.ts";

const batch = ["batch", "jobs.jsonl", "-o", "out"];
const jsonLines = (lines: readonly object[]) => lines.map((line) => JSON.stringify(line)).join("\n");

describe.concurrent("mediagen batch", () => {
  test("prints the path of each file, tells the rest on stderr, and run again does only what is left", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "jobs.csv"), "id,model,prompt\nfox,imgmodelz,A fox\nhare,imgmodelz,A hare\n");
      const args = ["batch", "jobs.csv", "-o", "out", "--yes", "--concurrency", "1", "--rate", "100000"];
      const { code, stdout, stderr } = await mediagen(args, { cwd, env }).ended;
      expect([code, stdout]).toEqual([0, "out/fox-1.png\nout/hare-1.png\n"]);
      expect(stderr).toMatch(/2 of 2 lines succeeded, .*; out\/index\.html shows them/);
      expect((await readdir(join(cwd, "out"))).sort()).toEqual([
        "fox-1.png",
        "generations",
        "hare-1.png",
        "index.html",
        "results.jsonl",
        "unfinished.jsonl",
      ]);
      const again = await mediagen([...batch.with(1, "jobs.csv"), "--json", "--quiet"], { cwd, env }).ended;
      expect([again.code, again.stderr, JSON.parse(again.stdout)]).toMatchObject([
        0,
        "",
        { lines: 2, succeeded: 2, generated: 0, directory: "out" },
      ]);
      expect(emulator.charges).toHaveLength(2);
    }));

  test("records what makes a result again, and speaks of flags and commands, not of the SDK", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "jobs.jsonl"), '{"id":"fox","model":"vidmodelv2","prompt":"A fox"}\n');
      expect((await mediagen([...batch, "--yes", "-q"], { cwd, env }).ended).code).toBe(0);
      const line: unknown = JSON.parse(await readFile(join(cwd, "out", "results.jsonl"), "utf8"));
      const bytes = await readFile(join(cwd, "out", "fox-1.mp4"));
      expect(line).toMatchObject({
        endedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\S+Z$/),
        record: { seed: expect.any(Number) },
        files: [{ bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") }],
      });
      emulator.next({ fault: "resetAfter", on: "generate" });
      await writeFile(join(cwd, "more.jsonl"), jsonLines(linesOf(1)));
      const unknown = await mediagen(["batch", "more.jsonl", "-o", "more", "-y"], { cwd, env }).ended;
      const left = await readFile(join(cwd, "more", "unfinished.jsonl"), "utf8");
      expect([unknown.code, left]).toEqual([5, expect.stringContaining("may have been billed")]);
      expect(unknown.stderr + left).not.toMatch(/resolve\(|JSON\.stringify|\{ /);
    }));

  test("needs a yes: --yes, or one that is typed", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "jobs.jsonl"), jsonLines(linesOf(2)));
      const piped = await mediagen(batch, { cwd, env }).ended;
      expect([piped.code, piped.stdout]).toEqual([2, ""]);
      expect(piped.stderr).toContain(
        "not confirmed: 2 paid generations for 2 lines (2 of imgmodelz, 2 images)\n  Nothing was sent. Add --yes",
      );
      for (const [answer, code, charges, says] of [
        ["\x03", 130, 0, "interrupted (SIGINT)"],
        ["n\n", 2, 0, "Nothing was sent."],
        ["y\n", 0, 2, "2 of 2 lines"],
      ] as const) {
        const run = mediagenOnTerminal(batch, { cwd, env });
        await run.printed(/Go on\? \[y\/N\]/);
        run.child.stdin?.write(answer);
        expect([await run.ended, emulator.charges.length]).toEqual([
          { code, stdout: expect.stringContaining(says), stderr: "" },
          charges,
        ]);
      }
    }));

  test("generates a part of its lines, and failed ones again, and tells before what that makes", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const lines = [
        ...linesOf(2),
        ...[5, undefined].map((duration) => ({ model: "vidmodelv15pro", prompt: "A", duration })),
      ];
      await writeFile(join(cwd, "jobs.jsonl"), jsonLines(lines));
      const flags = ["--failed-status", "3"];
      const dry = await mediagen([...batch, "--dry-run", "-q"], { cwd, env }).ended;
      expect([dry, await readdir(cwd)]).toEqual([
        {
          code: 0,
          stdout:
            "4 paid generations for 4 lines (2 of imgmodelz, 2 images; 2 of vidmodelv15pro, at least 5 seconds of video because 1 does not say how long). Nothing was sent.\n",
          stderr: "",
        },
        ["jobs.jsonl"],
      ]);
      emulator.next({ fault: "taskFails", on: "generate" });
      const failed = await mediagen(
        [...batch, ...flags, "--yes", "--only", "line-1", "--only", "line-2", "--limit", "1", "--json"],
        { cwd, env },
      ).ended;
      expect([failed.code, JSON.parse(failed.stdout), failed.stderr]).toEqual([
        1,
        expect.objectContaining({ error: expect.objectContaining({ billed: "yes" }) }),
        expect.stringMatching(
          /0 of 2 lines succeeded, 1 failed, 0 unknown, 0 unfinished, 1 not started[^]*--retry-failed/,
        ),
      ]);
      const again = mediagenOnTerminal([...batch, ...flags, "--retry-failed", "--limit", "1"], { cwd, env }, 200);
      await again.printed(
        /at most 1 paid generation for 4 lines \(1 of imgmodelz, 1 image\), up to 1 of them again because a task has failed\. Go on\?/,
      );
      again.child.stdin?.write("y\n");
      expect(await again.ended).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(
          /1 of 4 lines succeeded, 0 failed[^]*3 lines left; continue with:\s+mediagen batch jobs\.jsonl -o out --failed-status 3 --retry-failed --limit 1\s/,
        ),
      });
      expect(emulator.charges).toHaveLength(2);
    }));

  test("names unknown outcomes before it asks", ({ expect }) => {
    const plan = { lines: 2, generations: 1, retries: 0, unknown: 1, byModel: {} };
    expect(planText(plan)).toBe("1 paid generation for 2 lines; 1 line has an unknown outcome");
    expect(planText(plan, 1)).toMatch(/^at most 1 paid generation /);
  });

  test("says how to go on where its input changes once it has begun, for something may have been sent", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      await writeFile(join(cwd, "jobs.jsonl"), jsonLines(linesOf(2)));
      const run = mediagenOnTerminal(batch, { cwd, env });
      await run.printed(/Go on\? \[y\/N\]/);
      await writeFile(join(cwd, "jobs.jsonl"), jsonLines(linesOf(1)));
      run.child.stdin?.write("y\n");
      const { code, stdout } = await run.ended;
      expect([code, stdout]).toEqual([
        1,
        expect.stringMatching(
          /line 2 and on has changed since it was checked.*\s+Nothing is billed twice; continue with:\r\n {4}mediagen batch/,
        ),
      ]);
    }));

  test("is refused a directory that another one has, until that is killed; and stdin, which is there only once", ({
    expect,
  }) =>
    inPlace(
      async ({ cwd, env, emulator }) => {
        await writeFile(join(cwd, "jobs.jsonl"), jsonLines(linesOf(1)));
        const run = () => mediagen([...batch, "--yes"], { cwd, env });
        const first = run();
        await expect.poll(() => emulator.charges.length).toBe(1);
        expect(await run().ended).toMatchObject({
          code: 2,
          stdout: "",
          stderr: expect.stringMatching(
            `in use by another run \\(process ${first.child.pid} on .*\n {2}Nothing was sent`,
          ),
        });
        first.child.kill("SIGKILL");
        await first.ended;
        emulator.clock.advance("1h");
        expect(await run().ended).toMatchObject({
          code: 0,
          stdout: "out/line-1-1.png\n",
          stderr: expect.stringContaining("1 of 1 line succeeded"),
        });
        expect(emulator.charges).toHaveLength(1);
        expect(await mediagen(batch.with(1, "-"), { cwd, env, stdin: "" }).ended).toMatchObject({
          code: 2,
          stderr: expect.stringContaining(
            "Put it in a file, such as jobs.jsonl, and run:\n    mediagen batch jobs.jsonl -o out\n",
          ),
        });
      },
      { clock: "manual" },
    ));

  test("that the service refuses as a whole sends no more, and says what to set right", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "jobs.jsonl"), jsonLines(linesOf(40)));
      const { code, stdout, stderr } = await mediagen([...batch, "--yes", "-q"], {
        cwd,
        env: { ...env, MEDIAGEN_API_KEY: "other" },
      }).ended;
      expect([code, stdout, stderr.split("\n")]).toEqual([
        1,
        "",
        [
          expect.stringMatching(
            /^mediagen: 0 of 40 lines succeeded, .* 40 not started\. The batch stopped after this error: the service rejected the API key$/,
          ),
          "  Correct the API key or the base URL, then continue with:",
          "    mediagen batch jobs.jsonl -o out --yes -q",
          "",
        ],
      ]);
      expect(emulator.calls.length).toBeLessThanOrEqual(8);
    }));

  test("names every bad line", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(
        join(cwd, "jobs.jsonl"),
        jsonLines([
          { model: "imgmodelq", prompt: "A" },
          { model: "vidmodelv2", prompt: "A", duration: 0.5 },
        ]),
      );
      const { code, stderr } = await mediagen([...batch, "--yes", "--quiet"], { cwd, env }).ended;
      expect([code, stderr.split("\n")]).toEqual([
        2,
        [
          expect.stringMatching(/^line 1, model must be .*, imgmodelz, not "imgmodelq"\.$/),
          `line 2, duration must be one of ${durationsInWords}, not 0.5.`,
          "mediagen: 2 problems in jobs.jsonl",
          "  Nothing was sent. Correct them and run the command again.",
          "",
        ],
      ]);
      expect(emulator.calls).toEqual([]);
    }));

  test.for<[code: number, fault: Pick<Fault, "fault">, flags: readonly string[], says: RegExp]>([
    [
      1,
      { fault: "taskFails" },
      ["--failed-status", "3"],
      /1 of 3 lines failed\n {2}out\/results\.jsonl has the reasons/,
    ],
    [
      1,
      { fault: "failure" },
      [],
      /1 of 3 lines unfinished\n {2}Nothing is billed twice; continue with:\n {4}mediagen batch jobs\.jsonl -o out/,
    ],
    [
      3,
      { fault: "insufficientCredits" },
      [],
      /insufficient credits; .*\n {2}Add credits, then continue with:\n {4}mediagen batch/,
    ],
    [4, { fault: "taskFails" }, ["--timeout", "3s"], /1 of 3 lines unfinished/],
    [
      5,
      { fault: "resetAfter" },
      [],
      /or that there is none:\n {4}mediagen recover --resolve \S+ --taskid TASKID --store out\/generations\n {4}mediagen[^]*1 of 3 lines of unknown outcome/,
    ],
  ])("ends with %i after %j", ([code, given, flags, says], { expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "jobs.jsonl"), jsonLines(linesOf(3)));
      emulator.next({ ...given, on: "generate" });
      const ended = await mediagen([...batch, "--yes", ...flags], { cwd, env }).ended;
      expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(says)]);
    }),
  );

  test("ends with 130 at Ctrl-C, says how to go on, and goes on", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "jobs.jsonl"), jsonLines(linesOf(6)));
      const run = mediagen([...batch, "--yes", "--concurrency", "1", "--json"], { cwd, env });
      await expect.poll(() => emulator.charges.length).toBeGreaterThan(1);
      run.child.kill("SIGINT");
      const { code, stderr } = await run.ended;
      expect([code, stderr]).toEqual([
        130,
        expect.stringMatching(/Continue with:\n {4}mediagen batch jobs\.jsonl -o out --yes --concurrency 1 --json\n$/),
      ]);
      const again = await mediagen([...batch, "--yes", "--json"], { cwd, env }).ended;
      expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { succeeded: 6 }]);
      expect(emulator.charges).toHaveLength(6);
    }));

  test("waits at Ctrl-C for the answers to what was sent, and gives up on them at the second", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "jobs.jsonl"), jsonLines(linesOf(1)));
      emulator.next({ fault: "hang", on: "generate" });
      const run = mediagen([...batch, "--yes", "-q"], { cwd, env });
      await expect.poll(() => emulator.charges.length).toBe(1);
      run.child.kill("SIGINT");
      await run.printed(/waiting for the responses, so that no task is lost\. Press Ctrl-C again to give up\.\n/);
      run.child.kill("SIGINT");
      expect(await run.ended).toMatchObject({
        code: 130,
        stdout: "",
        stderr: expect.stringMatching(
          /^mediagen: forms .*\nmediagen: interrupted \(SIGINT\)\n {2}Continue with:\n {4}mediagen batch jobs\.jsonl -o out --yes -q\n$/,
        ),
      });
    }));
});
