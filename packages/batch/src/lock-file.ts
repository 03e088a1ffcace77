import { open, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import { unless } from "./issues.ts";

/** The interval at which the owner of a lock renews it, and at which others look at it. */
const renewMs = 1_000;
/** After this long without a renewal, a lock is free: its process may have ended on another machine. */
const silentMs = 15_000;

/** A lock of this process, or the other one that has it. */
export type FileLock = { readonly owner?: undefined; release(): Promise<void> } | { readonly owner: string };

/** Creates a lock file, if no process that is alive has it. It takes a second or two if there is one. */
export async function lockFile(path: string, signal?: AbortSignal): Promise<FileLock> {
  // Distinguishes machines of the same name.
  const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "")).trim();
  const machine = `${hostname()} ${boot}`;
  const text = `${machine}\n${process.pid}`;
  const create = async () => writeFile(path, text, { flag: "wx" }).then(() => true, unless("EEXIST", false));
  let before: Awaited<ReturnType<typeof look>>;
  for (let silent = 0; !(await create()); silent += renewMs) {
    const seen = await look(path);
    if (seen && before && seen.stamp !== before.stamp)
      return { owner: `process ${seen.pid} on ${seen.machine.split(" ")[0]}` };
    const hasEnded = seen?.machine === machine && !isRunning(Number(seen.pid));
    if (hasEnded || silent >= silentMs) await rm(path, { force: true });
    else await setTimeout(renewMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
    before = seen;
  }
  const renewal = setInterval(() => void utimes(path, new Date(), new Date()).catch(() => undefined), renewMs).unref();
  const release = async () => {
    clearInterval(renewal);
    await rm(path, { force: true });
  };
  return { release };
}

/** Returns what a process has written, and when. It opens the file, because `stat` may return an old state on a network file system. */
async function look(path: string) {
  const file = await open(path).catch(unless("ENOENT", undefined));
  if (!file) return undefined;
  try {
    const { mtimeMs: stamp } = await file.stat();
    const [machine = "", pid = ""] = (await file.readFile("utf8")).split("\n");
    return { machine, pid, stamp };
  } finally {
    await file.close();
  }
}

/** Returns whether a process of this machine has this id. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
