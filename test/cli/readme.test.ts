import { execFile } from "node:child_process";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { durationsInWords } from "../contract/cases.ts";
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
      expect.arrayContaining(
        (await linesIn("packages/cli/README.md")).filter((line) => /^(picture=\$\()?mediagen /.test(line)),
      ),
    );
    await writeFile(join(cwd, "jobs.jsonl"), JSON.stringify({ id: "fox", model: "imgmodelz", prompt: "A fox" }));
    await writeFile(join(cwd, "mediagen"), `#!/bin/sh\nexec '${process.execPath}' '${commandFile}' "$@"\n`);
    await chmod(join(cwd, "mediagen"), 0o755);
    const { stdout } = await promisify(execFile)("sh", ["-e", "-c", lines.join("\n")], {
      cwd,
      env: { ...env, PATH: `${cwd}:${process.env["PATH"]}` },
    });
    expect(stdout).toMatch(
      /^out\/video-\w+-1\.mp4\nvidmodelv2: [^]*\nUsage: mediagen video [^]*\nPOST http[^]*\nvideo:video-\w+\t(pending|succeeded)\t[^]*\nout\/video-\w+-1\.mp4\n/,
    );
    expect(stdout).toMatch(
      /\n(out\/video-\w+-1\.mp4)\nvideo:video-\w+\tvidmodelv15pro\tsucceeded\t\S+\t\1\n(.*\n)+image:(image-\w+)\nresume\timage:\3\timgmodelz\nrecovered\/\3-1\.png\njobs\/fox-1\.png\n0 paid generations for 1 line\. Nothing was sent\.\n\{\n[^]*"path": "out\/image-\w+-1\.png"/,
    );
    expect(stdout).toMatch(new RegExp(`duration +--duration +\\d+ +one of ${durationsInWords}\n`));
    const left = ["jobs", "jobs.jsonl", "mediagen", "out", "recovered"];
    expect((await readdir(cwd)).sort()).toEqual(left);
  }));
