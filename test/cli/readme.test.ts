import { execFile } from "node:child_process";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { durationsInWords } from "../contract/cases.ts";
import { renderPicture } from "../../packages/emulator/src/media/png.ts";
import { commandFile, inPlace } from "./run-command.ts";

/** The shell lines of a page. */
const linesIn = async (file: string) =>
  [...(await readFile(file, "utf8")).matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block = ""]) =>
    block.trim().split("\n"),
  );

test("the guide's commands do what they say; the README's are among them", () =>
  inPlace(async ({ cwd, env }) => {
    const lines = await linesIn("docs/guides/command-line.md");
    expect(lines.map((line) => line.replace(/ +#.*/, ""))).toEqual(
      expect.arrayContaining((await linesIn("packages/cli/README.md")).filter((line) => line.startsWith("mediagen "))),
    );
    await writeFile(
      join(cwd, "first.png"),
      renderPicture({ width: 64, height: 64, seed: "", text: { title: "", body: "", note: "" } }),
    );
    await writeFile(join(cwd, "jobs.jsonl"), JSON.stringify({ id: "fox", model: "imgmodelz", prompt: "A fox" }));
    await writeFile(join(cwd, "mediagen"), `#!/bin/sh\nexec '${process.execPath}' '${commandFile}' "$@"\n`);
    await chmod(join(cwd, "mediagen"), 0o755);
    const { stdout } = await promisify(execFile)("sh", ["-e", "-c", lines.join("\n")], {
      cwd,
      env: { ...env, PATH: `${cwd}:${process.env["PATH"]}` },
    });
    expect(stdout).toMatch(
      /^fox\.mp4\n(out\/image-\w+-\d\.png\n){4}vidmodelv2: [^]*\nUsage: mediagen video [^]*\nPOST http[^]*\nvideo:video-\w+\t(pending|succeeded)\t[^]*\nlighthouse\.mp4\n/,
    );
    expect(stdout).toMatch(
      /\nlighthouse\.mp4\nvideo:video-\w+\tvidmodelv15pro\tsucceeded\t\S+\tlighthouse\.mp4\n(.*\n)+image:(image-\w+)\nresume\timage:\2\timgmodelz\nrecovered\/\2-1\.png\njobs\/fox-1\.png\n0 paid generations for 1 line\. Nothing was sent\.\n\{\n[^]*"path": "bicycle\.png"/,
    );
    expect(stdout).toMatch(new RegExp(`duration +--duration +\\d+ +one of ${durationsInWords}\n`));
    const left = [
      "bicycle.png",
      "first.png",
      "fox.mp4",
      "jobs",
      "jobs.jsonl",
      "lighthouse.mp4",
      "mediagen",
      "out",
      "recovered",
    ];
    expect((await readdir(cwd)).sort()).toEqual(left);
  }));
