import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FaultName } from "@mediagen/emulator";
import { describe, test } from "vitest";
import { schemaOf } from "../contract/cases.ts";
import { commandsIn, inPlace, mediagen, paste } from "./run-command.ts";

const image = ["image", "A bicycle", "-m", "imgmodelv4", "-o", "b.png", "--quiet"];
const { minimum, maximum = 0 } = schemaOf("imgmodelv4", "batchsize");

describe.concurrent("an error is printed in two lines and its commands below, with its exit code", () => {
  test.for<[number, readonly string[], { readonly fault?: FaultName; readonly on?: string; readonly says: string }]>([
    [1, image, { fault: "failure", on: "generate", says: "No task was created." }],
    [1, [...image, "--failed-status", "3"], { fault: "taskFails", says: "A new generation is billed again." }],
    [
      1,
      [...image, "--base-url", "http://127.0.0.1:9"],
      { says: "nothing was sent (connect ECONNREFUSED 127.0.0.1:9)" },
    ],
    [2, image.with(3, "imgmodelv9"), { says: 'imgmodelz, not "imgmodelv9"' }],
    [2, image.toSpliced(2, 2), { says: "Nothing was sent. Add -m with one of imgmodelv45, " }],
    [2, image.with(3, "vidmodelv2"), { says: "vidmodelv2 makes videos\n  Nothing was sent. Use mediagen video." }],
    [2, ["models", "vidmodelv3"], { says: 'not "vidmodelv3"' }],
    [2, [...image, "--image", "none.png"], { says: '"none.png" cannot be read (ENOENT' }],
    [2, ["video", "-10 degrees", "-m", "vidmodelv2"], { says: "Write a prompt that begins with - after --." }],
    [2, [...image, "--modle", "x"], { says: "Did you mean --model?" }],
    [2, [...image, "--ratio", "16:9"], { says: "unknown flag --ratio\n  Run mediagen image --help" }],
    [
      2,
      [...image, "--batchsize", `${maximum + 1}`, "--seed", "1"],
      {
        says: `--batchsize must be a whole number from ${minimum} to ${maximum}, not ${maximum + 1}. --seed is only of imgmodelz.`,
      },
    ],
    [
      2,
      [...image, "--batchsize", "many"],
      { says: `--batchsize must be a whole number from ${minimum} to ${maximum}, not "many".` },
    ],
    [2, [...image, "--idempotency-key", "a", "--no-store"], { says: "Leave out --no-store." }],
    [
      2,
      [...image, "--timeout", "soon"],
      { says: 'mediagen: --timeout "soon" is not valid. Use a time such as 90s, 30m or 2h.\n' },
    ],
    [
      2,
      [...image, "--base-url", "http://media.example.com"],
      { says: "With --allow-http, everyone on the way can read" },
    ],
    [
      2,
      [...image, "--image", "http://10.0.0.1/a.png"],
      { says: "leads to this machine or into a private network.\n  Nothing was sent." },
    ],
    [2, ["image", "A", "bicycle", "-m", "imgmodelv4"], { says: "Put the prompt in quotes: " }],
    [2, ["video", "-m", "vidmodelv2"], { says: "form needs prompt or --image." }],
    [2, image.with(5, ""), { says: 'mediagen: --output "" is not valid. The path is empty.\n' }],
    [2, image.slice(0, 5), { says: "mediagen: --output needs a value.\n  Run mediagen image --help for usage." }],
    [
      2,
      ["task", "list", "--limit", "0"],
      { says: 'mediagen: --limit "0" is not valid. Use a whole number, 1 or more.\n  Run mediagen task list --help' },
    ],
    [2, ["completion", "foo"], { says: 'mediagen: shell "foo" is not valid. Use one of bash, zsh, fish.\n' }],
    [2, image.toSpliced(1, 1), { says: "prompt is missing. Pass non-blank text.\n" }],
    [2, ["recover", "--taskid", "t-1"], { says: "an outcome needs --resolve\n  Nothing was recorded." }],
    [2, [...image, "--store", ""], { says: "The path is empty." }],
    [2, ["batch", "jobs.jsonl", "-o", ""], { says: "The path is empty." }],
    [2, image.with(1, "-"), { says: 'prompt must be non-blank text, not "".' }],
    [2, image.with(1, "A \uFFFD fox"), { says: "prompt: the text is not valid UTF-8\n  Nothing was sent." }],
    [2, [...image, "--image", "-"], { says: "mediagen: --image is not an image file" }],
    [2, [...image.with(1, "-"), "--image", "-"], { says: "stdin can be read once" }],
    [2, [...image, "--extra-field", "a"], { says: "--extra-field a has no value\n  Nothing was sent. Write " }],
    [
      2,
      ["batch", "no.jsonl", "-o", "out", "-yq"],
      { says: 'mediagen: input "no.jsonl" does not exist. Use a file that can be read.\n' },
    ],
    [2, ["task", "list", "--store", "nowhere"], { says: "--store nowhere: there is no such directory\n" }],
    [2, [...image, "--store", "a", "--no-store"], { says: "--store needs a store\n" }],
    [2, ["video", "-m", "vidmodelv15pro", "--image-url", ""], { says: "--image-url must be http or https URLs" }],
    [2, ["images"], { says: "Did you mean image?" }],
    [
      2,
      ["task", "show", "t-1"],
      {
        says: "mediagen: t-1: the kind of this task is unknown, because it is not in the store\n  Pass video:t-1 or image:t-1.",
      },
    ],
    [2, [...image.toSpliced(5, 1, "-"), "--batchsize", "2"], { says: "stdout takes one result and nothing else" }],
    [
      3,
      image,
      {
        fault: "insufficientCredits",
        on: "generate",
        says: "No task was created.\n  Add credits, then make the same call again.",
      },
    ],
    [4, [...image, "--timeout", "10ms"], { says: "Continue with:\n    mediagen task download image:" }],
    [
      5,
      [...image, "--no-store"],
      {
        fault: "resetAfter",
        on: "generate",
        says: "Before you generate it again, look for the imgmodelv4 task of ",
      },
    ],
    [5, image, { fault: "html", on: "generate", says: "or that there is none:\n    mediagen recover --resolve " }],
    [
      5,
      image,
      {
        fault: "serverError",
        on: "generate",
        says: "HTTP 500. A task may exist and may have been billed",
      },
    ],
  ])("%i: mediagen %j", ([code, args, { fault, on, says }], { expect }) =>
    inPlace(
      async ({ cwd, env, emulator }) => {
        if (fault) emulator.next({ fault, on });
        const { stdout, stderr, ...ended } = await mediagen(args, { cwd, env }).ended;
        expect([ended.code, stdout, stderr]).toEqual([
          code,
          "",
          expect.stringMatching(/^mediagen: .+\n {2}.+\n( {4}mediagen .+\n)*$/),
        ]);
        expect(stderr).toContain(says);
        expect(stderr).not.toContain("emulator-key");
        if (code === 2) expect(emulator.calls).toEqual([]);
      },
      code === 4 ? { clock: "manual" } : {},
    ),
  );

  test("with --json, it is also one document on stdout", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(
        join(cwd, "jobs.jsonl"),
        '{"id":"a","model":"imgmodelv4","prompt":"A bicycle"}\n{"model":"imgmodelz"}\n',
      );
      const failed = ["--failed-status", "3"];
      const usage = { name: "UsageError", billed: "no", exitCode: 2 };
      for (const [args, error, fault] of [
        [image.with(3, "imgmodelv9"), usage],
        [[...image, "--modle", "x"], usage],
        [
          [...image, "--batchsize", `${maximum + 1}`],
          { name: "InvalidRequestError", issues: [{ field: "batchsize" }], billed: "no", isRetryable: false },
        ],
        [image, { name: "ServiceError", code: 9999, billed: "no", isRetryable: false, exitCode: 1 }, "failure"],
        [
          image,
          { name: "InsufficientCreditsError", code: 9000, billed: "no", isRetryable: false, exitCode: 3 },
          "insufficientCredits",
        ],
        [
          image,
          { name: "OutcomeUnknownError", generationId: expect.any(String), billed: "maybe", exitCode: 5 },
          "resetAfter",
        ],
        [[...image, ...failed], { name: "TaskFailedError", billed: "yes" }, "taskFails"],
        [image, { billed: "yes", exitCode: 6 }, "linkExpired"],
        [
          ["batch", "jobs.jsonl", "-o", "jobs", "-q", "-y"],
          { name: "InvalidRequestError", issues: [{ field: "line 2, prompt" }], exitCode: 2 },
        ],
        [
          ["batch", "jobs.jsonl", "-o", "jobs", "-q", "-y", "--only", "nope"],
          { billed: "no", isRetryable: false, exitCode: 2 },
        ],
        [["task", "show", "t-1"], usage],
        [["recover", "--store", "nowhere"], usage],
      ] as readonly (readonly [readonly string[], object, FaultName?])[]) {
        if (fault) emulator.next({ fault, times: fault === "linkExpired" ? 9 : 1 });
        const { code, stdout, stderr } = await mediagen([...args, "--json"], { cwd, env }).ended;
        expect(JSON.parse(stdout), `${args.join(" ")} ${fault}`).toMatchObject({ error: { exitCode: code, ...error } });
        expect(stderr).toMatch(/^mediagen: /m);
      }
    }));

  test("a store that cannot be written to is rejected before anything is billed; with --no-store nothing is recorded", ({
    expect,
  }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "file"), "");
      const inFile = { cwd, env: { ...env, XDG_STATE_HOME: join(cwd, "file") } };
      const { code, stderr } = await mediagen(image, inFile).ended;
      expect([code, stderr.split("\n")]).toEqual([
        2,
        [
          expect.stringMatching(/^mediagen: generations cannot be recorded in .*file\/mediagen: /),
          "  Nothing was sent. Pass --store with another directory, or --no-store to record nothing.",
          "",
        ],
      ]);
      expect(emulator.calls).toEqual([]);
      expect(await mediagen([...image, "--no-store"], inFile).ended).toMatchObject({ code: 0, stdout: "b.png\n" });
    }));

  test("a target that results could not be written to is rejected before anything is billed", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "b.png"), "mine");
      await writeFile(join(cwd, "many-1.png"), "mine");
      await mkdir(join(cwd, "directory"));
      await writeFile(join(cwd, "few-2.png"), "mine");
      const long = `${"é".repeat(126)}.png`;
      for (const [target = "", ...more] of [
        ["b.png"],
        ["many.png"],
        ["b.png/c.png"],
        // Node's recursive mkdir never ends here.
        ["/proc/nowhere/out/"],
        ["c.png", "--store", "/proc/nowhere/store"],
        ["few.png", "--batchsize", "2"],
        [`x${long}`],
        [long.slice(1), "--batchsize", "2"],
        [`x${long}`, "--overwrite"],
      ]) {
        const { code, stdout, stderr } = await mediagen([...image.with(5, target), ...more], { cwd, env }).ended;
        expect([code, stdout, stderr], target).toEqual([2, "", expect.stringContaining("Nothing was sent.")]);
      }
      for (const args of [image.with(5, "b.png/"), ["batch", "jobs.jsonl", "-o", "b.png", "-y"]])
        expect(await mediagen(args, { cwd, env }).ended).toMatchObject({
          code: 2,
          stderr: expect.stringContaining("mediagen: -o b.png/: b.png is a file, not a directory\n  Nothing was sent."),
        });
      expect(emulator.calls).toEqual([]);
    }));

  test("a key that no header can carry is named as a person knows it, and not shown", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      const { code, stderr } = await mediagen(image, { cwd, env: { ...env, MEDIAGEN_API_KEY: "s\u00ebcret" } }).ended;
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining("mediagen: the API key cannot be sent in a header (not shown). Use printable"),
      ]);
      expect(stderr).not.toContain("cret");
      expect(emulator.calls).toEqual([]);
    }));

  test("a batch in a directory of another base URL names its flag", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      await writeFile(join(cwd, "jobs.jsonl"), '{"model":"imgmodelv4","prompt":"A bicycle"}\n');
      const batch = ["batch", "jobs.jsonl", "-o", "out", "-yq"];
      expect(await mediagen(batch, { cwd, env }).ended).toMatchObject({ code: 0 });
      const elsewhere = mediagen([...batch, "--base-url", "http://127.0.0.1:9"], { cwd, env });
      expect(await elsewhere.ended).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          `mediagen: --output out has results of ${env["MEDIAGEN_BASE_URL"]}. Use another directory for http://127.0.0.1:9.\n`,
        ),
      });
    }));

  test("a failed download ends with 6 and prints the command that downloads it", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      emulator.next({ fault: "linkExpired", on: "download", times: 9 });
      const { code, stderr } = await mediagen(image, { cwd, env }).ended;
      expect([code, stderr]).toEqual([
        6,
        expect.stringMatching(
          /could not be saved: .*\n {2}Nothing is billed again\. Fix that, then continue with:\n {4}mediagen task download image:image-\w+ -o b\.png\n$/,
        ),
      ]);
      expect(await readdir(cwd)).toEqual([]);
    }));

  test("two generations to one file are both billed: the second ends with 6, and its command saves it elsewhere", ({
    expect,
  }) => {
    let directory = "";
    return inPlace(
      async ({ cwd, env, emulator }) => {
        directory = cwd;
        const { code, stdout, stderr } = await mediagen(image, { cwd, env }).ended;
        const { taskid } = emulator.tasks[0] ?? {};
        expect([code, stdout, stderr]).toEqual([
          6,
          "",
          expect.stringContaining('"b.png" already exists with other content'),
        ]);
        const saved = await paste(commandsIn(stderr).join(), { cwd, env });
        expect([saved.code, saved.stdout, await readFile(join(cwd, "b.png"), "utf8")]).toEqual([
          0,
          `${taskid}-1.png\n`,
          "of another generation",
        ]);
        // Here, its own file is the one that is damaged.
        await writeFile(join(cwd, `${taskid}-1.png`), "damaged");
        const again = await mediagen(["task", "download", `image:${taskid}`, "-q"], { cwd, env }).ended;
        expect([again.code, await paste(commandsIn(again.stderr).join(), { cwd, env })]).toMatchObject([
          6,
          { code: 0 },
        ]);
        expect((await readFile(join(cwd, `${taskid}-1.png`))).subarray(1, 4).toString()).toBe("PNG");
      },
      {
        // As if the other one were faster.
        hold: async ({ url }, response) => {
          if (url.pathname.endsWith(".png")) await writeFile(join(directory, "b.png"), "of another generation");
          return response;
        },
      },
    );
  });

  test("a base URL with a path of the service is named", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const baseUrl = `${env["MEDIAGEN_BASE_URL"]}/v1`;
      expect(await mediagen([...image, "--base-url", baseUrl], { cwd, env }).ended).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("No task was created.\n  Check the form, the API key and --base-url."),
      });
    }));

  test("a message of the service cannot control the terminal", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const { stderr } = await mediagen(["task", "show", "image:\x1b[2Jgone"], { cwd, env }).ended;
      expect(stderr).toContain("gone");
      expect(stderr).not.toContain("\x1b");
    }));
});

test("without a command, the help is printed", async ({ expect }) => {
  expect(await mediagen([]).ended).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringMatching(/^Usage: mediagen [^]*Exit codes:\n +0 {2}done\n[^]* 130 {2}interrupted\n$/),
  });
});
