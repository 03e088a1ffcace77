import { cpSync, rmSync } from "node:fs";
import { installIn } from "../../install-in.ts";

/** Installs the queues in their own directory, and copies the programs of the docs next to them. */
export default function setup(): void {
  const here = import.meta.dirname;
  installIn(here);
  rmSync(`${here}/out`, { recursive: true, force: true });
  cpSync("docs/examples/fleet", `${here}/out`, { recursive: true });
}
