import { execFile } from "node:child_process";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { durationsInWords } from "../contract/cases.ts";
import { renderPicture } from "../../packages/emulator/src/png.ts";
import { exitCodes } from "../../packages/cli/src/exit-codes.ts";
import { commandFile, inPlace } from "./run-command.ts";

test("the README's commands run, and bring what they say", () =>
  inPlace(async ({ cwd, env }) => {
    const script = /```sh\n([^]*?)```/.exec(await readFile("packages/cli/README.md", "utf8"))?.[1] ?? "";
    await writeFile(join(cwd, "first.png"), renderPicture({ width: 64, height: 64, seed: "", text: { title: "", body: "", note: "" } }));
    await writeFile(join(cwd, "jobs.jsonl"), JSON.stringify({ id: "fox", model: "imgmodelz", prompt: "A fox" }));
    await writeFile(join(cwd, "mediagen"), `#!/bin/sh\nexec '${process.execPath}' '${commandFile}' "$@"\n`);
    await chmod(join(cwd, "mediagen"), 0o755);
    const { stdout } = await promisify(execFile)("sh", ["-e", "-c", script], { cwd, env: { ...env, PATH: `${cwd}:${process.env["PATH"]}` } });
    expect(stdout).toMatch(/^fox\.mp4\n(out\/image-\w+-\d\.png\n){4}POST http[^]*\nvideo:video-\w+\t(pending|succeeded)\t[^]*\nlighthouse\.mp4\njobs\/fox-1\.png\nvidmodelv2: /);
    expect(stdout).toMatch(new RegExp(`duration +--duration +\\d+ +${durationsInWords}\n`));
    expect((await readdir(cwd)).sort()).toEqual(["first.png", "fox.mp4", "jobs", "jobs.jsonl", "lighthouse.mp4", "mediagen", "out"]);
  }));

test("the README names every exit code", async () => {
  const codes = [...(await readFile("packages/cli/README.md", "utf8")).matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(exitCodes));
});
