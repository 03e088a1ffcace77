import { execFileSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const packages = ["packages/sdk", "packages/emulator", "packages/cli"];

/** Builds the packages where their sources have changed. The compiler is called by path: two of them own the bin `tsc`. */
export default function run(): void {
  const compiler = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));
  const root = fileURLToPath(new URL("..", import.meta.url));
  execFileSync(process.execPath, [compiler, "-b", ...packages], { cwd: root, stdio: "inherit" });
  for (const name of packages) removeOrphans(join(root, name));
}

/** The compiler leaves what it made of a source that is gone, and a package would carry it along. */
function removeOrphans(directory: string): void {
  const sources = new Set(readdirSync(join(directory, "src")).map((name) => name.replace(/\.ts$/, "")));
  for (const name of readdirSync(join(directory, "dist"))) {
    if (name !== ".tsbuildinfo" && !sources.has(name.replace(/\.(d\.ts|js)$/, ""))) rmSync(join(directory, "dist", name));
  }
}
