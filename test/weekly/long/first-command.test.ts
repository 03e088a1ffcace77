import { execFileSync, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { followChild } from "../../child.ts";
import { pathOfMachine } from "../../path-of-machine.ts";
import { directoryForAll } from "../../temporary-directory.ts";

/** The scripts that are run here as the first command after `npm ci`, and what they print. */
const first: Readonly<Record<string, RegExp>> = {
  start: /No money was spent/,
  generate: /The generated files are up to date/,
  build: /^$/,
  api: /match the built packages/,
  lint: /Your API description is valid/,
  format: /Finished/,
  diff: /released\.yaml|No changes/i,
  pack: /npm install/,
  docs: /built/,
  mock: /The mock listens/,
  release: /has the placeholder/,
  "changeset -- --help": /changeset/,
};
/** Those that npm or CI runs as the first command, or that take minutes. */
const others = ["postinstall", "test", "test:weekly", "test:mutants", "test:live", "bench"];
const exitCodes: Readonly<Record<string, number | null>> = { mock: null, release: 1 };

const clone = directoryForAll();
const env = { ...process.env, PATH: pathOfMachine() };

beforeAll(() => {
  execFileSync("git", ["clone", "--quiet", ".", clone]);
  execFileSync("npm", ["ci"], { cwd: clone, env, stdio: "ignore" });
});

test("every script of package.json is run here or elsewhere", async () => {
  // The cast: npm reads it so.
  const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as { scripts: object };
  const names = Object.keys(first).map((command) => command.split(" ")[0]);
  expect(Object.keys(scripts).sort()).toEqual([...names, ...others].sort());
});

test.for(Object.entries(first))("npm run %s works in a fresh clone", async ([command, printed]) => {
  execFileSync("git", ["clean", "-xdfq", "--exclude", "node_modules"], { cwd: clone });
  const args = ["run", "--silent", ...command.split(" ")];
  const { child, ended, ...running } = followChild(
    spawn("npm", args, { cwd: clone, env, detached: true }),
  );
  if (child.pid === undefined) throw new Error("npm could not be started");
  if (command === "mock") {
    // It serves until it is stopped. The minus names all processes that npm has started.
    await running.printed(printed);
    process.kill(-child.pid);
  }
  const { code, stdout, stderr } = await ended;
  expect(stdout + stderr).toMatch(printed);
  expect(code, stderr).toBe(exitCodes[command] ?? (command === "mock" ? null : 0));
});
