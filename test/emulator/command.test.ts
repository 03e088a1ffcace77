import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createMediaGen, type MediaGen, type TaskJSON } from "@mediagen/sdk/node";
import { describe, test, vi } from "vitest";
import { run as runProgram } from "../../packages/emulator/src/node/program.ts";
import type { Ended } from "../child.ts";
import { directoryForAll } from "../temporary-directory.ts";
import { runCommand, serve } from "./command-process.ts";

const directory = directoryForAll();

const form = { prompt: "A fox runs through snow" };
const client = (baseUrl: string, apiKey = "emulator-key"): MediaGen =>
  createMediaGen({ baseUrl, apiKey, statuses: { succeeded: [2], failed: [3] } });
const run = (...args: string[]): Promise<Ended> => runCommand(args).ended;
const script = (text: string) => [
  "exec",
  "--",
  process.execPath,
  "--input-type=module",
  "-e",
  text,
];
/** Runs a script of JavaScript next to the emulator, on any port. */
const exec = (text: string, ...options: string[]) =>
  run("--port", "0", ...options, ...script(text));
/** A script that generates an image, and prints the base URL, the key and the id. */
const generateOne = `
  const { MEDIAGEN_BASE_URL: base, MEDIAGEN_API_KEY: authorization } = process.env;
  const body = new FormData();
  body.append("prompt", "A fox");
  const response = await fetch(base + "/v1/images/imgmodelz", { method: "POST", headers: { authorization }, body });
  console.log([base, authorization, (await response.json()).data.taskid].join(" "));`;

/** Runs the command in this process: one of its own takes a tenth of a second of CPU. */
async function runHere(...args: string[]): Promise<Ended> {
  const { exitCode } = process;
  const spies = [vi.spyOn(console, "log"), vi.spyOn(console, "error")].map((spy) =>
    spy.mockReturnValue(),
  );
  await runProgram(args);
  const code = Number(process.exitCode);
  Object.assign(process, { exitCode });
  const [stdout = "", stderr = ""] = spies.map(({ mock }) =>
    mock.calls.map(([line]) => `${line}\n`).join(""),
  );
  vi.restoreAllMocks();
  return { code, stdout, stderr };
}

const rejected: [args: string[], why: string][] = [
  [["--prot", "1"], "mediagen-emulator: --prot is not a known option. Did you mean --port?\n"],
  [["--fresh=1"], "Option '--fresh' does not take an argument"],
  [["--port", "many"], '--port: "many" is not valid. Use a number from 0 to 65535.'],
  [["--port"], "Option '--port <value>' argument missing"],
  [["--host", "host.invalid"], '--host: "host.invalid" is not an address of this machine.'],
  [["--pending-ms", "soon"], '--pending-ms: "soon" is not valid. Use milliseconds'],
  [["--latency-jitter", "9"], '--latency-jitter: "9" is not valid. Use a number from 0 to 2.'],
  [["--clock", "late"], 'clock: "late" is not valid. Use "auto", "manual"'],
  [["--clock", "auto", "--speed", "9"], "--clock and --speed exclude each other."],
  [["--fresh", "--state", "x.json"], "--fresh and --state exclude each other."],
  [["serve"], '"serve" is not a known command. The only command is exec.'],
  [["exec"], "exec needs a command: mediagen-emulator exec -- COMMAND."],
  [
    ["exec", "npm", "test"],
    "exec needs -- before the command: mediagen-emulator exec -- npm test.",
  ],
  [["--", "npm", "test"], "-- COMMAND needs exec before it: mediagen-emulator exec -- COMMAND."],
  [["--state", "."], "--state: . is a directory. Use the path of a file."],
  [
    ["--state", "no/such/directory/state.json", "exec", "--", "true"],
    "--state: ENOENT: no such file or directory",
  ],
];
test.for(rejected.map((row, index) => [...row, index % 5 === 0 ? run : runHere] as const))(
  "%o exits with 2, and says why",
  async ([args, why, run], { expect }) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(why)]);
    expect(stderr).not.toMatch(/^\s+at /m);
  },
);

describe.concurrent("mediagen-emulator", { timeout: 30_000 }, () => {
  test("--help shows every option, and ends well", async ({ expect }) => {
    const { code, stdout, stderr } = await run("--help");
    expect([code, stderr]).toEqual([0, ""]);
    for (const option of [
      "--port N",
      "--host ADDRESS",
      "--state FILE",
      "--pending-ms TIME",
      "exec -- COMMAND",
    ])
      expect(stdout).toContain(option);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(110);
  });

  test("--version shows the version of the package", async ({ expect }) => {
    const { version } = JSON.parse(await readFile("packages/emulator/package.json", "utf8")) as {
      version: string;
    };
    expect(await run("--version")).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("serves on the loopback until it is stopped, and prints URL and key", async ({ expect }) => {
    const emulator = await serve(["--credits", "7", "--seed", "3"]);
    const [, baseUrl = "", apiKey] =
      /MEDIAGEN_BASE_URL=(\S+) MEDIAGEN_API_KEY=(\S+)\n/.exec(emulator.output.stdout) ?? [];
    expect(baseUrl).toBe(emulator.baseUrl);
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const media = client(baseUrl, apiKey);
    await media.image.generate("imgmodelv4", form);
    await expect(media.image.generate("imgmodelv4", form)).rejects.toMatchObject({ code: 9000 });
    emulator.child.kill("SIGTERM");
    expect(await emulator.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test("exits with 2 if the port is in use", async ({ expect }) => {
    const one = await serve([]);
    const other = await run("--port", new URL(one.baseUrl).port);
    expect(other).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/port \d+ is in use\. Pass another --port/),
    });
    one.child.kill("SIGINT");
    expect(await one.ended).toMatchObject({ code: 0 });
  });

  test("--clock manual lets only the control API advance the time", async ({ expect }) => {
    const emulator = await serve(["--clock", "manual"]);
    const task = await client(emulator.baseUrl).image.generate("imgmodelv4", form);
    expect((await task.check()).state).toBe("pending");
    const init = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"duration":"1m"}',
    };
    await fetch(`${emulator.baseUrl}/_emulator/advance`, init);
    expect((await task.check()).state).toBe("succeeded");
    emulator.child.kill();
    await emulator.ended;
  });
});

