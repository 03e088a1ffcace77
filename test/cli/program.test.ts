import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listModels } from "@mediagen/sdk";
import { service } from "@mediagen/sdk/kit";
import { describe, expect, test } from "vitest";
import { createCommands } from "../../packages/cli/src/program.ts";
import { parse } from "../../packages/cli/src/usage/parse.ts";
import { inPlace, paste, start, wordsOf } from "./run-command.ts";

const commands = createCommands(listModels(), service.schemas);
const named = (name: string) => commands.find((one) => one.name === name) ?? expect.fail(name);
const run = (line: string) => start(wordsOf(line)).ended;

test("the help of every command begins with examples, and they work", () =>
  inPlace(async ({ cwd, env, run }) => {
    const examples = commands
      .filter(({ name }) => !name.startsWith("log"))
      .map((command) => command.examples);
    expect(examples).not.toContainEqual([]);
    await writeFile(join(cwd, "first.png"), "GIF89a");
    await writeFile(join(cwd, "jobs.jsonl"), '{"id":"fox","model":"imgmodelz","prompt":"A fox"}\n');
    const task = (await run("video 'A fox' -m vidmodelv2 --no-wait -q")).stdout.trim();
    const lines = examples.flat().map((line) =>
      line
        .replace("video:ID", task)
        .replace(/(-o jobs\/)(?! --dry-run)/, "$1 --yes")
        .replace(/ (sh|mcp .*)$/, "$& </dev/null"),
    );
    const { code, stderr } = await paste(["set -e", ...lines].join("\n"), { cwd, env });
    expect([code, stderr.split("\n").filter((line) => line.startsWith("mediagen: "))]).toEqual([
      0,
      [],
    ]);
  }));

test("help lists the fields of the form before the flags of the command", async () => {
  const { stdout } = await run("video --help");
  expect(stdout).toMatch(
    /Examples:[^]*Models: vid[^]*Fields of the form:\n +--image [^]*Options:\n +-m, --model/,
  );
  expect((await run("")).stdout).toMatch(
    /^Usage: mediagen [^]*Exit codes:\n +0 {2}done\n[^]* 130 {2}interrupted\n$/,
  );
  for (const line of ["help task show", "task show --help"])
    expect((await run(line)).stdout).toMatch(/^Usage: mediagen task show /);
  expect(await run("--version")).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
});

describe("a field that is on or off", () => {
  const read = (...args: string[]) => parse(named("video"), [...args, "-m", "vidmodelv2"]);

  test("takes its value after =, for every such field of the description", () => {
    const switches = named("video").flags.filter(
      ({ field, takes, isOff }) => field && takes === undefined && !isOff,
    );
    expect(switches.map(({ name }) => name)).toContain("generate-audio");
    for (const { name, field } of switches) {
      expect(read(`--${name}`).fields).toEqual(new Map([[field, true]]));
      expect(read(`--no-${name}`).fields).toEqual(new Map([[field, false]]));
      // The SDK reads the text, as it reads that of a table.
      expect(read(`--${name}=True`).fields).toEqual(new Map([[field, "True"]]));
    }
  });

  test.for<[string, ...string[]]>([
    ["A fox", "A fox", "--generate-audio"],
    ["A fox", "--generate-audio", "A fox"],
    ["1", "1", "--generate-audio"],
    ["-", "-q", "-"],
    ["fox", "-qo", "fox.mp4", "fox"],
    ["--fox=1", "--idempotency-key", "--generate-audio=1", "-m", "vidmodelv2", "--", "--fox=1"],
  ])("%j is the prompt in %j", ([prompt, ...args]) =>
    expect((args.includes("--") ? parse(named("video"), args) : read(...args)).words).toEqual([
      prompt,
    ]),
  );

  test.for(["video", "image"])("no value of a flag becomes the prompt of %s", (kind) => {
    for (const { name, short } of named(kind).flags.filter(({ takes }) => takes === undefined))
      for (const flag of [`--${name}`, ...(short ? [`-${short}`, `-q${short}`] : [])])
        for (const value of ["1", "yes", "TRUE", "5m", "out.png", "一只狐狸"])
          expect(() => parse(named(kind), [flag, value]), flag).toThrow(
            /" after -.* would be the prompt$/,
          );
  });
});

test("models lists every model, and shows the fields of one with flags, defaults and bounds", async () => {
  expect((await run("models")).stdout.match(/^\w+/gm)).toEqual([
    "MODEL",
    ...listModels().map(({ model }) => model),
  ]);
  for (const { model, form } of listModels()) {
    const shown = (await run(`models ${model}`)).stdout.split("\n");
    for (const { field, expected, required = false, takes } of form.fields) {
      const line = shown.find((one) => one.startsWith(`${field} `)) ?? "";
      const is = [
        line.endsWith(expected),
        line.includes("required"),
        line.includes("[=true|false|1|0]"),
      ];
      expect(is).toEqual([true, required, takes === "flag"]);
      if (field !== "prompt") expect(line).toMatch(/ --[a-z]/);
    }
  }
});
