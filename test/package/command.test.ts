import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { useProject } from "./project.ts";

const exec = promisify(execFile);

const project = useProject(["sdk", "emulator", "stores", "batch", "cli"]);
/** That of a script of the project. */
const environment = () => ({
  ...process.env,
  PATH: [
    join(project.directory, "node_modules/.bin"),
    dirname(process.execPath),
    process.env["PATH"],
  ].join(delimiter),
});

test("mediagen, installed in an empty project, makes pictures on the emulator that comes with it", async () => {
  const env = { ...environment(), XDG_STATE_HOME: join(project.directory, "state") };
  const generation = "mediagen image 'A red bicycle' -m imgmodelv4 --batchsize 2 -o pictures/ -q";
  const line = `mediagen emulator --port 0 --speed 50 exec -- ${generation}`;
  const { stdout, stderr } = await exec("sh", ["-c", line], { cwd: project.directory, env });
  const names = await readdir(join(project.directory, "pictures"));
  expect([names.length, stdout, stderr]).toEqual([
    2,
    names.map((name) => `pictures/${name}\n`).join(""),
    "",
  ]);
});

test("mediagen brings four packages and what those depend on, and no more", async () => {
  const installed = (await readdir(join(project.directory, "node_modules"))).filter(
    (name) => !name.startsWith("."),
  );
  expect(installed.join(" ")).toBe(
    "@mediagen any-ascii csv-parse fflate openapi-fetch openapi-typescript-helpers",
  );
});

/**
 * The first program of a README, or the commands of the guide, in a directory with one line of a
 * batch.
 */
const shown = [
  ...["packages/sdk/README.md", "packages/batch/README.md"].map((file) => ({
    file,
    language: "ts",
  })),
  { file: "docs/guides/command-line.md", language: "sh" },
];

test.for(shown)(
  "what $file shows works from an empty directory, and again",
  async ({ file, language }) => {
    const text = await readFile(file, "utf8");
    const blocks = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)\`\`\``, "gm"))].map(
      ([, code = ""]) => code,
    );
    const cwd = join(project.directory, file.replaceAll(/\W/g, "-"));
    await mkdir(cwd);
    await writeFile(
      join(cwd, "jobs.jsonl"),
      '{ "id": "fox", "model": "imgmodelz", "prompt": "A fox" }\n',
    );
    await writeFile(join(cwd, "program.ts"), blocks[0] ?? "");
    const line = language === "ts" ? "node program.ts" : blocks.join("\n");
    const env = { ...environment(), XDG_STATE_HOME: join(cwd, "state") };
    // Each of the guide's commands takes half a second: the second time is each week.
    const isOnce = language === "sh" && process.env["MEDIAGEN_LONG"] === undefined;
    const script = isOnce ? line : `${line}\n${line}`;
    const args = ["--port", "0", "--speed", "100", "exec", "--", "sh", "-e", "-c", script];
    const { stdout, stderr } = await exec("mediagen-emulator", args, { cwd, env });
    if (language === "ts")
      return expect([stderr, await readdir(join(cwd, "out"))]).toMatchObject([
        "",
        { length: file.includes("batch") ? 5 : 1 },
      ]);
    expect(stdout).toMatch(
      /^out\/video-\w+-1\.mp4\nvidmodelv2: [^]*\nUsage: mediagen video [^]*\nPOST http[^]*\nvideo:video-\w+\t(pending|succeeded)\t[^]*\nout\/video-\w+-1\.mp4\n/,
    );
    expect(stdout).toMatch(
      /\n(out\/video-\w+-1\.mp4)\nvideo:video-\w+\tvidmodelv15pro\tsucceeded\t\S+\t\1\n(.*\n)+image:(image-\w+)\nresume\timage:\3\timgmodelz\nrecovered\/\3-1\.png\njobs\/fox-1\.png\n0 paid generations for 1 line\. Nothing was sent\.\n\{\n[^]*"path": "out\/image-\w+-1\.png"/,
    );
  },
);
