import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import {
  fileStore,
  type GenerationEntry,
  type GenerationStore,
  memoryStore,
} from "@mediagen/sdk/node";
import { checkStore } from "@mediagen/stores/check";
import { sqliteStore } from "@mediagen/stores/sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../temporary-directory.ts";

let directory = "";
beforeEach(async () => void (directory = await temporaryDirectory()));

describe("passes", () => {
  test.for<[name: string, create: () => () => GenerationStore]>([
    ["memoryStore", () => always(memoryStore())],
    ["fileStore", () => () => fileStore(directory)],
    ["sqliteStore", () => () => sqliteStore(new DatabaseSync(join(directory, "store.sqlite")))],
  ])("%s", async ([, create]) => {
    const { failures, unproven } = await checkStore(create());
    expect(failures).toEqual([]);
    expect(unproven.join()).toMatch(/power failure.*replica.*TTL/s);
  });
});

/**
 * Mistakes, each in a store that is right in all else: what differs in it, or in each of its
 * handles.
 */
type Bad = readonly [
  mistake: (memory: GenerationStore) => Partial<GenerationStore> | (() => GenerationStore),
  why: RegExp,
];
const bad: Readonly<Record<string, Bad>> = {
  "that looks first and inserts then": [
    () => {
      const rows = new Map<string, GenerationEntry>();
      const write: GenerationStore["write"] = async (entry) => {
        const current = rows.get(entry.id);
        if ((current?.revision ?? 0) !== entry.revision - 1) return { written: false, current };
        await undefined; // Another insert comes in between.
        rows.set(entry.id, entry);
        return { written: true };
      };
      return { write, get: async (id) => structuredClone(rows.get(id)) };
    },
    /several writes of one revision at once, not exactly one/,
  ],
  "whose stale writer overwrites": [
    (memory) => {
      const late = new Map<string, GenerationEntry>();
      const get: GenerationStore["get"] = async (id) => late.get(id) ?? memory.get(id);
      const write: GenerationStore["write"] = async (entry) => {
        if (entry.revision === 1 || !(await get(entry.id))) return memory.write(entry);
        late.set(entry.id, structuredClone(entry)); // update ... where id = $1
        return { written: true };
      };
      return { get, write };
    },
    /writes a revision that does not follow the stored one/,
  ],
  "that compares the number of the revision alone": [
    ({ get, write }) => ({
      write: async (entry) =>
        write(entry.revision === 1 ? entry : { ...entry, follows: (await get(entry.id))?.attempt }),
    }),
    /follows another attempt than the stored one/,
  ],
  "that loses a write to a removal": [
    () => {
      const rows = new Map<string, GenerationEntry>();
      const write: GenerationStore["write"] = async (entry) => {
        const current = rows.get(entry.id);
        if ((current?.revision ?? 0) !== entry.revision - 1) return { written: false, current };
        rows.set(entry.id, JSON.parse(JSON.stringify(entry)) as GenerationEntry);
        return { written: true };
      };
      const list: GenerationStore["list"] = async function* ({ states }) {
        for (const one of [...rows.values()]) if (states.includes(one.state)) yield one;
      };
      const forget: GenerationStore["forget"] = async ({
        keyed = false,
        before = Infinity,
      } = {}) => {
        const isOld = ({ state, updatedAt, idempotencyKey: key }: GenerationEntry) =>
          ["ended", "notCreated"].includes(state) &&
          updatedAt < before &&
          (keyed || key === undefined);
        const ids = [...rows.values()].filter(isOld).map(({ id }) => id);
        await undefined; // delete ... where id = any($1)
        for (const id of ids) rows.delete(id);
        return ids.length;
      };
      return { get: async (id) => structuredClone(rows.get(id)), write, list, forget };
    },
    /removes an entry that was written while it was running/,
  ],
  "that returns before other handles see the entry": [
    (memory) => () => {
      const own = new Map<string, GenerationEntry>();
      const get: GenerationStore["get"] = async (id) => own.get(id) ?? memory.get(id);
      const write: GenerationStore["write"] = async (entry) => {
        const current = await get(entry.id);
        if ((current?.revision ?? 0) !== entry.revision - 1) return { written: false, current };
        own.set(entry.id, entry);
        void pause(20).then(() => memory.write(entry));
        return { written: true };
      };
      return { ...memory, get, write };
    },
    /does not see at once what another handle wrote/,
  ],
  "that keeps only the columns that it knows": [
    // A cast: the digest has no column.
    ({ write }) => ({ write: ({ digest: _, ...columns }) => write(columns as GenerationEntry) }),
    /changes the entry: digest/,
  ],
  "whose texts end at a zero byte": [
    ({ write }) => ({
      write: (entry) => write(JSON.parse(JSON.stringify(entry).replaceAll("\\u0000", "")) as never),
    }),
    /changes the entry: model "\\u0000" comes back as ""/,
  ],
  "whose list ends after a page": [
    (memory) => ({
      async *list(filter) {
        let count = 0;
        for await (const one of memory.list(filter)) if (++count <= 100) yield one;
      },
    }),
    /misses entries/,
  ],
  "whose list ends at an entry of a newer version": [
    (memory) => ({
      async *list(filter) {
        for await (const one of memory.list(filter)) {
          if (!("unreadable" in one) && one.version !== 1) throw new TypeError("version 99");
          yield one;
        }
      },
    }),
    /list: rejected with version 99/,
  ],
  "that does not know the state unknown": [
    ({ list }) => ({
      list: ({ states }) => list({ states: states.filter((one) => one !== "unknown") }),
    }),
    /misses entries/,
  ],
  "whose entries expire": [
    (memory) => {
      const writtenAt = new Map<string, number>();
      return {
        write(entry) {
          writtenAt.set(entry.id, performance.now());
          return memory.write(entry);
        },
        get: async (id) =>
          performance.now() - (writtenAt.get(id) ?? 0) < 40 ? memory.get(id) : undefined,
      };
    },
    /gone or has changed after a moment/,
  ],
  "that forgets keys unasked": [
    ({ forget }) => ({ forget: (options) => forget({ ...options, keyed: true }) }),
    /forget: resolves to 4 instead of 2/,
  ],
  "that rejects": [
    () => ({ write: () => Promise.reject(new Error("no such table")) }),
    /rejected with no such table/,
  ],
};

describe("fails a store", () => {
  test.for(Object.entries(bad))("%s", async ([, [mistake, why]]) => {
    const memory = memoryStore();
    const made = mistake(memory);
    const { failures } = await checkStore(
      typeof made === "function" ? made : always({ ...memory, ...made }),
    );
    expect(failures.join("\n")).toMatch(why);
  });

  test("that is not empty, and leaves it as it is", async () => {
    const memory = memoryStore();
    await checkStore(always(memory));
    const ids = async () => {
      const found: string[] = [];
      for await (const { id } of memory.list({ states: ["ended", "notCreated", "claimed"] }))
        found.push(id);
      return found;
    };
    const before = await ids();
    expect((await checkStore(always(memory))).failures).toEqual([
      expect.stringMatching(/not empty/),
    ]);
    expect(await ids()).toEqual(before);
    expect(before.length).toBeGreaterThan(10);
  });
});

/** Several handles on a store in memory are the store itself. */
function always(store: GenerationStore): () => GenerationStore {
  return () => store;
}
