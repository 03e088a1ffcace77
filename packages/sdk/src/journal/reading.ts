import type { EndEntry, IntentEntry, JournalEntry } from "../task/generation.ts";
import type { TaskJSON } from "../task/task.ts";

/** What a journal says of one generation. */
export interface JournalledGeneration {
  readonly intent: IntentEntry;
  /** `open` while nothing but the intent is known. */
  readonly state: "open" | "created" | "not created" | "unknown";
  /** Where it was created. */
  readonly task?: TaskJSON;
  /** Why it is unknown or not created. */
  readonly why?: string;
  /** Whether a person said that it was not created. */
  readonly byHand?: boolean;
  /** How its task ended, where it has. */
  readonly end?: EndEntry["how"];
}

/** What the entries of a journal say. */
export interface JournalReading {
  /** In the order of their intents. */
  generations(): readonly JournalledGeneration[];
  /** The first generation of a key that was created, or may be; found without looking at the others. */
  withKey(origin: string, once: string): JournalledGeneration | undefined;
  /** Until when each owner counts as alive. */
  readonly leases: ReadonlyMap<string, number>;
}

/**
 * Reads entries in order; one may come twice. The later of two is right, but nothing takes back that a task was created.
 */
export function readEntries(entries: readonly JournalEntry[]): JournalReading {
  const generations = new Map<string, JournalledGeneration>();
  const idsOfKeys = new Map<string, string[]>();
  const leases = new Map<string, number>();
  const ends = new Map<string, EndEntry["how"]>();
  const keyOf = (origin: string, once: string) => JSON.stringify([origin, once]);

  for (const entry of entries) {
    if (entry.type === "lease") leases.set(entry.owner, entry.until);
    else if (entry.type === "end") ends.set(taskKey(entry), entry.how);
    else if (entry.type === "intent") {
      const { id, origin, once, owner, until } = entry;
      if (generations.has(id)) continue;
      generations.set(id, { intent: entry, state: "open" });
      leases.set(owner, until);
      if (once === undefined) continue;
      const ids = idsOfKeys.get(keyOf(origin, once));
      if (ids) ids.push(id);
      else idsOfKeys.set(keyOf(origin, once), [id]);
    } else {
      const found = generations.get(entry.id);
      if (!found || found.state === "created") continue;
      const { intent } = found;
      if (entry.type === "created") generations.set(entry.id, { intent, state: "created", task: entry.task });
      else if (entry.type === "unknown") generations.set(entry.id, { intent, state: "unknown", why: entry.why });
      else generations.set(entry.id, { intent, state: "not created", why: entry.why, byHand: entry.byHand ?? false });
    }
  }

  return {
    generations: () =>
      [...generations.values()].map((one) => {
        const end = one.task && ends.get(taskKey(one.task));
        return end ? { ...one, end } : one;
      }),
    withKey(origin, once) {
      for (const id of idsOfKeys.get(keyOf(origin, once)) ?? []) {
        const found = generations.get(id);
        if (found && found.state !== "not created") return found;
      }
      return undefined;
    },
    leases,
  };
}

/**
 * The entries that still say something: generations under way or of unknown outcome, tasks that have not ended, and tasks
 * with a key, so that it answers them for as long as the journal exists.
 */
export function compactEntries(entries: readonly JournalEntry[]): readonly JournalEntry[] {
  const generations = readEntries(entries).generations();
  const needed = generations.filter(isNeeded);
  const ids = new Set(needed.map(({ intent }) => intent.id));
  const owners = new Set(needed.filter(({ state }) => state === "open").map(({ intent }) => intent.owner));
  const senders = new Set(generations.map(({ intent }) => intent.owner));
  const tasks = new Set(needed.flatMap(({ task }) => (task ? [taskKey(task)] : [])));
  const lastLeases = new Map(entries.flatMap((entry) => (entry.type === "lease" ? [[entry.owner, entry]] : [])));
  return entries.filter((entry) => {
    // A lease without generations holds something else, such as a batch's folder, until it is given back.
    if (entry.type === "lease")
      return (
        (owners.has(entry.owner) || (!senders.has(entry.owner) && entry.until > 0)) &&
        lastLeases.get(entry.owner) === entry
      );
    return entry.type === "end" ? tasks.has(taskKey(entry)) : ids.has(entry.id);
  });
}

function isNeeded({ intent, state, byHand, end }: JournalledGeneration): boolean {
  return state === "not created" ? byHand === true : end === undefined || intent.once !== undefined;
}

function taskKey({ origin, kind, taskid }: Pick<TaskJSON, "origin" | "kind" | "taskid">): string {
  return JSON.stringify([origin, kind, taskid]);
}
