import { mkdir, readFile, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { createEmulator } from "@mediagen/emulator";
import { createMediaGen } from "@mediagen/sdk";
import { expect, test, vi } from "vitest";
import { createSavedState } from "../../packages/emulator/src/node/saved-state.ts";
import type { Ended } from "../child.ts";
import { directoryForAll } from "../temporary-directory.ts";
import { runCommand, serve } from "./command-process.ts";

// One after the other: each needs the usual port, which other tests use for a moment.
const home = directoryForAll();

const usualFile = (name: string) => join(home, name, "mediagen/emulator.json");

/** Runs `exec` with options and a script of JavaScript, at the port that the options say. */
function exec(name: string, options: readonly string[], script: string) {
  const env = { ...process.env, XDG_STATE_HOME: join(home, name) };
  const command = [process.execPath, "--input-type=module", "-e", script];
  return runCommand(["--speed", "1000", ...options, "exec", "--", ...command], { env });
}

/** Runs it on the usual port: as soon as no other test has it. */
async function onUsualPort(name: string, script: string): Promise<Ended> {
  const attempt = async () => {
    const ended = await exec(name, [], script).ended;
    if (ended.stderr.includes("port 4020 is in use")) throw new Error("another test has the port");
    return ended;
  };
  return vi.waitFor(attempt, { timeout: 60_000, interval: 200 });
}

const call = `
  const { MEDIAGEN_BASE_URL: base, MEDIAGEN_API_KEY: authorization } = process.env;
  const post = async (path, body, type) => (await fetch(base + path, {
    method: "POST", headers: { authorization, ...(type && { "content-type": type }) }, body })).json();
  const query = (taskid) => post("/v1/images/infobytaskid", JSON.stringify({ taskid }), "application/json");
  const control = (path) => fetch(base + "/_emulator/" + path).then((response) => response.json());
  async function generate() {
    const form = new FormData();
    form.append("prompt", "A fox");
    return (await post("/v1/images/imgmodelz", form)).data.taskid;
  }`;
const generate = `${call} console.log(await generate());`;
const queryOf = (taskid: string) => `${call} console.log((await query("${taskid}")).code);`;

test("exec knows the tasks of an earlier run, each with its results, and each run has all credits", async () => {
  const taskid = (await onUsualPort("kept", generate)).stdout.trim();
  const script = `${call}
    const { data } = await query("${taskid}");
    const image = await fetch(data.url[0]);
    console.log(image.headers.get("content-type"), (await control("snapshot")).credits, await generate());`;
  const { stdout, stderr } = await onUsualPort("kept", script);
  expect([stdout, stderr]).toEqual([
    expect.stringMatching(/^image\/png 1000000000 image-\w+\n$/),
    "",
  ]);
  expect(stdout).not.toContain(taskid);
});

test("exec with --fresh, a seed or a port knows no earlier task, saves none, and has another base URL", async () => {
  const taskid = (await onUsualPort("fresh", generate)).stdout.trim();
  const before = await readFile(usualFile("fresh"), "utf8");
  const script = `${queryOf(taskid)} await generate(); console.log(base);`;
  const elsewhere = expect.stringMatching(/^9999\nhttp:\/\/127\.0\.0\.1:(?!4020\n)\d+\n$/);
  for (const options of [["--fresh"], ["--seed", "7"], ["--port", "0"]])
    expect(await exec("fresh", options, script).ended).toMatchObject({
      code: 0,
      stdout: elsewhere,
      stderr: "",
    });
  expect(await readFile(usualFile("fresh"), "utf8")).toBe(before);
});

test("a run that finds the port in use takes another one, says so, and saves nothing", async () => {
  const other = createServer().listen(4020, "127.0.0.1");
  // Another test may have the port already, which is as good.
  await Promise.race([once(other, "listening"), once(other, "error")]).catch(() => undefined);
  const { stdout, stderr, code } = await exec("two", [], `${generate} console.log(base);`).ended;
  other.close();
  expect([code, stdout]).toEqual([0, expect.not.stringContaining(":4020\n")]);
  expect(stderr).toMatch(/port 4020 is in use\..* later runs will not find its tasks/);
  await expect(readFile(usualFile("two"))).rejects.toMatchObject({ code: "ENOENT" });
});

test("a file has one owner until that is killed: until then, exec saves nothing, and --state exits with 2", async () => {
  await onUsualPort("owned", generate);
  const file = usualFile("owned");
  const owner = await serve(["--state", file]);
  expect(await onUsualPort("owned", generate)).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(
      /emulator\.json is in use by another emulator \(process \d+ on \S+\)\. If that has ended, delete the directory \S+\.lock\. This run saves nothing, .*\n$/,
    ),
  });
  const { code, stderr } = await runCommand(["--port", "0", "--state", file]).ended;
  expect([code, stderr]).toEqual([2, expect.stringContaining("is in use by another emulator")]);
  owner.child.kill("SIGKILL");
  await owner.ended;
  expect(await onUsualPort("owned", generate)).toMatchObject({ code: 0, stderr: "" });
});

test("a file that cannot be used is left as it is, and the command runs at another base URL", async () => {
  const generateAt = `${generate} console.log(base);`;
  const elsewhere = expect.stringMatching(/^image-\S+\nhttp:\/\/127\.0\.0\.1:(?!4020\n)\d+\n$/);
  await mkdir(join(home, "bad/mediagen"), { recursive: true });
  const text = '{"version":2}';
  await writeFile(usualFile("bad"), text);
  expect(await onUsualPort("bad", generateAt)).toMatchObject({
    code: 0,
    stdout: elsewhere,
    stderr: expect.stringContaining(
      "Delete or rename the file to start with an empty state. This run saves nothing",
    ),
  });
  expect(await readFile(usualFile("bad"), "utf8")).toBe(text);
});

test("the file keeps the latest 1,000 tasks, and no media", async () => {
  vi.stubEnv("XDG_STATE_HOME", join(home, "many"));
  const { persist, openUsual } = createSavedState();
  const emulator = createEmulator({ persist, credits: 100_000 });
  await openUsual(emulator, (reason) => expect.fail(reason));
  const media = createMediaGen(emulator.client);
  await Promise.all(
    Array.from({ length: 1_010 }, () => media.image.generate("imgmodelz", { prompt: "A fox" })),
  );
  const text = await readFile(usualFile("many"), "utf8");
  const { tasks, charges } = JSON.parse(text) as {
    readonly tasks: object[];
    readonly charges: object[];
  };
  expect([tasks.length, charges.length, emulator.tasks.length]).toEqual([1_000, 1_000, 1_010]);
  expect(text.length).toBeLessThan(1_000_000);
});
