import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { listModels } from "@mediagen/sdk";
import { describe, expect, test } from "vitest";
import { durations, schemaOf } from "../contract/cases.ts";
import { complete } from "../../packages/cli/src/commands/complete.ts";
import { service } from "@mediagen/sdk/kit";
import { createCommands } from "../../packages/cli/src/program.ts";
import { commandFile, inPlace, mediagen } from "./run-command.ts";

const commands = createCommands(listModels(), service.schemas);
const namesOf = (kind: string) =>
  listModels()
    .filter((one) => one.kind === kind)
    .map(({ model }) => model);

describe("the last word is completed", () => {
  test.for<[string[], readonly string[]]>([
    [["vi"], ["video"]],
    [
      ["task", ""],
      ["list", "show", "wait", "download", "delete", "help"],
    ],
    [["video", "--model", ""], namesOf("video")],
    [["video", "--model="], namesOf("video").map((name) => `--model=${name}`)],
    [["video", "-m", "vidmodelv2", "--image-"], []],
    [["video", "-m", "vidmodelv15pro", "--image-"], ["--image-url"]],
    [["batch", "jo"], [":files"]],
    [["batch", "jobs.jsonl", "-o", ""], [":files"]],
    [["recover", "--store", ""], [":files"]],
    [
      ["emulator", "--st"],
      ["--state", "--strict", "--statuses"],
    ],
    [["image", "A fox", "-m", ""], namesOf("image")],
    [
      ["models", "imgmodelv4"],
      ["imgmodelv45", "imgmodelv4"],
    ],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [
      ["video", "-m", "vidmodelv15pro", "--duration", ""],
      (schemaOf("vidmodelv15pro", "duration").enum ?? []).map(String),
    ],
    [["video", "--duration", ""], durations.map(String)],
    [
      ["image", "-m", "imgmodelv45", "--resolution", "4"],
      ["4:3", "4K"],
    ],
    [["video", "--image", ""], [":files"]],
    [["video", "--image="], [":files"]],
    [["batch", "jobs.jsonl", "--output=ou"], [":files"]],
    [["task", "download", "video:x", "-o", "ou"], [":files"]],
    [
      ["nonsense", "--x", ""],
      [...new Set(commands.map(({ name }) => name.replace(/ .*/, ""))), "help"],
    ],
  ])("%j", async ([words, candidates]) => {
    expect((await complete(commands, words)).map((line) => line.split("\t")[0])).toEqual(candidates);
  });

  test("a flag with its description, the opposite of one too", async () => {
    expect(await complete(commands, ["video", "--dura"])).toEqual([
      expect.stringMatching(/^--duration\tThe length of the video in seconds \(.*\)$/),
    ]);
    expect(await complete(commands, ["video", "--no-g"])).toEqual([
      "--no-generate-audio\tthe opposite of --generate-audio",
    ]);
  });
});

test("the ids of tasks, and of unknown generations, are completed from the store", ({ expect }) =>
  inPlace(async ({ cwd, env, emulator }) => {
    const image = ["image", "A fox", "-m", "imgmodelz", "-q", "--no-wait"];
    const task = (await mediagen(image, { cwd, env }).ended).stdout.trim();
    emulator.next({ fault: "resetAfter", on: "generate" });
    await mediagen(image, { cwd, env }).ended;
    const complete = async (...words: string[]) =>
      (await mediagen(["__complete", ...words], { cwd, env }).ended).stdout;
    expect(await complete("task", "show", "")).toBe(`${task}\timgmodelz, pending\n`);
    expect(await complete("task", "download", "image:x", "ima")).toBe(`${task}\timgmodelz, pending\n`);
    expect(await complete("task", "show", "--store", "other", "")).toBe("");
    expect(await complete("recover", "--resolve", "")).toMatch(/^[\w-]{36}\timgmodelz, \d{4}-\S+\n$/);
  }));

test.for(["emulator", "mcp"])("the flags of %s are those of its help", async (command) => {
  const { stdout } = await mediagen([command, "--help"]).ended;
  const flags = [...stdout.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, flag]) => flag);
  expect([...(await complete(commands, [command, "--"]))].sort()).toEqual(flags.sort());
});

test("bash completes by it, where words hold colons too", async () => {
  const directory = await mkdtemp(join(tmpdir(), "mediagen-bash-"));
  try {
    await writeFile(join(directory, "first.png"), "");
    const completeInBash = async (line: string) => {
      const script = `mediagen() { ${process.execPath} ${commandFile} "$@"; }; eval "$(mediagen completion bash)"; COMP_LINE=$1 COMP_POINT=\${#1}; _mediagen; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p mediagen`;
      const { stdout } = await promisify(execFile)("bash", ["--norc", "-c", script, "bash", line], { cwd: directory });
      return stdout.split("\n").slice(0, -1);
    };
    const registered = "complete -F _mediagen mediagen";
    expect(await completeInBash("mediagen mod")).toEqual(["models", registered]);
    expect(await completeInBash("mediagen video -m vidmodelv2 --ratio 16:")).toEqual(["9", registered]);
    expect(await completeInBash("mediagen video 'A fox' --image fi")).toEqual(["first.png", registered]);
    expect(await completeInBash("mediagen video 'A fox' --image=fi")).toEqual(["first.png", registered]);
    expect(await completeInBash("mediagen task ")).toEqual([
      "list",
      "show",
      "wait",
      "download",
      "delete",
      "help",
      registered,
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test.for(["zsh", "fish"])("%s has its script, which asks the same", async (shell) => {
  const { code, stdout } = await mediagen(["completion", shell]).ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining("mediagen __complete")]);
});
