import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fault } from "@mediagen/emulator";
import { expect, test } from "vitest";
import { linesOf } from "../batch/batch-directory.ts";
import { durationsInWords } from "../contract/cases.ts";
import {
  inPlace,
  type Place,
  type PlaceOptions,
  spawnCommand,
  wordsOf,
  fails,
} from "./run-command.ts";

const batch = "batch jobs.jsonl -o out";

/** Runs a test in a place with an input of these lines. */
function withLines(
  lines: readonly object[],
  run: (place: Place) => Promise<void>,
  options?: PlaceOptions,
): Promise<void> {
  return inPlace(async (place) => {
    await writeFile(
      join(place.cwd, "jobs.jsonl"),
      lines.map((line) => JSON.stringify(line)).join("\n"),
    );
    await run(place);
  }, options);
}

test("a batch prints the path of each file, and run again does only what is left", () =>
  inPlace(async ({ cwd, emulator, run }) => {
    await writeFile(
      join(cwd, "jobs.csv"),
      "id,model,prompt\nfox,vidmodelv2,A fox\nhare,imgmodelz,A hare\n",
    );
    const { code, stdout, stderr } = await run(
      "batch jobs.csv -o out --yes --concurrency 1 --rate 100000",
    );
    expect([code, stdout]).toEqual([0, "out/fox-1.mp4\nout/hare-1.png\n"]);
    expect(stderr).toMatch(/2 of 2 lines succeeded, .*; out\/index\.html shows them/);
    const bytes = await readFile(join(cwd, "out", "fox-1.mp4"));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    expect(await readFile(join(cwd, "out", "results.jsonl"), "utf8")).toContain(sha256);
    const again = JSON.parse((await run("batch jobs.csv -o out --json --quiet")).stdout) as object;
    expect(again).toMatchObject({ lines: 2, succeeded: 2, generated: 0, directory: "out" });
    expect(emulator.charges).toHaveLength(2);
  }));

test("a batch needs a yes: --yes, or one that is typed", () =>
  withLines(linesOf(2), async ({ emulator, run, start }) => {
    await fails(
      run(batch),
      2,
      "not confirmed: 2 paid generations for 2 lines (2 of imgmodelz, 2 images)\n  Nothing was sent. Add --yes",
    );
    for (const [answer, code, charges, says] of [
      ["", 130, 0, "interrupted (SIGINT)"],
      ["n\n", 2, 0, "Nothing was sent."],
      ["y\n", 0, 2, "2 of 2 lines"],
    ] as const) {
      const question = start(batch, { columns: 100 });
      await question.printed(/Go on\? \[y\/N\]/);
      if (answer === "") question.signal("SIGINT");
      else question.type(answer);
      const ended = await question.ended;
      expect([ended.code, ended.stdout, emulator.charges.length]).toEqual([
        code,
        expect.stringContaining(says),
        charges,
      ]);
    }
  }));

const videos = [5, undefined].map((duration) => ({
  model: "vidmodelv15pro",
  prompt: "A",
  duration,
}));

test("a batch generates a part of its lines, and failed ones again, and says before what is billed", () =>
  withLines([...linesOf(2), ...videos], async ({ cwd, emulator, run, start }) => {
    const plan =
      "4 paid generations for 4 lines (2 of imgmodelz, 2 images; 2 of vidmodelv15pro, at least 5 seconds of video because 1 does not say how long). Nothing was sent.\n";
    expect(await run(`${batch} --dry-run -q`)).toEqual({ code: 0, stdout: plan, stderr: "" });
    expect(await readdir(cwd)).toEqual(["jobs.jsonl"]);
    emulator.next({ fault: "taskFails", on: "generate" });
    const some = "--failed-status 3 --yes --only line-1 --only line-2 --limit 1 --json";
    const failed = await run(`${batch} ${some}`);
    expect([failed.code, JSON.parse(failed.stdout)]).toMatchObject([
      1,
      { error: { billed: "yes" } },
    ]);
    expect(failed.stderr).toMatch(
      /0 of 2 lines succeeded, 1 failed, 0 unknown, 0 unfinished, 1 not started[^]*--retry-failed/,
    );
    const again = start(`${batch} --failed-status 3 --retry-failed --limit 1`, { columns: 200 });
    await again.printed(
      /at most 1 paid generation for 4 lines \(1 of imgmodelz, 1 image\), up to 1 of them again because a task has failed\. Go on\?/,
    );
    again.type("y\n");
    expect(await again.ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /1 of 4 lines succeeded, 0 failed[^]*3 lines left; continue with:\s+mediagen batch jobs\.jsonl -o out /,
      ),
    });
    expect(emulator.charges).toHaveLength(2);
  }));

