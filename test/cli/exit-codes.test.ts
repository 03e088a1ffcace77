import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FaultName } from "@mediagen/emulator";
import { describe, expect, test } from "vitest";
import { schemaOf } from "../contract/cases.ts";
import { commandsIn, inPlace, paste, type PlaceOptions, fails } from "./run-command.ts";

const image = "image 'A bicycle' -m imgmodelv4 -o b.png --quiet";
const { minimum, maximum = 0 } = schemaOf("imgmodelv4", "batchsize");

describe("an error is two lines with its commands below, and an exit code", () => {
  test.for<[code: number, line: string, says: string, fault?: FaultName]>([
    [1, image, "No task was created.", "failure"],
    [1, `${image} --failed-status 3`, "A new generation is billed again.", "taskFails"],
    [
      1,
      `${image} --base-url http://127.0.0.1:9`,
      "nothing was sent (connect ECONNREFUSED 127.0.0.1:9)",
    ],
    [
      2,
      "image A -m imgmodelv44",
      'has no model "imgmodelv44"\n  Nothing was sent. Use one of imgmodelv45, ',
    ],
    [2, "image A -m vidmodelv2", 'mediagen image has no model "vidmodelv2"'],
    [2, "image A", "--model is missing\n  Nothing was sent. Add -m with one of imgmodelv45, "],
    [2, `${image} --image none.png`, '"none.png" cannot be read (ENOENT'],
    [2, "video '-10 degrees' -m vidmodelv2", "Write a prompt that begins with - after --."],
    [2, `${image} --modle x`, "Did you mean --model?"],
    [2, `${image} --key secret`, "--key is not a known option. Use one of --model, "],
    [2, `${image} -o ${"a".repeat(300)}.png`, "ENAMETOOLONG"],
    [
      2,
      `${image} --batchsize ${maximum + 1} --seed 1`,
      `--batchsize must be a whole number from ${minimum} to ${maximum}, not ${maximum + 1}. --seed is only`,
    ],
    [
      2,
      `${image} --idempotency-key a --no-store`,
      "--idempotency-key needs a store\n  Nothing was sent.",
    ],
    [
      2,
      `${image} --timeout soon`,
      '--timeout "soon" is not valid. Use a time such as 90s, 30m or 2h.\n',
    ],
    [
      2,
      `${image} --base-url http://media.example.com`,
      "With --allow-http, everyone on the way can read",
    ],
    [2, "image A bicycle -m imgmodelv4", "Put the prompt in quotes: "],
    [2, "video -m vidmodelv2", "form needs prompt or --image."],
    [2, "image A -m imgmodelz -o ''", '--output "" is not valid. The path is empty.\n'],
    [
      2,
      "image A -m imgmodelz -o",
      "--output needs a value.\n  Run mediagen image --help for usage.",
    ],
    [
      2,
      "image A -m imgmodelz -o fox.mp4",
      "-o fox.mp4: the result is of the kind image\n  Nothing was sent.",
    ],
    [2, "task list --limit 0", '--limit "0" is not valid. Use a whole number, 1 or more.\n'],
    [
      2,
      "task list --state unkown",
      '--state "unkown" is not valid. Use one of unknown, sending, pending',
    ],
    [2, "task show t-1", "and the store has no such task\n  Pass video:t-1 or image:t-1."],
    [2, "recover --taskid t-1", "an outcome needs --resolve\n  Nothing was recorded."],
    [
      2,
      "image 'A \uFFFD fox' -m imgmodelz",
      "prompt: the text is not valid UTF-8\n  Nothing was sent.",
    ],
    [2, "video - -qm vidmodelv2 --image -", "stdin can be read once"],
    [2, `${image} --extra-field a`, "--extra-field a has no value\n  Nothing was sent. Write "],
    [
      2,
      "batch no.jsonl -o . -yq",
      'input "no.jsonl" does not exist. Use a file that can be read.\n',
    ],
    [
      2,
      "images",
      "unknown command mediagen images\n  images is not a known command. Did you mean image?\n",
    ],
    [2, "help vidoe", "Did you mean video?"],
    [2, "task lst", "Did you mean list?"],
    [2, "task", "mediagen task needs a command\n  Use one of list, show, "],
    [2, "serve", "Use one of video, image, task, "],
    [2, "image A -m imgmodelv4 -o - --batchsize 2", "stdout takes one result and nothing else"],
    [
      3,
      image,
      "No task was created.\n  Add credits, then make the same call again.",
      "insufficientCredits",
    ],
    [4, `${image} --timeout 10ms`, "Continue with:\n    mediagen task download image:"],
    [5, `${image} --no-store`, "Before you generate it again, look for a task of ", "resetAfter"],
    [5, image, "or that there is none:\n    mediagen recover --resolve ", "html"],
    [
      6,
      image,
      "Nothing is billed again. Fix that, then continue with:\n    mediagen task",
      "linkExpired",
    ],
  ])("%i: mediagen %s", ([code, line, says, fault]) =>
    inPlace(
      async ({ cwd, emulator, run }) => {
        if (fault) emulator.next({ fault, times: fault === "linkExpired" ? 9 : 1 });
        const ended = await run(line, { stdin: "" });
        expect(ended).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(says) });
        expect(ended.stderr).toMatch(
          /^(?![^]*emulator-key)mediagen: .+\n {2}.+\n( {4}mediagen .+\n)*$/,
        );
        if (code === 2) expect([emulator.calls, await readdir(cwd)]).toEqual([[], []]);
      },
      code === 4 ? { clock: "manual" } : {},
    ),
  );
});

