import { existsSync, writeFileSync } from "node:fs";

/** Ends this process as a crash does, the first time: what it has paid for, its engine does not know yet. */
export function killOnce(): void {
  if (existsSync("killed")) return;
  writeFileSync("killed", "");
  process.kill(process.pid, "SIGKILL");
}
