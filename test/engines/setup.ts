import { execFileSync } from "node:child_process";
import { cpSync, rmSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Installs the engines in their own directory, if others are there, and copies the programs of the docs next to them. */
export default function setup(): void {
  const here = fileURLToPath(new URL(".", import.meta.url));
  // Not `npm ci`: it misses optional packages of other systems, which npm leaves out of the lockfile.
  if (changedAt("package-lock.json") > changedAt("node_modules/.package-lock.json"))
    execFileSync("npm", ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"], {
      cwd: here,
      stdio: "inherit",
      shell: process.platform === "win32",
    });
  rmSync(`${here}out`, { recursive: true, force: true });
  cpSync("docs/examples/engines", `${here}out/engines`, { recursive: true });
  // The Workflow SDK needs its own build.
  execFileSync(`${here}node_modules/.bin/nitro`, ["build"], { cwd: `${here}workflow-sdk`, stdio: "ignore" });
}

function changedAt(name: string): number {
  return statSync(new URL(name, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
