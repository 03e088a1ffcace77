import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("a script on an older Node says in one line what to do", () => {
  const version = 'Object.defineProperty(process.versions, "node", { value: "20.19.0" })';
  const args = ["--import", `data:text/javascript,${version}`, "scripts/check-node.js"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^This is Node .*: run `npm ci` without --ignore-scripts, .*\.\n$/);
});
