import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listModels } from "@mediagen/sdk";
import { service } from "@mediagen/sdk/kit";
import { expect, test } from "vitest";
import { complete } from "../../packages/cli/src/commands/complete.ts";
import { createCommands } from "../../packages/cli/src/program.ts";
import { durations, schemaOf } from "../contract/cases.ts";
import { generate, inPlace, paste, wordsOf } from "./run-command.ts";

const commands = createCommands(listModels(), service.schemas);
const namesOf = (kind: string) =>
  listModels().flatMap((one) => (one.kind === kind ? one.model : []));

test.for<[line: string, candidates: readonly string[]]>([
  ["vi", ["video"]],
  ["task ''", ["list", "show", "wait", "download", "delete", "help"]],
  ["video --model ''", namesOf("video")],
  ["video -m vidmodelv2 --image-", []],
  ["video -m vidmodelv15pro --image-", ["--image-url"]],
  ["video --no-g", ["--no-generate-audio"]],
  ["batch jo", [":files"]],
  ["task download video:x -o ou", [":files"]],
  [
    "video -m vidmodelv15pro --duration ''",
    (schemaOf("vidmodelv15pro", "duration").enum ?? []).map(String),
  ],
  ["video --duration ''", durations.map(String)],
  ["image -m imgmodelv45 --resolution 4", ["4:3", "4K"]],
])("the last word of %s is completed", async ([line, candidates]) => {
  expect((await complete(commands, wordsOf(line))).map((one) => one.split("\t")[0])).toEqual(
    candidates,
  );
});

test("the ids of tasks and of unknown generations are completed from the store, with descriptions", () =>
  inPlace(async (place) => {
    const task = await generate(place, "imgmodelz");
    place.emulator.next({ fault: "resetAfter", on: "generate" });
    await place.run("image A -m imgmodelz -q");
    const completed = async (line: string) => (await place.run(`__complete ${line}`)).stdout;
    expect(await completed("task show ''")).toBe(`${task}\timgmodelz, pending\n`);
    expect(await completed("task show --store other ''")).toBe("");
    expect(await completed("recover --resolve ''")).toMatch(/^[\w-]{36}\timgmodelz, \d{4}-\S+Z\n$/);
    expect(await completed("video --dura")).toMatch(
      /^--duration\tThe length of the video in seconds \(.*\)\n$/,
    );
  }));

test("bash completes words that hold colons and names of files, and zsh asks the same", () =>
  inPlace(async ({ cwd }) => {
    await writeFile(join(cwd, "first.png"), "");
    const completed = async (line: string) => {
      const script = `eval "$(mediagen completion bash)"; COMP_LINE='${line}' COMP_POINT=${line.length}; _mediagen`;
      return (
        await paste(`${script}; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p mediagen`, { cwd })
      ).stdout.split("\n");
    };
    const registered = ["complete -F _mediagen mediagen", ""];
    expect(await completed("mediagen mod")).toEqual(["models", ...registered]);
    expect(await completed("mediagen video -m vidmodelv2 --ratio 16:")).toEqual([
      "9",
      ...registered,
    ]);
    expect(await completed("mediagen video A --image fi")).toEqual(["first.png", ...registered]);
    expect((await paste("mediagen completion zsh")).stdout).toContain("mediagen __complete");
  }));
