import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs what a directory's lockfile names, if that has changed since: tools that are kept out of
 * the workspace.
 */
export function installIn(directory: string, { scripts = false } = {}): void {
  const changedAt = (name: string) =>
    statSync(join(directory, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changedAt("package-lock.json") <= changedAt("node_modules/.package-lock.json")) return;
  // Not `npm ci`: it misses optional packages of other systems, which npm leaves out of the
  // lockfile.
  const args = [
    "install",
    "--no-save",
    "--no-audit",
    "--no-fund",
    ...(scripts ? [] : ["--ignore-scripts"]),
  ];
  execFileSync("npm", args, {
    cwd: directory,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}
