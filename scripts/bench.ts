import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const directory = new URL("../test/bench/", import.meta.url);

/** Installs other SDKs in their own directory, and measures mediagen and them in one run. Runs all rows, or those in `args`. */
export default async function run(args: readonly string[]): Promise<void> {
  const at = { cwd: fileURLToPath(directory), stdio: "inherit" } as const;
  if (changedAt("package-lock.json") > changedAt("node_modules/.package-lock.json")) execFileSync("npm", ["ci"], at);
  execFileSync(process.execPath, [fileURLToPath(import.meta.resolve("typescript/bin/tsc")), "-p", "."], at);
  // By URL, so that the compiler does not read a directory whose packages may be missing. The cast: its default export.
  const { default: bench } = (await import(new URL("bench.ts", directory).href)) as {
    readonly default: (args: readonly string[]) => Promise<void>;
  };
  await bench(args);
}

function changedAt(name: string): number {
  return statSync(new URL(name, directory), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
