import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessInfo } from "../store/session.ts";
import { codeOf } from "./error-code.ts";

/** Tells which process this is, and whether another one of this host has ended. */
export function processInfo(): ProcessInfo {
  const own = { host: hostname(), bootId: bootId(), pid: process.pid };
  return {
    sender: own,
    // The number may have become another process's: only its absence proves something.
    hasEnded: ({ host, bootId, pid }) =>
      host === own.host && bootId !== undefined && bootId === own.bootId && !isRunning(pid),
  };
}

/** What identifies the host's last start and the space of process ids, which containers have of their own; only Linux tells. */
function bootId(): string | undefined {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return undefined;
  }
}

/** Returns what tells this machine, and this container on it, from others. */
export function machineId(): string {
  return `${hostname()} ${bootId() ?? ""}`;
}

/** Returns whether a process of this machine has this number. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}
