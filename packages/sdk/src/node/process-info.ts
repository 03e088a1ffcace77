import type { ProcessInfo } from "../store/entries.ts";
import { codeOf, namesIn, newPart } from "./durable-files.ts";

/**
 * Returns which process this is, and whether another one has ended. Imports no modules of Node: the
 * kit is also for browsers.
 */
export function processInfo(): Required<ProcessInfo> {
  const own = {
    host: process.getBuiltinModule("node:os").hostname(),
    bootId: bootId(),
    pid: process.pid,
  };
  return {
    sender: own,
    // The number may have become another process's: only its absence proves something.
    hasEnded: ({ host, bootId, pid }) =>
      host === own.host &&
      bootId !== undefined &&
      bootId === own.bootId &&
      startOf(pid) === undefined,
  };
}

/**
 * Returns an id of the host's last boot and of the process id namespace, which differs by
 * container. Undefined except on Linux.
 */
function bootId(): string | undefined {
  const { readFileSync, readlinkSync } = process.getBuiltinModule("node:fs");
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return undefined;
  }
}

/**
 * Returns when a process has started, in ticks since the boot, or "" except on Linux. Undefined if
 * it has ended.
 */
function startOf(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
    const stat = process.getBuiltinModule("node:fs").readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, ...numbers] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" ? undefined : numbers[18]; // A zombie has ended.
  } catch (error) {
    return codeOf(error) === "ESRCH" ? undefined : "";
  }
}

/**
 * Makes this process the owner of a lock until it releases it or ends. If another process is the
 * owner, returns that in words.
 *
 * A lock is a directory with an empty one that names the owner. Since rename(2) replaces only a
 * missing or empty directory, nobody replaces or removes the lock of another owner, wherever a
 * process is killed or paused.
 */
export function lockFile(path: string): { readonly owner?: string; release(): void } {
  const { mkdirSync, renameSync, rmdirSync, rmSync } = process.getBuiltinModule("node:fs");
  const { host, bootId, pid } = processInfo().sender;
  const name = [host, bootId, pid, startOf(pid), crypto.randomUUID()]
    .join()
    .replace(/[^\w,.-]/g, "_");
  const part = newPart(`${path}/..`);
  const remove = (one: string) => {
    try {
      rmSync(`${path}/${one}`, { recursive: true, force: true });
      rmdirSync(path);
    } catch {
      // There is none, it has another owner, or this process may not remove it.
    }
  };
  const release = () => remove(name);
  for (let tries = 1; ; tries++)
    try {
      const [other] = namesIn(path);
      const owner = other && ownerOf(other, name);
      if (owner) return { owner, release };
      remove(other ?? name);
      mkdirSync(part);
      mkdirSync(`${part}/${name}`);
      renameSync(part, path);
      return { release };
    } catch (error) {
      rmSync(part, { recursive: true, force: true });
      if (tries === 10) throw error; // Before, another process came first.
    }
}

/** Returns the owner of a lock in words, unless it has ended. */
function ownerOf(lock: string, own: string): string | undefined {
  const [host, bootId, pid, start] = lock.split(",");
  const [ownHost, ownBootId] = own.split(",");
  const now = startOf(Number(pid));
  // With another boot or namespace of process ids, this host or container has restarted, because
  // others have other names.
  const hasEnded = bootId !== ownBootId || now === undefined || (now !== "" && now !== start);
  return host === ownHost && hasEnded ? undefined : `process ${pid} on ${host}`;
}

/**
 * Returns the directory in which mediagen's own programs keep their state, as gh chooses it: with
 * one store, a key is billed once.
 */
export function stateDirectory(): string {
  const { isAbsolute, join } = process.getBuiltinModule("node:path");
  const { XDG_STATE_HOME: state = "", LOCALAPPDATA: local } = process.env;
  if (isAbsolute(state)) return join(state, "mediagen");
  if (process.platform === "win32" && local) return join(local, "mediagen");
  return join(process.getBuiltinModule("node:os").homedir(), ".local", "state", "mediagen");
}
