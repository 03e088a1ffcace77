import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessInfo } from "../store/entries.ts";
import { codeOf } from "./durable-files.ts";

export function processInfo(): ProcessInfo {
  const own = { host: hostname(), bootId: bootId(), pid: process.pid };
  return {
    sender: own,
    // The number may have become another process's: only its absence proves something.
    hasEnded: ({ host, bootId, pid }) =>
      host === own.host && bootId !== undefined && bootId === own.bootId && !isRunning(pid),
  };
}

/** Returns an id of the host's last boot and of the process id namespace, which differs by container. Undefined except on Linux. */
function bootId(): string | undefined {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}
