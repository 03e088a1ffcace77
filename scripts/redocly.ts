import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Runs Redocly's command line with openapi/redocly.yaml in the project's directory; with `captured`, returns what it printed. */
export function redocly(
  command: string,
  args: readonly string[],
  captured = false,
): { readonly status: number | null; readonly printed: string } {
  // The package exports nothing but its package.json.
  const cli = join(dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json")), "bin/cli.js");
  const { status, stdout } = spawnSync(process.execPath, [cli, command, "--config", "openapi/redocly.yaml", ...args], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    encoding: "utf8",
    stdio: ["ignore", captured ? "pipe" : "inherit", captured ? "pipe" : "inherit"],
    env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  });
  return { status, printed: stdout };
}
