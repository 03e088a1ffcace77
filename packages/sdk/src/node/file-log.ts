import { createHash } from "node:crypto";
import { hostname } from "node:os";
import type { JournalLog } from "../journal/journal.ts";
import { compactEntries } from "../journal/reading.ts";
import type { JournalEntry, LeaseEntry } from "../task/generation.ts";
import { createLineFile } from "./line-file.ts";

/** The log of a journal in a file. */
export interface FileLog extends Required<JournalLog> {
  /** Rewrites the file without what is settled. */
  compact(): Promise<void>;
}

/** A log of JSON lines in a file, which is made when it is first used. */
export function createFileLog(path: string): FileLog {
  const index = createIndex();
  const file = createLineFile(path, index);
  let last: Promise<unknown> = Promise.resolve();
  // One after the other in this process; among processes the order of the file's lines decides.
  const inTurn = <T>(next: () => Promise<T>): Promise<T> => {
    const turn = last.then(next);
    // Not what it answered, which may be the whole journal.
    last = turn.then(
      () => undefined,
      () => undefined,
    );
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
  return {
    append: (entry) => append("owner" in entry ? { ...entry, host: hostname(), pid: process.pid } : entry),
    entries: () =>
      inTurn(async () => {
        // The casts: what the file holds was appended here, or by another process that does the same.
        const entries = (await file.all()) as readonly OwnedEntry[];
        return [...entries, ...index.leasesOf(entries).filter(({ until }) => until === 0)];
      }),
    entriesOf: (origin, once) =>
      inTurn(async () => {
        const entries = (await file.at(() => index.placesOf(origin, once))) as readonly OwnedEntry[];
        return [...entries, ...index.leasesOf(entries)];
      }),
    compact: () => inTurn(() => file.rewrite((all) => compactEntries(all as readonly OwnedEntry[]))),
  };
}

/** An entry as it stands in the file: with the process of its owner. */
export type OwnedEntry = JournalEntry & { readonly host?: string; readonly pid?: number };

/** Until when an owner counts as alive, and its process where it is one of this machine. */
interface Lease {
  readonly until: number;
  readonly pid: number | undefined;
}

/** Where the entries of keys stand in the file: of a generation that was created, it holds no more than two places and its key's number. */
function createIndex() {
  const places = new Map<number, readonly number[]>();
  /** The numbers of keys whose generations, by id, may have further entries that matter. */
  const keys = new Map<string, number>();
  const leases = new Map<string, Lease>();
  const here = hostname();
  return {
    restart() {
      places.clear();
      keys.clear();
      leases.clear();
    },
    take(value: object, at: number) {
      // The cast: what the file holds was appended by a journal.
      const entry = value as OwnedEntry;
      if ("owner" in entry)
        leases.set(entry.owner, { until: entry.until, pid: entry.host === here ? entry.pid : undefined });
      if (!("id" in entry)) return;
      if (entry.type === "intent" && entry.once !== undefined) keys.set(entry.id, numberOf(entry.origin, entry.once));
      const key = keys.get(entry.id);
      if (key === undefined) return;
      places.set(key, [...(places.get(key) ?? []), at]);
      if (entry.type === "created") keys.delete(entry.id);
    },
    placesOf: (origin: string, once: string) => places.get(numberOf(origin, once)) ?? [],
    /** The last lease of each owner; one of a process that is no more has ended, so that nobody waits for it. */
    leasesOf(entries: readonly OwnedEntry[]): readonly LeaseEntry[] {
      const owners = new Set(entries.flatMap((entry) => ("owner" in entry ? entry.owner : [])));
      return [...owners].map((owner) => {
        const { until = 0, pid } = leases.get(owner) ?? {};
        if (pid === undefined || lives(pid)) return { type: "lease", owner, until };
        // For good: its number may become another process's.
        leases.set(owner, { until: 0, pid: undefined });
        return { type: "lease", owner, until: 0 };
      });
    },
  };
}

/** The number of a key. Keys may share one: what stands under it is looked at. */
function numberOf(origin: string, once: string): number {
  return createHash("sha256")
    .update(JSON.stringify([origin, once]))
    .digest()
    .readInt32LE();
}

/** Whether there is a process of that number: perhaps another one, so only its absence tells something. */
function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
