import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listModels, type Field } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { durations, schemaOf } from "../contract/cases.ts";
import { createProgram } from "../../packages/cli/src/program.ts";
import { service } from "@mediagen/sdk/kit";
import { fieldFlagsOf } from "../../packages/cli/src/flags/field-flags.ts";
import { readSwitches } from "../../packages/cli/src/form/read-switches.ts";
import { renderPicture } from "../../packages/emulator/src/media/png.ts";
import { commandFile, inPlace, mediagen, paste } from "./run-command.ts";

const { commands } = createProgram(listModels(), service.schemas);
const flagsOf = (kind: string) => fieldFlagsOf(commands.find((one) => one.name() === kind) ?? expect.fail(kind));

test.for(listModels())("every field of $model has a flag, and its help says what is valid", async (model) => {
  const help = (await mediagen([model.kind, "-m", model.model, "--help"]).ended).stdout.replace(/\s+/g, " ");
  for (const { field, expected, takes } of model.form.fields) {
    if (field === "prompt") continue;
    const { option } =
      flagsOf(model.kind).find((flag) => flag.field === field && flag.models.has(model.model)) ?? expect.fail(field);
    expect(help).toContain(option.flags);
    if (takes !== "flag") expect(help).toContain(expected);
  }
});

type Command = ReturnType<typeof createProgram>;

/** A command and those below it. */
const withAll = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(withAll)];

test("the help of every command begins with examples, and they work", () =>
  inPlace(async ({ cwd, env }) => {
    const all = commands.flatMap(withAll).filter((command) => command.commands.length === 0);
    const examples = all.map((command) => {
      const [, text = expect.fail(command.name())] = command.description().split("\n\nExamples:\n");
      return text.split("\n").map((line) => line.trim());
    });
    const picture = renderPicture({ width: 64, height: 64, seed: "", text: { title: "", body: "", note: "" } });
    await writeFile(join(cwd, "first.png"), picture);
    await writeFile(join(cwd, "jobs.jsonl"), '{"id":"fox","model":"imgmodelz","prompt":"A fox"}\n');
    const place = { cwd, env };
    const task = (await mediagen(["video", "A fox", "-m", "vidmodelv2", "--no-wait", "-q"], place).ended).stdout.trim();
    const lines = examples.flat().map((line) =>
      line
        .replace("video:ID", task)
        .replace(/(-o jobs\/)(?! --dry-run)/, "$1 --yes")
        .replace(/ (sh|mcp .*)$/, "$& </dev/null"),
    );
    for (const kind of ["video", "image"])
      expect(lines.filter((line) => line.startsWith(`mediagen ${kind} `))).toHaveLength(2);
    const { code, stderr } = await paste(["set -e", ...lines].join("\n"), place);
    expect([code, stderr.split("\n").filter((line) => line.startsWith("mediagen: "))]).toEqual([0, []]);
  }));

test("help of a field's form comes before the flags of the command, and names only what the model has", async () => {
  const all = (await mediagen(["video", "--help"]).ended).stdout;
  expect(all).toMatch(/Examples:[^]*--model[^]*Fields of the form:\n +--image [^]*Results:[^]*Request:/);
  expect(all).toMatch(
    / --image <file\|url> [^]*--dry-run +print the request and send nothing; an image of a URL is\s+read/,
  );
  const one = (await mediagen(["video", "--help", "-m", "vidmodelv15pro"]).ended).stdout;
  expect(one).toContain("--fixed-camera");
  expect(one).not.toMatch(/--websearch|vidmodelv2/);
});

test.for([
  ["help", "task", "show"],
  ["task", "help", "show"],
  ["task", "show", "--help"],
])("%j prints the help of task show", async (args) => {
  expect(await mediagen(args).ended).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Usage: mediagen task show /),
    stderr: "",
  });
});

test.for([["help"], ["--help"], ["help", "task"], ["task", "help"], ["-v"]])("%j ends with 0", async (args) => {
  expect(await mediagen(args).ended).toMatchObject({ code: 0, stderr: "" });
});

describe("a field whose flag is taken", () => {
  const flagsFor = (field: string, takes: Field["takes"], fields = [{ field, takes, expected: "" }]) => {
    const program = createProgram([{ kind: "video", model: "m", operation: "o", form: { fields } }], service.schemas);
    return fieldFlagsOf(program.commands[0] ?? expect.fail("no command")).map(
      ({ field, option }) => `${field} ${option.flags}`,
    );
  };

  test.for<[string, Field["takes"], string]>([
    ["timeout", "number", "timeout --form-timeout <number>"],
    ["json", "flag", "json --form-json[=true|false|1|0]"],
    ["wait", "flag", "wait --form-wait[=true|false|1|0]"],
    ["no_sound", "text", "no_sound --form-no-sound <text>"],
    ["help", "text", "help --form-help <text>"],
    ["maxTokens_count", "number", "maxTokens_count --max-tokens-count <number>"],
  ])("%s: a %s is given as %s", ([field, takes, flag]) => expect(flagsFor(field, takes)).toEqual([flag]));

  test("but a file field called image is --image itself", () => {
    expect(flagsFor("image", "file")).toEqual(["image --image <file|url>"]);
    expect(flagsFor("picture", "file")).toEqual(["picture --image <file|url>", "picture --picture <file|url>"]);
  });
});