test("with --json, an error is also one document on stdout", () =>
  inPlace(async ({ cwd, emulator, run }) => {
    await writeFile(
      join(cwd, "jobs.jsonl"),
      '{"model":"imgmodelv4","prompt":"A"}\n{"model":"imgmodelz"}\n',
    );
    const batch = "batch jobs.jsonl -o jobs -qy";
    const issues = (field: string) => ({
      name: "InvalidRequestError",
      issues: [{ field }],
      billed: "no",
      exitCode: 2,
    });
    for (const [line, error, fault] of [
      [`${image} --modle x`, { name: "UsageError", billed: "no", exitCode: 2 }],
      [`${image} --batchsize ${maximum + 1}`, issues("batchsize")],
      [
        image,
        { name: "ServiceError", code: 9999, billed: "no", isRetryable: false, exitCode: 1 },
        "failure",
      ],
      [
        image,
        { name: "OutcomeUnknownError", generationId: expect.any(String), billed: "maybe" },
        "resetAfter",
      ],
      [`${image} --failed-status 3`, { name: "TaskFailedError", billed: "yes" }, "taskFails"],
      [image, { billed: "yes", exitCode: 6 }, "linkExpired"],
      [batch, issues("line 2, prompt")],
      [`${batch} --only nope`, { billed: "no", isRetryable: false, exitCode: 2 }],
    ] as readonly (readonly [string, object, FaultName?])[]) {
      if (fault) emulator.next({ fault, times: fault === "linkExpired" ? 9 : 1 });
      const { code, stdout, stderr } = await run(`${line} --json`);
      expect(JSON.parse(stdout), `${line} ${fault}`).toMatchObject({
        error: { exitCode: code, ...error },
      });
      expect(stderr).toMatch(/^mediagen: /m);
    }
  }));

test("a store that cannot be written to is rejected before anything is billed", () =>
  inPlace(async ({ cwd, env, emulator, run }) => {
    await writeFile(join(cwd, "file"), "");
    const inFile = { env: { ...env, XDG_STATE_HOME: join(cwd, "file") } };
    const says =
      /^mediagen: generations cannot be recorded in .*\n {2}Nothing was sent\. Pass --store .*, or --no-store/;
    await fails(run(image, inFile), 2, says);
    expect(emulator.calls).toEqual([]);
  }));

test("a target that results could not be written to is rejected before anything is billed", () =>
  inPlace(async ({ cwd, emulator, run }) => {
    for (const name of ["b.png", "many-1.png", "few-2.png"])
      await writeFile(join(cwd, name), "mine");
    for (const target of ["b.png", "many.png", "b.png/c.png", "b.png/", "few.png --batchsize 2"])
      await fails(run(`image A -m imgmodelv4 -o ${target}`), 2, "Nothing was sent.");
    expect((await run("batch jobs.jsonl -o b.png -y")).code).toBe(2);
    expect(emulator.calls).toEqual([]);
  }));

test("of two generations to one file, the second ends with 6, and its command saves it elsewhere", () => {
  let write = async () => {};
  // As if the other generation were faster.
  const hold: PlaceOptions["hold"] = async ({ url }, response) => {
    if (url.pathname.endsWith(".png")) await write();
    return response;
  };
  return inPlace(
    async ({ cwd, env, emulator, run }) => {
      write = () => writeFile(join(cwd, "b.png"), "of another generation");
      const { code, stdout, stderr } = await run(image);
      const says = expect.stringContaining('"b.png" already exists with other content');
      expect([code, stdout, stderr]).toEqual([6, "", says]);
      const saved = `${emulator.tasks[0]?.taskid}-1.png`;
      const again = await paste(commandsIn(stderr).join(), { cwd, env });
      expect(again).toMatchObject({ code: 0, stdout: `${saved}\n` });
      expect(await readFile(join(cwd, "b.png"), "utf8")).toBe("of another generation");
    },
    { hold },
  );
});

test("a text of the service cannot control the terminal", () =>
  inPlace(async ({ run }) => {
    const { stderr } = await run("task show image:\x1b[2Jgone");
    expect([stderr.includes("gone"), stderr.includes("\x1b")]).toEqual([true, false]);
  }));