describe.concurrent("exec", { timeout: 30_000 }, () => {
  test("sets URL and key for the command, whose ids are new or those of a seed", async ({
    expect,
  }) => {
    const runs = await Promise.all(
      [[], [], ["--seed", "1"], ["--seed", "1"]].map((options) => exec(generateOne, ...options)),
    );
    expect(runs[0]?.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+ emulator-key image-\w+\n$/);
    const [one, other, first, again] = runs.map(({ stdout }) => stdout.split(" ").at(-1));
    expect(one).not.toBe(other);
    expect([first, again]).toEqual(["image-a087ea00b349\n", "image-a087ea00b349\n"]);
  });

  test("passes all arguments after the dashes to the command", async ({ expect }) => {
    const print = [process.execPath, "-e", "console.log(JSON.stringify(process.argv.slice(1)))"];
    const given = ["--port", "a b", "$HOME", "--help"];
    const { stdout } = await run("--port", "0", "exec", "--", ...print, "--", ...given);
    expect(JSON.parse(stdout)).toEqual(given);
  });

  test.for<[string, number, string]>([
    ["the command's code", 7, "process.exit(7)"],
    [
      "128 and the number of the signal",
      137,
      'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)',
    ],
  ])("ends with %s, as a shell does", async ([, code, script], { expect }) => {
    expect(await exec(script)).toMatchObject({ code });
  });

  test("ends with 127 without such a command, as a shell does", async ({ expect }) => {
    expect(await run("--port", "0", "exec", "--", "no-such-command")).toMatchObject({
      code: 127,
      stderr: "mediagen-emulator: could not run no-such-command: command not found.\n",
    });
  });

  test.for(["SIGINT", "SIGTERM"] as const)(
    "passes %s on, serves while the command cleans up, and ends with its code",
    async (signal, { expect }) => {
      const script = `
      process.once("${signal}", async () => {
        const { status } = await fetch(process.env.MEDIAGEN_BASE_URL + "/_emulator/state");
        console.log("cleaned up with " + status);
        process.exit(5);
      });
      setInterval(() => {}, 1000);
      console.log("ready");`;
      const emulator = runCommand(["--port", "0", "exec", "--", process.execPath, "-e", script]);
      await emulator.printed(/ready/);
      emulator.child.kill(signal);
      expect(await emulator.ended).toMatchObject({
        code: 5,
        stdout: "ready\ncleaned up with 200\n",
        stderr: "",
      });
    },
  );
});

describe.concurrent("--state", { timeout: 30_000 }, () => {
  test("keeps tasks, credits and charges across restarts", async ({ expect }) => {
    const file = join(directory, "kept.json");
    const first = await serve(["--state", file, "--credits", "100", "--seed", "5"]);
    const task = await client(first.baseUrl).image.generate("imgmodelv4", {
      ...form,
      batchsize: 2,
    });
    const deleted = await client(first.baseUrl).image.generate("imgmodelv4", form);
    await deleted.delete();
    const before = (await (await fetch(`${first.baseUrl}/_emulator/snapshot`)).json()) as object;
    first.child.kill("SIGKILL");
    await first.ended;

    const second = await serve(["--state", file, "--credits", "5", "--speed", "1000"]);
    const after = (await (await fetch(`${second.baseUrl}/_emulator/snapshot`)).json()) as {
      credits: number;
    };
    expect(after).toEqual({ ...before, now: expect.any(Number), seed: expect.any(Number) });
    expect(after.credits).toBe(85);
    const saved: TaskJSON = { ...task.toJSON(), origin: second.baseUrl };
    expect((await client(second.baseUrl).task(saved).wait()).url).toHaveLength(2);
    await expect(client(second.baseUrl).image.query(deleted.taskid)).rejects.toMatchObject({
      code: 9999,
    });
    second.child.kill("SIGTERM");
    await second.ended;
  });
});

test.for(['{"version":1,"cre', '{"version":2}', ""])(
  "exits with 2 for a file of %j, and leaves it",
  async (text, { expect }) => {
    const file = join(directory, `${text.length}.json`);
    await writeFile(file, text);
    const { code, stderr } = await runHere(
      "--state",
      file,
      "exec",
      "--",
      process.execPath,
      "-e",
      "console.log('ran')",
    );
    const why =
      /is not the state of an emulator.* Delete or rename the file to start with an empty state\.\n$/;
    expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
    expect(await readFile(file, "utf8")).toBe(text);
  },
);
