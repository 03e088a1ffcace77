import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Lints the spec, or the file given, by openapi/redocly.yaml. */
export default function run([file = "openapi/openapi.yaml"]: readonly string[]): void {
  // The package exports nothing but its package.json.
  const redocly = join(dirname(createRequire(import.meta.url).resolve("@redocly/cli/package.json")), "bin/cli.js");
  const root = fileURLToPath(new URL("..", import.meta.url));
  execFileSync(process.execPath, [redocly, "lint", "--config", "openapi/redocly.yaml", file], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  });
}
