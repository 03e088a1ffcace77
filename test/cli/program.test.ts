import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listModels, type Field } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { durations, schemaOf } from "../contract/cases.ts";
import { createCommands } from "../../packages/cli/src/program.ts";
import { service } from "@mediagen/sdk/kit";
import { spelled } from "../../packages/cli/src/flags/flags.ts";
import { parse } from "../../packages/cli/src/usage/parse.ts";
import { renderPicture } from "../../packages/emulator/src/media/png.ts";
import { commandFile, inPlace, mediagen, paste } from "./run-command.ts";

const commands = createCommands(listModels(), service.schemas);
const named = (name: string) => commands.find((one) => one.name === name) ?? expect.fail(name);

test.for(listModels())("every field of $model has a flag, and its help says what is valid", async (model) => {
  const help = (await mediagen([model.kind, "-m", model.model, "--help"]).ended).stdout.replace(/\s+/g, " ");
  for (const { field, expected, takes } of model.form.fields) {
    if (field === "prompt") continue;
    const { flags } = named(model.kind);
    const flag = flags.find((one) => one.field === field && one.models?.has(model.model)) ?? expect.fail(field);
    expect(help).toContain(spelled(flag));
    if (takes !== "flag") expect(help).toContain(expected);
  }
});

test("the help of every command begins with examples, and they work", () =>
  inPlace(async ({ cwd, env }) => {
    const examples = commands.map(({ examples }) => examples);
    expect(examples).not.toContainEqual([]);
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
  expect(all).toMatch(/Examples:[^]*Models: vid[^]*Fields of the form:\n +--image [^]*Options:\n +-m, --model/);
  expect(all).toMatch(/--dry-run +print the request and send nothing; an image of a URL is\s+read/);
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

test("the help of no command is wrong usage", async () => {
  expect(await mediagen(["help", "imag"]).ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Did you mean image?"),
  });
});

describe("a field whose flag is taken", () => {
  const flagsFor = (field: string, takes: Field["takes"], fields = [{ field, takes, expected: "" }]) => {
    const models = [{ kind: "video", model: "m", operation: "o", form: { fields } }] as const;
    const { flags = [] } = createCommands(models, service.schemas)[0] ?? {};
    return flags.filter(({ field, isOff }) => field && !isOff).map((flag) => `${flag.field} ${spelled(flag)}`);
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
  const command = named("video");
  const read = (...args: string[]) => parse(command, [...args, "-m", "vidmodelv2"]);

  test("takes its value behind =, for every such field of the description", () => {
    const switches = command.flags.filter(({ field, takes, isOff }) => field && takes === undefined && !isOff);
    expect(switches.map(({ name }) => name)).toContain("generate-audio");
    for (const { name, field } of switches) {
      for (const on of ["", "=True", "=1"]) expect(read(`--${name}${on}`).fields).toEqual(new Map([[field, true]]));
      for (const off of [`--${name}=false`, `--${name}=0`, `--no-${name}`])
        expect(read(off).fields).toEqual(new Map([[field, false]]));
      expect(() => read(`--${name}=on`)).toThrow(`--${name}=on: the value is not valid`);
      for (const value of ["true", "false", "1", "0"]) expect(() => read(`--${name}`, value)).toThrow("the prompt");
    }
  });

  test.for<[string, ...string[]]>([
    ["A fox", "A fox", "--generate-audio"],
    ["A fox", "--generate-audio", "A fox"],
    ["A fox", "--seed", "1", "-q", "A fox"],
    ["1", "1", "--generate-audio"],
    ["-", "-q", "-"],
    ["fox", "-qo", "fox.mp4", "fox"],
  ])("%j is the prompt in %j", ([prompt, ...args]) => expect(read(...args).words).toEqual([prompt]));

  test("what stands behind -- is no flag, and a flag's value neither", () => {
    const dashes = ["-m", "vidmodelv2", "--idempotency-key", "--generate-audio=1", "--generate-audio", "--", "--fox=1"];
    expect(parse(command, dashes)).toMatchObject({
      words: ["--fox=1"],
      options: { idempotencyKey: "--generate-audio=1" },
      fields: new Map([["generate_audio", true]]),
    });
  });

  test.for(["video", "image"])("no value of another flag becomes the prompt of %s either", (kind) => {
    const { flags, ...rest } = named(kind);
    const written = flags.filter(({ takes }) => takes === undefined);
    for (const flag of written.flatMap(({ name, short }) => [
      `--${name}`,
      ...(short ? [`-${short}`, `-q${short}`] : []),
    ]))
      for (const value of ["1", "yes", "TRUE", "5m", "out.png", "一只狐狸"])
        expect(() => parse({ ...rest, flags }, [flag, value]), flag).toThrow(/" after -.* would be the prompt$/);
  });

  test("no other command's argument is a prompt", () => {
    expect(parse(named("batch"), ["-y", "jobs.jsonl", "-o", "out"])).toMatchObject({ words: ["jobs.jsonl"] });
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
  await inPlace(async ({ cwd, env: { XDG_STATE_HOME = "" } }) => {
    const { code, stdout } = await mediagen(
      [
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
      ],
      { env: { XDG_STATE_HOME } },
    ).ended;
    expect([code, stdout]).toEqual([0, `${cwd}/b.png\n`]);
  });
  expect((await mediagen(["emulator", "--help"]).ended).stdout).toContain("--credits N");
  expect(await mediagen(["emulator", "--prot", "1"]).ended).toMatchObject({ code: 2 });
});

test("--version prints the package's version", async () => {
  expect(await mediagen(["--version"]).ended).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
});
