import { fieldsOf, listModels, type Bounds } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { durations, schemaOf } from "../contract/cases.ts";
import { createProgram } from "../../packages/cli/src/program.ts";
import { descriptions } from "../../packages/cli/src/descriptions.gen.ts";
import { fieldFlagsOf } from "../../packages/cli/src/field-flags.ts";
import { commandFile, inPlace, mediagen } from "./run-command.ts";

const { commands } = createProgram(listModels(), descriptions);
const flagsOf = (kind: string) => fieldFlagsOf(commands.find((one) => one.name() === kind) ?? expect.fail(kind));

test.for(listModels())("every field of $model has a flag, and its help says what is valid", async (model) => {
  const help = (await mediagen([model.kind, "--help"]).ended).stdout.replace(/\s+/g, " ");
  for (const { field, expected, takes } of fieldsOf(model)) {
    if (field === "prompt") continue;
    const { option } =
      flagsOf(model.kind).find((flag) => flag.field === field && flag.models.has(model.model)) ?? expect.fail(field);
    expect(help).toContain(option.flags);
    if (takes !== "flag") expect(help).toContain(expected);
  }
});

describe("a field whose flag is taken", () => {
  const form = (properties: Readonly<Record<string, Bounds>>) =>
    createProgram([{ kind: "video", model: "m", operation: "o", form: { type: "object", properties } }], descriptions);
  const flagsFor = (properties: Readonly<Record<string, Bounds>>) =>
    fieldFlagsOf(form(properties).commands[0] ?? expect.fail("no command")).map(
      ({ field, option }) => `${field} ${option.flags}`,
    );

  test.for<[string, Bounds, string]>([
    ["timeout", { type: "integer" }, "timeout --form-timeout <number>"],
    ["json", { type: "boolean" }, "json --form-json"],
    ["wait", { type: "boolean" }, "wait --form-wait"],
    ["no_sound", { type: "string" }, "no_sound --form-no-sound <text>"],
    ["help", { type: "string" }, "help --form-help <text>"],
    ["maxTokens_count", { type: "integer" }, "maxTokens_count --max-tokens-count <number>"],
  ])("%s: %j is given as %s", ([name, bounds, flag]) => expect(flagsFor({ [name]: bounds })).toEqual([flag]));

  test("but a file field called image is --image itself", () => {
    expect(flagsFor({ "image.items": { type: "string", format: "binary" } })).toEqual(["image --image <file>"]);
    expect(flagsFor({ "picture.items": { type: "string", format: "binary" } })).toEqual([
      "picture --picture <file>",
      "picture --image <file>",
    ]);
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
    for (const { field, expected, required } of fieldsOf(model)) {
      const line = stdout.split("\n").find((one) => one.startsWith(`${field} `));
      expect(line?.endsWith(expected), `${field}: ${line}`).toBe(true);
      expect(line?.includes("required")).toBe(required);
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
