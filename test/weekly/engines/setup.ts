import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { installIn } from "../../install-in.ts";

/**
 * Installs the engines in their own directory, and copies the programs of the docs next to them.
 */
export default function setup(): void {
  const here = import.meta.dirname;
  installIn(here);
  rmSync(`${here}/out`, { recursive: true, force: true });
  cpSync("docs/examples/engines", `${here}/out/engines`, { recursive: true });
  // The Workflow SDK needs its own build.
  execFileSync(`${here}/node_modules/.bin/nitro`, ["build"], {
    cwd: `${here}/workflow-sdk`,
    stdio: "ignore",
  });
}
