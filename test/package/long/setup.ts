import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Installs Jest in its own directory, if another one is there. */
export default function setup(): void {
  if (changedAt("package-lock.json") <= changedAt("node_modules/.package-lock.json")) return;
  // Not `npm ci`: it misses optional packages of other systems, which npm leaves out of the lockfile.
  execFileSync("npm", ["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: fileURLToPath(new URL("jest", import.meta.url)),
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}

function changedAt(name: string): number {
  return statSync(new URL(`jest/${name}`, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
