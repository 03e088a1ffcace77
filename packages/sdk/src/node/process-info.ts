import type { ProcessInfo } from "../store/entries.ts";

/** Returns which process this is, and whether another one has ended. Imports no modules of Node: the kit is also for browsers. */
export function processInfo(): Required<ProcessInfo> & { isRunning: typeof isRunning } {
  const own = { host: process.getBuiltinModule("node:os").hostname(), bootId: bootId(), pid: process.pid };
  return {
    sender: own,
    isRunning,
    // The number may have become another process's: only its absence proves something.
    hasEnded: ({ host, bootId, pid }) =>
      host === own.host && bootId !== undefined && bootId === own.bootId && !isRunning(pid),
  };
}

/** Returns an id of the host's last boot and of the process id namespace, which differs by container. Undefined except on Linux. */
function bootId(): string | undefined {
  const { readFileSync, readlinkSync } = process.getBuiltinModule("node:fs");
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
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

/** Returns the directory in which mediagen's own programs keep their state, as gh chooses it: with one store, a key is billed once. */
export function stateDirectory(): string {
  const { isAbsolute, join } = process.getBuiltinModule("node:path");
  const { XDG_STATE_HOME: state = "", LOCALAPPDATA: local } = process.env;
  if (isAbsolute(state)) return join(state, "mediagen");
  if (process.platform === "win32" && local) return join(local, "mediagen");
  return join(process.getBuiltinModule("node:os").homedir(), ".local", "state", "mediagen");
}
