import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = new URL("../test/bench/", import.meta.url);

/** Installs the peers in their own folder and measures beside them: the rows of the names given, or all. */
export default async function run(args: readonly string[]): Promise<void> {
  const at = { cwd: fileURLToPath(folder), stdio: "inherit" } as const;
  if (changedAt("package-lock.json") > changedAt("node_modules/.package-lock.json")) execFileSync("npm", ["ci"], at);
  execFileSync(process.execPath, [fileURLToPath(import.meta.resolve("typescript/bin/tsc")), "-p", "."], at);
  // By its address: the workspace's compiler must not follow into a folder whose packages may not be installed. The cast says what is there.
  const { default: bench } = (await import(new URL("bench.ts", folder).href)) as {
    readonly default: (args: readonly string[]) => Promise<void>;
  };
  await bench(args);
}

function changedAt(name: string): number {
  return statSync(new URL(name, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
