import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { durationsInWords } from "../contract/cases.ts";
import { useProject } from "./project.ts";
import { notRun, type Ran, writePrograms } from "./programs.ts";

const exec = promisify(execFile);

const project = useProject(["sdk", "emulator", "stores", "batch", "cli"]);

test("mediagen, installed in an empty project, makes pictures on the emulator that comes with it", async () => {
  // As a script of the project would call it.
  const PATH = `${join(project.directory, "node_modules/.bin")}${delimiter}${process.env["PATH"]}`;
  const env = { ...process.env, PATH, XDG_STATE_HOME: join(project.directory, "state") };
  const generation = "mediagen image 'A red bicycle' -m imgmodelv4 --batchsize 2 -o pictures/ -q";
  const line = `mediagen emulator --port 0 --speed 50 exec -- ${generation}`;
  const { stdout, stderr } = await exec("sh", ["-c", line], { cwd: project.directory, env });
  const names = await readdir(join(project.directory, "pictures"));
  expect([names.length, stdout, stderr]).toEqual([2, names.map((name) => `pictures/${name}\n`).join(""), ""]);
});

test("mediagen brings four packages and what those depend on, and no more", async () => {
  const installed = (await readdir(join(project.directory, "node_modules"))).filter((name) => !name.startsWith("."));
  expect(installed.join(" ")).toBe("@mediagen any-ascii csv-parse fflate openapi-fetch openapi-typescript-helpers");
});

test("mediagen mcp names the package that it needs", async () => {
  // Outside of the repository, whose packages are found from everywhere below it.
  const elsewhere = await mkdtemp(join(tmpdir(), "mediagen-command-"));
  try {
    await cp(join(project.directory, "node_modules"), join(elsewhere, "node_modules"), { recursive: true });
    const args = [join(elsewhere, "node_modules/@mediagen/cli/bin.js"), "mcp", "--output", "media"];
    await expect(exec(process.execPath, args, { cwd: elsewhere })).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^mediagen: mediagen mcp needs the package @mediagen\/mcp\n {2}Install it as the guide says: .*installation\.md/,
      ),
    });
  } finally {
    await rm(elsewhere, { recursive: true });
  }
});

test("every program and command of README and guides works twice in a row, from an empty directory", async () => {
  const programs = await writePrograms(project.directory);
  const list = join(project.directory, "programs.json");
  await writeFile(list, JSON.stringify(programs));
  const [first, second] = [await runAll(list), await runAll(list)];
  const failed = programs.flatMap(({ name }) =>
    [first[name], second[name]].flatMap((ran, run) =>
      ran?.code === 0 ? [] : `${name}, run ${run + 1}: ${ran?.code} ${ran?.stderr}`,
    ),
  );
  expect(failed).toEqual([]);
  // The second run resumes what the first one has saved.
  const taskIn = (ran: Ran | undefined) => /\bvideo-\w+/.exec(ran?.stdout ?? "")?.[0];
  for (const name of ["readme.ts", "paid-once.ts"]) {
    expect(taskIn(first[name]), name).toBeDefined();
    expect(taskIn(second[name]), name).toEqual(taskIn(first[name]));
  }
  const { stdout: commands } = first["docs/guides/command-line.md"] ?? { stdout: "" };
  expect(commands).toMatch(
    /^out\/video-\w+-1\.mp4\nvidmodelv2: [^]*\nUsage: mediagen video [^]*\nPOST http[^]*\nvideo:video-\w+\t(pending|succeeded)\t[^]*\nout\/video-\w+-1\.mp4\n/,
  );
  expect(commands).toMatch(
    /\n(out\/video-\w+-1\.mp4)\nvideo:video-\w+\tvidmodelv15pro\tsucceeded\t\S+\t\1\n(.*\n)+image:(image-\w+)\nresume\timage:\3\timgmodelz\nrecovered\/\3-1\.png\njobs\/fox-1\.png\n0 paid generations for 1 line\. Nothing was sent\.\n\{\n[^]*"path": "out\/image-\w+-1\.png"/,
  );
  expect(commands).toMatch(new RegExp(`duration +--duration +\\d+ +one of ${durationsInWords}\n`));
  expect(await readdir(join(project.directory, "programs/packages-sdk-README-md/out"))).toEqual([
    expect.stringMatching(/\.mp4$/),
  ]);
  expect(Object.keys(notRun).length + programs.length).toBeGreaterThan(20);
}, 240_000);

/** Runs all programs beside one emulator on its usual port, as soon as no other test has it. */
async function runAll(list: string): Promise<Readonly<Record<string, Ran>>> {
  const bin = join(project.directory, "node_modules/.bin");
  const env = {
    ...process.env,
    XDG_STATE_HOME: join(project.directory, "state"),
    PATH: `${bin}${delimiter}${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`,
  };
  const script = resolve("test/package/processes/run-programs.ts");
  return vi.waitFor(
    async () => {
      // Rejects without having run a program if the port is in use.
      const args = ["--speed", "100", "exec", "--", process.execPath, script, list];
      const { stdout, stderr } = await exec("mediagen-emulator", args, { cwd: project.directory, env });
      if (stderr !== "") throw new Error(stderr);
      // The cast: the script prints it.
      return JSON.parse(stdout) as Record<string, Ran>;
    },
    { timeout: 200_000, interval: 500 },
  );
}
