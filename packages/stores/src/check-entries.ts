import type { GenerationEntry } from "@mediagen/sdk";

/** Returns an entry with a new id. */
export function entryOf(given: Partial<GenerationEntry> = {}): GenerationEntry {
  const state = given.state ?? "claimed";
  const id = crypto.randomUUID();
  const origin = "https://media.example";
  const facts = { version: 1, kind: "image", model: "some-model", origin, resultCount: 1 } as const;
  const task = { ...facts, version: 2, taskid: `task of ${id}`, createdAt: 1 } as const;
  const hasTask = state === "created" || state === "ended";
  const times = { createdAt: 1, updatedAt: 1 };
  return {
    ...facts,
    id,
    revision: 1,
    attempt: "first",
    state,
    ...times,
    ...(hasTask ? { task } : {}),
    ...given,
  };
}

/** Returns the next revision of an entry. */
export function next(entry: GenerationEntry, changed: Partial<GenerationEntry>): GenerationEntry {
  return { ...entry, ...changed, revision: entry.revision + 1, follows: entry.attempt };
}

/**
 * Returns entries with all optional fields, with none, with unknown fields, and with unusual texts
 * and numbers.
 */
export function unusualEntries(): readonly GenerationEntry[] {
  const texts = [
    "",
    " ",
    "null",
    "ä – 漢 – 🦊",
    '\'; drop table "generations"; --',
    "\r\n\t\\\u2028",
    "\u0000",
    "\ud800",
  ];
  const unusual = texts.map((text) => entryOf({ idempotencyKey: text, reason: text, model: text }));
  const sender = { host: "host", bootId: "boot", pid: 1 };
  const all = {
    sender,
    digest: "0".repeat(64),
    reason: "why",
    resolvedByHand: true,
    outcome: "failed",
  } as const;
  const later = { later: { list: [null, 1.5, "x", [], {}], is: false }, "a.b": 0, __proto: null };
  return [
    ...unusual,
    entryOf({ reason: "x".repeat(200_000) }),
    entryOf({ digest: undefined, idempotencyKey: undefined, task: undefined }),
    entryOf({ state: "ended", idempotencyKey: "key", ...all }),
    entryOf({ createdAt: 0, updatedAt: 1_800_000_000_000.25 }),
    entryOf({ createdAt: -1, updatedAt: Number.MAX_SAFE_INTEGER, resolvedByHand: false }),
    Object.assign(entryOf(), later),
  ];
}

/** Whether an entry was read as it was written. An undefined field counts as missing. */
export function isSame(read: unknown, entry: unknown): boolean {
  return canonical(read) === canonical(entry);
}

/** Returns a value as JSON with sorted keys. */
function canonical(value: unknown): string {
  const sorted = (_: string, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one;
  return JSON.stringify(value, sorted) ?? "undefined";
}

/** Describes the first field that differs. */
export function difference(read: GenerationEntry | undefined, entry: GenerationEntry): string {
  if (!read) return "it is not there";
  const given = Object.entries(entry);
  const got = new Map(Object.entries(read));
  const [field, value] = given.find(([name, one]) => !isSame(got.get(name), one)) ?? [];
  const show = (one: unknown) => canonical(one).slice(0, 60);
  return field === undefined
    ? "a field was added"
    : `${field} ${show(value)} comes back as ${show(got.get(field))}`;
}
