import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Builds the packages where their sources have changed. The compiler is called by path: two of them own the bin `tsc`. */
export default function run(): void {
  const compiler = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));
  const root = fileURLToPath(new URL("..", import.meta.url));
  execFileSync(process.execPath, [compiler, "-b", "packages/sdk", "packages/emulator"], { cwd: root, stdio: "inherit" });
}
