import { execFileSync, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { followChild } from "../../child.ts";
import { directoryForAll } from "../../temporary-directory.ts";

/** The scripts that are run here as the first command after `npm ci`, and what they print. */
const first: Readonly<Record<string, RegExp>> = {
  start: /No money was spent/,
  generate: /up to date/,
  build: /^$/,
  api: /match the built packages/,
  lint: /valid/,
  format: /Finished/,
  diff: /released\.yaml|No changes/i,
  pack: /npm install/,
  docs: /built/,
  mock: /The mock listens/,
};
/** Those that CI runs, that take minutes, that ask npm for a tool, or that make a release. */
const others = [
  "test",
  "test:weekly",
  "test:mutants",
  "test:live",
  "bench",
  "changeset",
  "release",
];

const clone = directoryForAll();
beforeAll(() => {
  execFileSync("git", ["clone", "--quiet", ".", clone]);
  execFileSync("npm", ["ci"], { cwd: clone, stdio: "ignore" });
});

test("every script of package.json is run here or elsewhere", async () => {
  // The cast: npm reads it so.
  const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as { scripts: object };
  expect(Object.keys(scripts).sort()).toEqual([...Object.keys(first), ...others].sort());
});

test.for(Object.entries(first))("npm run %s works in a fresh clone", async ([script, printed]) => {
  execFileSync("git", ["clean", "-xdfq", "--exclude", "node_modules"], { cwd: clone });
  const { child, ended, ...running } = followChild(
    spawn("npm", ["run", "--silent", script], { cwd: clone, detached: true }),
  );
  await running.printed(printed);
  // The mock serves until it is stopped. The minus names all processes that npm has started.
  if (script === "mock") process.kill(-(child.pid ?? 0));
  const { code, stderr } = await ended;
  expect(code, stderr).toBe(script === "mock" ? null : 0);
});
