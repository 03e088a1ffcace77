import type {
  GenerationEntry,
  GenerationState,
  GenerationStore,
  UnreadableEntry,
  WriteResult,
} from "@mediagen/sdk";
import { difference, isSame, next, entryOf, unusualEntries } from "./check-entries.ts";

/** Result of `checkStore`. */
export interface StoreReport {
  /** Mistakes of the store, one sentence each. Empty if it passes. */
  readonly failures: readonly string[];
  /**
   * Requirements that no test of a running store can prove, one sentence each. Verify them
   * yourself.
   */
  readonly unproven: readonly string[];
}

type Create = Parameters<typeof checkStore>[0];
/** Adds a failure if the condition is false. */
type Expect = (condition: boolean, failure: string) => void;
type Check = (create: Create, expect: Expect) => Promise<void>;

const unproven: readonly string[] = [
  "Durability: an entry must outlive a crash and a power failure from the moment `write` resolves (fsync, synchronous commit).",
  "Reads from the primary: `get` must never read from a replica or a cache, even one that was up to date during this check.",
  "Expiry: no entry may be removed later, by a TTL, an eviction policy or a cleanup job.",
];

/**
 * Checks an implementation of `GenerationStore`, for its tests. It covers conditional writes, their
 * visibility to other processes, values, lists, and entries that are forgotten while others write
 * them. It takes seconds, and leaves entries behind.
 *
 * @param create Returns a new handle on the same storage, as another process would have it. The
 * storage must be empty.
 * @returns What the store does wrong, and what no test can prove.
 * @throws The error of `create`
 * @example expect((await checkStore(() => postgresStore(pool))).failures).toEqual([]);
 */
export async function checkStore(
  create: () => GenerationStore | Promise<GenerationStore>,
): Promise<StoreReport> {
  const failures = new Set<string>();
  const expect: Expect = (condition, failure) => void (condition || failures.add(failure));
  // The tests below would remove a program's own entries.
  const [found] = await collect(await create(), states).catch((error: unknown) => [
    { id: messageOf(error) },
  ]);
  if (found)
    return { failures: [`Nothing was checked: the storage is not empty (${found.id})`], unproven };
  for (const [what, check] of Object.entries(checks)) {
    await check(create, expect).catch((error: unknown) =>
      failures.add(`${what}: rejected with ${messageOf(error)}`),
    );
  }
  return { failures: [...failures], unproven };
}

const states: readonly GenerationState[] = [
  "claimed",
  "sending",
  "created",
  "unknown",
  "notCreated",
  "ended",
];
/** Number of handles that write concurrently. */
const rivals = 4;
const rounds = 12;
/**
 * Number of entries of each state. Together, they are more than the default page size of any
 * database.
 */
const listed = 24;

