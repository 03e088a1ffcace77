import { hostname } from "node:os";
import { compactEntries } from "./generations.ts";
import type { JournalEntry, JournalLog } from "./journal.ts";
import { createLineFile } from "./line-file.ts";

/** The log of a journal in a file. */
export interface FileLog extends Required<JournalLog> {
  /** Rewrites the file without what is settled. */
  compact(): Promise<void>;
}

/** A log of JSON lines in a file, which is made when it is first used. */
export function createFileLog(path: string): FileLog {
  const file = createLineFile(path);
  let last: Promise<unknown> = Promise.resolve();
  // One after the other in this process; among processes the order of the file's lines decides.
  const inTurn = <T>(next: () => Promise<T>): Promise<T> => {
    const turn = last.then(next);
    last = turn.catch(() => undefined);
    return turn;
  };
  /** Entries that wait for their turn: they are written together, for the disk takes as long for many as for one. */
  let waiting: { readonly entries: OwnedEntry[]; readonly appended: Promise<void> } | undefined;
  const append = (entry: OwnedEntry): Promise<void> => {
    if (!waiting) {
      const entries: OwnedEntry[] = [];
      const appended = inTurn(() => {
        waiting = undefined;
        return file.append(entries);
      });
      waiting = { entries, appended };
    }
    waiting.entries.push(entry);
    return waiting.appended;
  };
  const owners: Owners = new Map();
  const read = async (after: unknown, known: Owners) => {
    const { values, place, isWhole } = await file.read(after);
    // The cast: what the file holds was appended here, or by another process that does the same.
    return { entries: endLeasesOfTheDead(values as readonly OwnedEntry[], known), place, isWhole };
  };
  return {
    append: (entry) => append("owner" in entry ? { ...entry, host: hostname(), pid: process.pid } : entry),
    entries: () => inTurn(async () => (await read(undefined, new Map())).entries),
    entriesAfter: (place) => inTurn(() => read(place, owners)),
    compact: () => inTurn(() => file.rewrite((all) => compactEntries(all as readonly OwnedEntry[]))),
  };
}

/** An entry as it stands in the file: with the process of its owner. */
type OwnedEntry = JournalEntry & { readonly host?: string; readonly pid?: number };

/** The processes of this machine that own generations; undefined once one is known to have ended. */
type Owners = Map<string, number | undefined>;

/** The entries, and an end to the leases of processes of this machine that are no more: nobody needs to wait for them. */
function endLeasesOfTheDead(entries: readonly OwnedEntry[], owners: Owners): readonly JournalEntry[] {
  const here = hostname();
  for (const entry of entries) {
    if ("owner" in entry && entry.host === here && entry.pid && !owners.has(entry.owner)) owners.set(entry.owner, entry.pid);
  }
  const ended: JournalEntry[] = [];
  for (const [owner, pid] of owners) {
    if (pid !== undefined && lives(pid)) continue;
    owners.set(owner, undefined);
    ended.push({ type: "lease", owner, until: 0 });
  }
  return [...entries, ...ended];
}

/** Whether there is a process of that number: perhaps another one, so only its absence tells something. */
function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