describe("a field that is on or off", () => {
  const command = commands.find((one) => one.name() === "video") ?? expect.fail("no command");
  const read = (...args: string[]) => readSwitches(command, ["video", ...args]).slice(1);

  test("takes its value behind =, for every such field of the description", () => {
    const switches = fieldFlagsOf(command).filter(({ models }) =>
      [...models].every(([, { takes }]) => takes === "flag"),
    );
    expect(switches.map(({ option }) => option.long)).toContain("--generate-audio");
    for (const { option } of switches) {
      const off = `${option.long}`.replace("--", "--no-");
      expect(read(`${option.long}=True`, `${option.long}=1`)).toEqual([option.long, option.long]);
      expect(read(`${option.long}=false`, `${option.long}=0`)).toEqual([off, off]);
      expect(() => read(`${option.long}=on`)).toThrow(`${option.long}=on: the value is not valid`);
      for (const value of ["true", "false", "1", "0"])
        expect(() => read(`${option.long}`, value)).toThrow("the prompt");
    }
  });

  test.for<string[]>([
    ["A fox", "--generate-audio"],
    ["--generate-audio", "A fox"],
    ["--seed", "1", "-q", "A fox"],
    ["--idempotency-key", "--generate-audio=1", "-m", "0"],
    ["--generate-audio", "--", "1"],
    ["--", "--generate-audio=1"],
    ["1", "--generate-audio"],
  ])("and leaves %j as they are", (args) => expect(read(...args)).toEqual(args));

  test.for(["video", "image"])("no value of another flag becomes the prompt of %s either", (kind) => {
    const ofKind = commands.find((one) => one.name() === kind) ?? expect.fail("no command");
    for (const flag of ofKind.options.filter(({ required }) => !required).flatMap(({ long, short }) => [long, short]))
      for (const value of flag ? ["1", "yes", "TRUE", "5m", "out.png", "一只狐狸"] : [])
        expect(() => readSwitches(ofKind, [kind, "-m", "m", `${flag}`, value]), flag).toThrow(
          `"${value}" after ${flag} would be the prompt`,
        );
    expect(() => readSwitches(ofKind, [kind, "-qq", "yes"])).toThrow('"yes" after -qq would be the prompt');
    for (const args of [
      ["-qm", "m", "fox"],
      ["-mm", "fox"],
      ["-q", "-"],
      ["-q", "A fox"],
      ["-q", "--", "fox"],
    ])
      expect(readSwitches(ofKind, [kind, ...args])).toEqual([kind, ...args]);
  });

  test("no other command's argument is a prompt", () => {
    const batch = commands.find((one) => one.name() === "batch") ?? expect.fail("no command");
    expect(readSwitches(batch, ["batch", "-y", "jobs.jsonl"])).toEqual(["batch", "-y", "jobs.jsonl"]);
  });
});

describe.concurrent("mediagen models", () => {
  test("lists every model with what it does", async ({ expect }) => {
    const { stdout } = await mediagen(["models"]).ended;
    expect(stdout.split("\n")).toEqual([
      "MODEL           KIND   WHAT IT DOES",
      ...listModels().map(({ model, kind }) => expect.stringMatching(`^${model} +${kind}  Generate .*${model}$`)),
      "",
    ]);
  });

  test.for(listModels())("shows the fields of $model, with flags, defaults and bounds", async (model, { expect }) => {
    const { stdout } = await mediagen(["models", model.model]).ended;
    for (const { field, expected, required, takes } of model.form.fields) {
      const line = stdout.split("\n").find((one) => one.startsWith(`${field} `));
      expect(line?.endsWith(expected), `${field}: ${line}`).toBe(true);
      expect(line?.includes("required")).toBe(required ?? false);
      expect(line?.includes("[=true|false|1|0]")).toBe(takes === "flag");
    }
  });

  test("prints JSON, with the service's own descriptions and defaults", async ({ expect }) => {
    const all = JSON.parse((await mediagen(["models", "--json"]).ended).stdout) as readonly object[];
    expect(all).toHaveLength(listModels().length);
    const one = JSON.parse((await mediagen(["models", "vidmodelv2", "--json"]).ended).stdout) as object;
    expect(one).toMatchObject({ model: "vidmodelv2", kind: "video", operation: "generateVidmodelv2" });
    expect(one).toHaveProperty(
      "fields",
      expect.arrayContaining([
        expect.objectContaining({
          field: "duration",
          flag: "--duration",
          values: durations,
          default: schemaOf("vidmodelv2", "duration").default,
          description: "The length of the video in seconds.",
        }),
      ]),
    );
  });
});

test("mediagen emulator is the emulator's own command, here beside mediagen itself", async ({ expect }) => {
  await inPlace(async ({ cwd }) => {
    const { code, stdout } = await mediagen([
      "emulator",
      "--speed",
      "50",
      "exec",
      "--",
      process.execPath,
      commandFile,
      "image",
      "A bicycle",
      "-m",
      "imgmodelz",
      "-o",
      `${cwd}/b.png`,
      "-q",
    ]).ended;
    expect([code, stdout]).toEqual([0, `${cwd}/b.png\n`]);
  });
  expect((await mediagen(["emulator", "--help"]).ended).stdout).toContain("--credits N");
  expect(await mediagen(["emulator", "--prot", "1"]).ended).toMatchObject({ code: 2 });
});

test("--version prints the package's version", async () => {
  expect(await mediagen(["--version"]).ended).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
});
