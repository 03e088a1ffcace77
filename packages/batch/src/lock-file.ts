import { open, rm, utimes, writeFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { processInfo } from "@mediagen/sdk/kit";
import { unless } from "./issues.ts";

/** The interval at which the owner of a lock renews it, and at which others look at it. */
const renewMs = 1_000;
/** After this long without a renewal, a lock is free: its process may have ended on another machine. */
const silentMs = 15_000;

/** A lock of this process, or the other one that has it. */
export type FileLock = { readonly owner?: undefined; release(): Promise<void> } | { readonly owner: string };

/** Creates a lock file, if no process that is alive has it. It takes a second or two if there is one. */
export async function lockFile(path: string, signal?: AbortSignal): Promise<FileLock> {
  const { sender, hasEnded } = processInfo();
  const text = JSON.stringify({ ...sender, id: crypto.randomUUID() });
  const create = async () => writeFile(path, text, { flag: "wx" }).then(() => true, unless("EEXIST", false));
  let before: Awaited<ReturnType<typeof look>>;
  let silent = 0;
  while (!(await create())) {
    const seen = await look(path);
    const owner = seen && ownerIn(seen.text);
    if (seen && before && seen.state !== before.state)
      return { owner: owner ? `process ${owner.pid} on ${owner.host}` : "another process" };
    silent = seen?.state === before?.state ? silent + renewMs : 0;
    if ((owner && hasEnded(owner)) || silent >= silentMs) await removeEnded(path, seen?.state, signal);
    else await setTimeout(renewMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
    before = seen;
  }
  // After a long sleep of this machine, the file may be another process's.
  const isOwn = async () => (await look(path))?.text === text;
  const renew = async () => ((await isOwn()) ? utimes(path, new Date(), new Date()) : clearInterval(renewal));
  const renewal = setInterval(() => void renew().catch(() => undefined), renewMs).unref();
  const release = async () => {
    clearInterval(renewal);
    if (await isOwn()) await rm(path, { force: true });
  };
  return { release };
}

/** Removes a lock file if it is still in this state. One process at a time does so: another would remove the next owner's. */
async function removeEnded(path: string, state: string | undefined, signal?: AbortSignal): Promise<void> {
  const lock = await lockFile(`${path}.removal`, signal);
  if (lock.owner !== undefined) return;
  try {
    if ((await look(path))?.state === state) await rm(path, { force: true });
  } finally {
    await lock.release();
  }
}

/** Returns what a process has written, and a state that each renewal changes. On a network file system, only an opened file has a new one. */
async function look(path: string) {
  const file = await open(path).catch(unless("ENOENT", undefined));
  if (!file) return undefined;
  try {
    const { mtimeMs } = await file.stat();
    const text = await file.readFile("utf8");
    return { text, state: `${mtimeMs} ${text}` };
  } finally {
    await file.close();
  }
}

/** Returns the process that has written a lock; undefined if it was killed while it did so. */
function ownerIn(text: string): ReturnType<typeof processInfo>["sender"] | undefined {
  try {
    // The cast: only this file writes locks.
    return JSON.parse(text) as ReturnType<typeof processInfo>["sender"];
  } catch {
    return undefined;
  }
}
