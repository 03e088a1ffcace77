import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Installs the libraries in their own directory, if others are there. */
export default function setup(): void {
  if (changedAt("package-lock.json") <= changedAt("node_modules/.package-lock.json")) return;
  execFileSync("npm", ["ci", "--ignore-scripts"], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: "inherit",
    shell: process.platform === "win32",
  });
}

function changedAt(name: string): number {
  return statSync(new URL(name, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