test("a batch rejects a directory that another process uses", () =>
  withLines(
    linesOf(1),
    async ({ cwd, env, emulator, run }) => {
      const first = spawnCommand(wordsOf(`${batch} --yes`), { cwd, env });
      await expect.poll(() => emulator.charges.length).toBe(1);
      const says = `is in use by another run \\(process ${first.child.pid} on [^]* If it has, delete the directory out/\\.lock\\.\\s+Nothing was sent\\.`;
      await fails(run(`${batch} --yes`), 2, new RegExp(says));
      first.signal("SIGKILL");
      await first.ended;
      expect(emulator.charges).toHaveLength(1);
    },
    { clock: "manual" },
  ));

test("a batch names every bad line", () => {
  const bad = [
    { model: "imgmodelq", prompt: "A" },
    { model: "vidmodelv2", prompt: "A", duration: 0.5 },
  ];
  const says = `^line 1, model must be .*\nline 2, duration must be one of ${durationsInWords}, not 0.5.\nmediagen: 2 problems in jobs.jsonl\n  Nothing was sent. `;
  return withLines(bad, async ({ emulator, run }) => {
    await fails(run(`${batch} --yes --quiet`), 2, new RegExp(says));
    expect(emulator.calls).toEqual([]);
  });
});

test.for<[code: number, fault: Fault["fault"] | "a wrong key", flags: string, says: RegExp]>([
  [
    1,
    "taskFails",
    "--failed-status 3",
    /1 of 3 lines failed\n {2}out\/results\.jsonl has the reasons/,
  ],
  [
    1,
    "failure",
    "",
    /1 of 3 lines unfinished\n {2}Nothing is billed twice; continue with:\n {4}mediagen batch /,
  ],
  [
    3,
    "insufficientCredits",
    "",
    /Add credits.*\n {2}Fix that, then continue with:\n {4}mediagen batch/,
  ],
  [
    1,
    "a wrong key",
    "",
    / 3 not started\. The batch stopped after this error: .*Check --base-url and the API key \(mediagen login\)\.\n {2}Fix that/,
  ],
  [4, "taskFails", "--timeout 3s", /1 of 3 lines unfinished/],
  [
    5,
    "resetAfter",
    "",
    /or that there is none:\n {4}mediagen recover --resolve \S+ --attempt \S+ --taskid TASKID --store out\/generations\n {4}mediagen[^]*1 of 3 lines of unknown outcome/,
  ],
])("a batch ends with %i after %s", ([code, fault, flags, says]) =>
  withLines(linesOf(3), async ({ env, emulator, run }) => {
    if (fault !== "a wrong key") emulator.next({ fault, on: "generate" });
    const key = fault === "a wrong key" ? { MEDIAGEN_API_KEY: "other" } : {};
    const ended = await run(`${batch} --yes ${flags}`, { env: { ...env, ...key } });
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(says)]);
    expect(ended.stderr).not.toMatch(/resolve\(|JSON\.stringify|\{ /);
  }),
);

test("Ctrl-C ends a batch with 130, and the printed command continues it", () =>
  withLines(linesOf(6), async ({ emulator, start, run }) => {
    const first = start(`${batch} --yes --concurrency 1 --json`);
    await expect.poll(() => emulator.charges.length).toBeGreaterThan(1);
    first.signal("SIGINT");
    expect(await first.ended).toMatchObject({
      code: 130,
      stderr: expect.stringMatching(
        /Continue with:\n {4}mediagen batch .* --yes --concurrency 1 --json\n$/,
      ),
    });
    expect(JSON.parse((await run(`${batch} --yes --json`)).stdout)).toMatchObject({ succeeded: 6 });
    expect(emulator.charges).toHaveLength(6);
  }));

test("Ctrl-C waits for the responses to forms that were sent, and a second one gives up", () =>
  withLines(linesOf(1), async ({ cwd, env, emulator }) => {
    emulator.next({ fault: "hang", on: "generate" });
    const run = spawnCommand(wordsOf(`${batch} --yes -q`), { cwd, env });
    await expect.poll(() => emulator.charges.length).toBe(1);
    run.signal("SIGINT");
    await run.printed(
      /waiting for the responses, so that no task is lost\. Press Ctrl-C again to give up\.\n/,
    );
    run.signal("SIGINT");
    await fails(
      run.ended,
      130,
      /\nmediagen: interrupted \(SIGINT\)\n {2}Continue with:\n {4}mediagen batch .* -q\n$/,
    );
  }));
