import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

test("a script on an older Node says in one line what to do", () => {
  const version = 'Object.defineProperty(process.versions, "node", { value: "20.19.0" })';
  const args = ["--import", `data:text/javascript,${version}`, "scripts/check-node.js"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^This is Node .*: run `npm ci` without --ignore-scripts, .*\.\n$/);
});

test("every script of package.json that reads TypeScript checks the Node first, or builds", async () => {
  // The cast: npm reads it so.
  const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const readsTypeScript = Object.values(scripts).filter((script) => /\.ts\b|vitest/.test(script));
  expect(readsTypeScript.length).toBeGreaterThan(10);
  for (const script of readsTypeScript)
    expect(script).toMatch(/^(node scripts\/check-node\.js|npm run -s build) && /);
});
