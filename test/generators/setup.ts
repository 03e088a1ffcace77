import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { generateClients } from "./generate.ts";

/** Installs the generators in their own directory, if others are there, and generates the clients. */
export default async function setup(): Promise<void> {
  if (changedAt("package-lock.json") > changedAt("node_modules/.package-lock.json")) {
    execFileSync("npm", ["ci", "--ignore-scripts"], {
      cwd: fileURLToPath(new URL(".", import.meta.url)),
      stdio: "inherit",
      shell: process.platform === "win32",
    });
  }
  await generateClients();
}

function changedAt(name: string): number {
  return statSync(new URL(name, import.meta.url), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
