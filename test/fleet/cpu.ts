import { readdirSync, readFileSync } from "node:fs";

/** Linux tells CPU time in hundredths of a second, whatever its kernel counts in. */
const ticksPerMs = 0.1;

interface Process {
  readonly parent: number;
  /** What it has used, and those of its children that have ended. */
  readonly ticks: number;
}

/** Returns how much CPU time processes have used, including all their children, in milliseconds. It needs Linux. */
export function cpuMsOf(pids: readonly number[]): number {
  const all = new Map(
    readdirSync("/proc").flatMap((name) => {
      const process = /^\d+$/.test(name) ? read(name) : undefined;
      return process ? [[Number(name), process]] : [];
    }),
  );
  const isOurs = (pid: number): boolean => pids.includes(pid) || (all.has(pid) && isOurs(all.get(pid)?.parent ?? 0));
  return [...all].reduce((ms, [pid, { ticks }]) => (isOurs(pid) ? ms + ticks / ticksPerMs : ms), 0);
}

function read(pid: string): Process | undefined {
  try {
    // What follows the name, which may contain anything: state, parent, ... (proc(5)).
    const [, parent, ...fields] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    const [user, system, childrenUser, childrenSystem] = fields.slice(9, 13).map(Number);
    return {
      parent: Number(parent),
      ticks: (user ?? 0) + (system ?? 0) + (childrenUser ?? 0) + (childrenSystem ?? 0),
    };
  } catch {
    return undefined; // It has ended.
  }
}