const checks: Readonly<Record<string, Check>> = {
  /**
   * Finds the most common mistakes: an insert that is visible too late, and a cached read of a
   * missing entry.
   */
  async "writes of several handles, one after the other"(create, expect) {
    const first = await create();
    const second = await create();
    const entry = entryOf();
    expect(
      (await second.get(entry.id)) === undefined,
      "get: resolves to an entry that was never written",
    );
    expect((await first.write(entry)).written, "write: does not write revision 1 of a new entry");
    const rival = await second.write({ ...entry, attempt: "rival" });
    expect(
      !rival.written,
      "write: writes revision 1 twice: an insert is not visible to other handles at once",
    );
    expect(isCurrent(rival, entry), "write: does not return the stored entry as `current`");
    expect(
      isSame(await second.get(entry.id), entry),
      "get: does not see at once what another handle wrote",
    );
    const update = next(entry, { attempt: "update" });
    expect(
      (await second.write(update)).written,
      "write: does not write revision 2 after revision 1",
    );
    expect(
      isSame(await first.get(entry.id), update),
      "get: does not see at once what another handle wrote over it",
    );
    for (const revision of [1, 2, 4, 12]) {
      const stale = await first.write({
        ...update,
        revision,
        follows: revision > 1 ? "update" : undefined,
      });
      expect(!stale.written, "write: writes a revision that does not follow the stored one");
      expect(isCurrent(stale, update), "write: does not return the stored entry as `current`");
    }
    expect(
      isSame(await second.get(entry.id), update),
      "write: changes an entry although it resolves to written: false",
    );
    const other = await first.write({ ...next(update, {}), follows: entry.attempt });
    expect(
      !other.written,
      "write: writes an entry that follows another attempt than the stored one",
    );
    const orphan = await first.write(next(entryOf(), {}));
    expect(!orphan.written, "write: writes revision 2 of an entry that is not stored");
    expect(isCurrent(orphan, undefined), "write: returns a `current` although nothing is stored");
  },

  /** Of concurrent inserts or updates, exactly one must succeed. */
  async "writes of several handles at once"(create, expect) {
    const handles = await Promise.all(Array.from({ length: rivals }, create));
    for (let round = 0; round < rounds; round++) {
      let stored: GenerationEntry | undefined;
      for (const revision of [1, 2, 3]) {
        const base = stored ?? entryOf();
        const entries: GenerationEntry[] = [];
        const writes = handles.map((handle, index) => {
          const attempt = `${index} of ${round}`;
          const entry = revision === 1 ? { ...base, attempt } : next(base, { attempt });
          entries.push(entry);
          return () => handle.write(entry);
        });
        const results = await inTurns(round, writes);
        const winners = entries.filter((_, index) => results[index]?.written);
        expect(
          winners.length === 1,
          "write: of several writes of one revision at once, not exactly one is written",
        );
        stored = winners[0] ?? base;
        const isRight = results.every((result) => result.written || isCurrent(result, stored));
        expect(
          isRight || winners.length !== 1,
          "write: returns another entry than the one that was written first",
        );
        const read = await Promise.all(handles.map((handle) => handle.get(base.id)));
        const isEverywhere = read.every((one) => isSame(one, stored));
        expect(isEverywhere, "get: handles read different entries after a write");
      }
    }
  },

  async values(create, expect) {
    const writer = await create();
    const reader = await create();
    for (const entry of unusualEntries()) {
      expect(
        (await writer.write(entry)).written,
        "write: does not write an entry with unusual values",
      );
      const read = await reader.get(entry.id);
      const again = await reader.get(entry.id);
      const isKept = isSame(read, entry);
      expect(isKept, `write: changes the entry: ${difference(read, entry)}`);
      if (read) Object.assign(read, { reason: "changed by its reader" });
      const isOwn = isSame(again, entry) && isSame(await writer.get(entry.id), entry);
      expect(!isKept || isOwn, "get: shares an object with its caller");
      const revision = entryOf({ id: entry.id, revision: 2, follows: entry.attempt });
      await writer.write(revision);
      expect(
        isSame(await reader.get(entry.id), revision),
        "write: keeps fields of the revision before",
      );
    }
  },

  async list(create, expect) {
    const writer = await create();
    const reader = await create();
    const keys = Array.from({ length: listed }, (_, index) =>
      index % 2 === 0 ? "key" : undefined,
    );
    const entries = keys.flatMap((idempotencyKey) =>
      states.map((state) => entryOf({ state, idempotencyKey })),
    );
    // An entry of a newer SDK. It may be yielded as an entry or as unreadable, but must not hide
    // the others.
    const newer = { ...entryOf({ state: "created" }), version: 99, task: undefined, further: [1] };
    // The cast: this version has no such entry.
    await writer.write(newer as unknown as GenerationEntry);
    await Promise.all(entries.map((entry) => writer.write(entry)));
    for (const wanted of [
      states,
      ...states.map((state) => [state]),
      [],
      ["created", "unknown"] as const,
    ]) {
      const ids = new Set((await collect(reader, wanted)).map(({ id }) => id));
      const isWanted = ({ state }: GenerationEntry) => wanted.includes(state);
      expect(
        entries.every((entry) => ids.has(entry.id) || !isWanted(entry)),
        "list: misses entries in the states",
      );
      expect(
        entries.every((entry) => !ids.has(entry.id) || isWanted(entry)),
        "list: yields entries in other states",
      );
      expect(
        ids.has(newer.id) || !wanted.includes("created"),
        "list: hides an entry of a newer version",
      );
    }
    const open = new Set((await collect(reader, states, false)).map(({ id }) => id));
    const isListed = ({ id, state, idempotencyKey }: GenerationEntry) =>
      open.has(id) || (state === "ended" && idempotencyKey !== undefined);
    expect(
      entries.every(isListed),
      "list: without `keyed`, it misses entries that have not ended or have no key",
    );
    const [first] = entries;
    const end = first && next(first, { state: "ended" });
    if (end) await writer.write(end);
    const ended = (await collect(reader, ["ended"])).find(({ id }) => id === first?.id);
    expect(isSame(ended, end), "list: does not see at once what was written");
  },

  async forget(create, expect) {
    const store = await create();
    const reader = await create();
    await store.forget({ keyed: true });
    const one = (state: GenerationState, idempotencyKey: string | undefined, updatedAt: number) =>
      entryOf({ state, idempotencyKey, updatedAt });
    const open = states
      .slice(0, 4)
      .flatMap((state) => [one(state, "open", 1), one(state, undefined, 1)]);
    const unkeyed = [one("ended", undefined, 1), one("notCreated", undefined, 1)];
    const keyed = [one("ended", "key", 1), one("notCreated", "key", 1)];
    const late = [one("ended", undefined, 1_000), one("ended", "key", 1_000)];
    for (const entry of [...open, ...unkeyed, ...keyed, ...late]) await store.write(entry);
    const forgets = async (
      options: object | undefined,
      gone: readonly GenerationEntry[],
      what: string,
    ) => {
      const count = await store.forget(options);
      expect(
        count === gone.length,
        `forget: resolves to ${count} instead of ${gone.length} ${what}`,
      );
      for (const { id } of gone)
        expect((await reader.get(id)) === undefined, `forget: does not remove entries ${what}`);
    };
    await forgets({ before: NaN, keyed: true }, [], "before a time that is not a number");
    await forgets({ before: 1_000 }, unkeyed, "without a key and before a time");
    await forgets({ before: 1_000, keyed: true }, keyed, "with a key and before a time");
    await forgets(undefined, late.slice(0, 1), "without a key");
    const kept = await Promise.all([...open, ...late.slice(1)].map(({ id }) => reader.get(id)));
    expect(!kept.includes(undefined), "forget: removes an entry that is open, late or has a key");
    const recreated = entryOf({ id: unkeyed[0]?.id ?? "" });
    const stale = await reader.write(next(recreated, {}));
    expect(!stale.written, "write: writes revision 2 of an entry that was forgotten");
    expect(
      (await reader.write(recreated)).written,
      "write: does not write revision 1 of an entry that was forgotten",
    );
  },

  /**
   * If an attempt takes over a key during `forget`, its entry must stay, or its write must fail.
   */
  async "forget while others write"(create, expect) {
    const forgetter = await create();
    const writer = await create();
    const reader = await create();
    let tookMs = 0;
    for (let round = 0; round < 2 * rounds; round++) {
      const entries = Array.from({ length: rivals }, () =>
        entryOf({ state: "notCreated", idempotencyKey: "key" }),
      );
      for (const entry of entries) await writer.write(entry);
      const start = performance.now();
      const forgetting = forgetter
        .forget({ keyed: true })
        .then(() => (tookMs = performance.now() - start));
      // These delays interleave with the steps of stores in memory and of databases.
      if (round < rounds) for (let turn = 0; turn < 2 * round; turn++) await undefined;
      else await pause((tookMs * (round - rounds)) / rounds);
      const updates = entries.map((entry) => next(entry, { state: "claimed" }));
      const results = await Promise.all(updates.map((update) => writer.write(update)));
      await forgetting;
      for (const [index, update] of updates.entries()) {
        const isWritten = results[index]?.written;
        const stored = await reader.get(update.id);
        expect(
          !isWritten || isSame(stored, update),
          "forget: removes an entry that was written while it was running",
        );
        expect(
          isWritten || !stored || stored.revision === 1,
          "write: writes an entry although it resolves to false",
        );
      }
    }
  },

  /** Runs last, after all other operations. */
  async "entries are kept"(create, expect) {
    const store = await create();
    const entry = entryOf();
    await store.write(entry);
    await store.forget({ keyed: true });
    await pause(50);
    expect(
      isSame(await (await create()).get(entry.id), entry),
      "get: an entry is gone or has changed after a moment",
    );
  },
};

async function collect(
  store: GenerationStore,
  wanted: readonly GenerationState[],
  keyed?: boolean,
): Promise<readonly (GenerationEntry | UnreadableEntry)[]> {
  const found: (GenerationEntry | UnreadableEntry)[] = [];
  for await (const one of store.list({ states: wanted, keyed })) found.push(one);
  return found;
}

/** Starts writes with this many microtask turns between them. */
function inTurns<T>(turns: number, writes: readonly (() => Promise<T>)[]): Promise<readonly T[]> {
  return Promise.all(
    writes.map(async (write, index) => {
      for (let turn = 0; turn < turns * index; turn++) await undefined;
      return write();
    }),
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function isCurrent(result: WriteResult, entry: GenerationEntry | undefined): boolean {
  return result.written || isSame(result.current, entry);
}
