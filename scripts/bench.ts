import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const directory = new URL("../test/bench/", import.meta.url);

/** Installs the peers in their own directory and measures the SDK and them in one run: the rows of the names given, or all. */
export default async function run(args: readonly string[]): Promise<void> {
  const at = { cwd: fileURLToPath(directory), stdio: "inherit" } as const;
  if (changedAt("package-lock.json") > changedAt("node_modules/.package-lock.json")) execFileSync("npm", ["ci"], at);
  execFileSync(process.execPath, [fileURLToPath(import.meta.resolve("typescript/bin/tsc")), "-p", "."], at);
  // By its URL: the workspace's compiler must not follow into a directory whose packages may not be installed. The cast says what is there.
  const { default: bench } = (await import(new URL("bench.ts", directory).href)) as {
    readonly default: (args: readonly string[]) => Promise<void>;
  };
  await bench(args);
}

function changedAt(name: string): number {
  return statSync(new URL(name, directory), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
