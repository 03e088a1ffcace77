import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FaultName } from "@mediagen/emulator";
import { describe, test } from "vitest";
import { schemaOf } from "../contract/cases.ts";
import { inPlace, mediagen } from "./run-command.ts";

const image = ["image", "A bicycle", "-m", "imgmodelv4", "-o", "b.png", "--quiet"];
const { minimum, maximum = 0 } = schemaOf("imgmodelv4", "batchsize");

describe.concurrent("what goes wrong is told in two lines, with the code", () => {
  test.for<[number, readonly string[], { readonly fault?: FaultName; readonly on?: string; readonly says: string }]>([
    [1, image, { fault: "failure", on: "generate", says: "no task was created" }],
    [
      1,
      [...image, "--failed-status", "3"],
      { fault: "taskFails", says: "generate it anew if you want to pay for it again" },
    ],
    [1, [...image, "--base-url", "http://127.0.0.1:9"], { says: "nothing is paid twice" }],
    [2, image.with(3, "imgmodelv9"), { says: "Allowed choices are imgmodelv45" }],
    [2, image.toSpliced(2, 2), { says: "mediagen image --help shows what there is." }],
    [2, [...image, "--modle", "x"], { says: "Did you mean --model?" }],
    [
      2,
      [...image, "--batchsize", `${maximum + 1}`, "--seed", "1"],
      { says: `--batchsize: got ${maximum + 1}, allowed is a whole number, ${minimum} to ${maximum}; --seed: got ` },
    ],
    [
      2,
      [...image, "--batchsize", "many"],
      { says: `--batchsize: got "many", allowed is a whole number, ${minimum} to ${maximum}` },
    ],
    [2, [...image, "--once", "a"], { says: "--once: got a key and no journal" }],
    [2, [...image, "--timeout", "soon"], { says: "It is a time such as 90s, 30m or 2h." }],
    [2, [...image, "--failed-status", "x"], { says: "A status is a whole number." }],
    [2, [...image, "--base-url", "http://media.example.com"], { says: "--allow-http takes the risk" }],
    [
      2,
      [...image, "--image", "https://example.com/a.png"],
      { says: "an address; where the form has a field for addresses, give it there" },
    ],
    [2, ["image", "A", "bicycle", "-m", "imgmodelv4"], { says: "too many arguments" }],
    [2, ["video", "-m", "vidmodelv2"], { says: "allowed is at least 1 of prompt, --source-image, --ratio, " }],
    [2, ["images"], { says: "Did you mean image?" }],
    [2, ["task", "show", "t-1"], { says: "Write video:t-1 or image:t-1" }],
    [2, ["recover"], { says: "Give --journal FILE, or set MEDIAGEN_JOURNAL." }],
    [
      3,
      image,
      {
        fault: "insufficientCredits",
        on: "generate",
        says: "Add credits and run the command again; no task was created.",
      },
    ],
    [4, [...image, "--timeout", "10ms"], { says: "Go on with: mediagen task download image:" }],
    [
      5,
      image,
      {
        fault: "resetAfter",
        on: "generate",
        says: "Look at the service, before you run this again; with --journal such a generation is kept to be settled.",
      },
    ],
    [
      5,
      [...image, "--journal", "j.jsonl"],
      { fault: "html", on: "generate", says: "then settle it: mediagen recover --resolve " },
    ],
    [
      5,
      image,
      {
        fault: "serverError",
        on: "generate",
        says: "the answer was HTTP 500; a task may exist and may have been paid",
      },
    ],
  ])("%i: mediagen %j", ([code, args, { fault, on, says }], { expect }) =>
    inPlace(
      async ({ cwd, env, emulator }) => {
        if (fault) emulator.next({ fault, on });
        const { stdout, stderr, ...ended } = await mediagen(args, { cwd, env }).ended;
        expect([ended.code, stdout, stderr]).toEqual([code, "", expect.stringMatching(/^mediagen: .+\n {2}.+\n$/)]);
        expect(stderr).toContain(says);
        expect(stderr).not.toContain("emulator-key");
        if (code === 2) expect(emulator.calls).toEqual([]);
      },
      code === 4 ? { clock: "manual" } : {},
    ),
  );

  test("a place where the results could not go is refused before anything is paid", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      await writeFile(join(cwd, "b.png"), "mine");
      await writeFile(join(cwd, "many-1.png"), "mine");
      await mkdir(join(cwd, "folder"));
      for (const target of ["b.png", "many.png", "b.png/c.png"]) {
        expect(await mediagen(image.with(5, target), { cwd, env }).ended, target).toMatchObject({
          code: 2,
          stdout: "",
          stderr: expect.stringContaining("Nothing was sent."),
        });
      }
      expect(emulator.calls).toEqual([]);
    }));

  test("a result that cannot be fetched names the command that fetches it", ({ expect }) =>
    inPlace(async ({ cwd, env, emulator }) => {
      emulator.next({ fault: "linkExpired", on: "download", times: 9 });
      const { code, stderr } = await mediagen(image, { cwd, env }).ended;
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/Mend that, then go on with: mediagen task download image:image-\w+ -o b\.png\n$/),
      ]);
      expect(await readdir(cwd)).toEqual([]);
    }));

  test("what the service says is shown, and steers no terminal", ({ expect }) =>
    inPlace(async ({ cwd, env }) => {
      const { stderr } = await mediagen(["task", "show", "image:\x1b[2Jgone"], { cwd, env }).ended;
      expect(stderr).toContain("gone");
      expect(stderr).not.toContain("\x1b");
    }));
});

test("no command at all shows the help on stderr, with 2", async ({ expect }) => {
  expect(await mediagen([]).ended).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^Usage: mediagen [^]*Exit codes:\n +0 {2}done\n[^]* 130 {2}interrupted\n$/),
  });
});
