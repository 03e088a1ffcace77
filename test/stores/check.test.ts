import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { fileStore, type GenerationRecord, type GenerationStore, memoryStore } from "@mediagen/sdk/node";
import { checkStore } from "@mediagen/stores/check";
import { sqliteStore } from "@mediagen/stores/sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let directory = "";
beforeEach(async () => void (directory = await mkdtemp(join(tmpdir(), "mediagen-"))));
afterEach(() => rm(directory, { recursive: true }));

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

/** Mistakes, each in a store that is right in all else. */
type Bad = readonly [create: (memory: GenerationStore) => () => GenerationStore, why: RegExp];
const bad: Readonly<Record<string, Bad>> = {
  "that looks first and inserts then": [
    (memory) => {
      const tables = new Map<string, GenerationRecord>();
      const write: GenerationStore["write"] = async (record) => {
        const current = tables.get(record.id);
        if ((current?.revision ?? 0) !== record.revision - 1) return { written: false, current };
        await undefined; // Another insert comes in between.
        tables.set(record.id, record);
        return { written: true };
      };
      return always({ ...memory, write, get: async (id) => structuredClone(tables.get(id)) });
    },
    /several writes of one revision at once, not exactly one/,
  ],
  "whose stale writer overwrites": [
    (memory) => {
      const late = new Map<string, GenerationRecord>();
      const get: GenerationStore["get"] = async (id) => late.get(id) ?? memory.get(id);
      const write: GenerationStore["write"] = async (record) => {
        const current = await get(record.id);
        if (record.revision === 1 || !current) return memory.write(record);
        late.set(record.id, structuredClone(record)); // update ... where id = $1
        return { written: true };
      };
      return always({ ...memory, get, write });
    },
    /writes a revision that does not follow the stored one/,
  ],
  "that compares the number of the revision alone": [
    (memory) =>
      always({
        ...memory,
        write: async (record) =>
          memory.write(record.revision === 1 ? record : { ...record, follows: (await memory.get(record.id))?.attempt }),
      }),
    /follows another attempt than the stored one/,
  ],
  "that loses a write to a removal": [
    (memory) => {
      const rows = new Map<string, GenerationRecord>();
      const get: GenerationStore["get"] = async (id) => structuredClone(rows.get(id));
      const write: GenerationStore["write"] = async (record) => {
        const current = rows.get(record.id);
        if ((current?.revision ?? 0) !== record.revision - 1) return { written: false, current };
        rows.set(record.id, JSON.parse(JSON.stringify(record)) as GenerationRecord);
        return { written: true };
      };
      const list: GenerationStore["list"] = async function* ({ states }) {
        for (const one of [...rows.values()]) if (states.includes(one.state)) yield one;
      };
      const forget: GenerationStore["forget"] = async ({ keyed = false, before = Infinity } = {}) => {
        const isOld = ({ state, updatedAt, idempotencyKey: key }: GenerationRecord) =>
          ["ended", "notCreated"].includes(state) && updatedAt < before && (keyed || key === undefined);
        const ids = [...rows.values()].filter(isOld).map(({ id }) => id);
        await undefined; // delete ... where id = any($1)
        for (const id of ids) rows.delete(id);
        return ids.length;
      };
      return always({ ...memory, get, write, list, forget });
    },
    /removes a record that was written while it was running/,
  ],
  "that returns before other handles see the record": [
    (memory) => () => {
      const own = new Map<string, GenerationRecord>();
      return {
        ...memory,
        get: async (id) => own.get(id) ?? memory.get(id),
        async write(record) {
          const current = own.get(record.id) ?? (await memory.get(record.id));
          if ((current?.revision ?? 0) !== record.revision - 1) return { written: false, current };
          own.set(record.id, record);
          void pause(20).then(() => memory.write(record));
          return { written: true };
        },
      };
    },
    /does not see at once what another handle wrote/,
  ],
  "that keeps only the columns that it knows": [
    (memory) =>
      always({
        ...memory,
        write: ({ id, revision, attempt, state, version, ...facts }) => {
          const { origin, kind, model, idempotencyKey, resultCount, createdAt, updatedAt, task, sender } = facts;
          const columns = { origin, kind, model, idempotencyKey, resultCount, createdAt, updatedAt, task, sender };
          return memory.write({ id, revision, attempt, state, version, ...columns });
        },
      }),
    /changes the record: digest/,
  ],
  "whose texts end at a zero byte": [
    (memory) =>
      always({
        ...memory,
        write: (record) => memory.write(JSON.parse(JSON.stringify(record).replaceAll("\\u0000", "")) as typeof record),
      }),
    /changes the record: model "\\u0000" comes back as ""/,
  ],
  "whose list ends after a page": [
    (memory) =>
      always({
        ...memory,
        async *list(filter) {
          let count = 0;
          for await (const one of memory.list(filter)) if (++count <= 100) yield one;
        },
      }),
    /misses records/,
  ],
  "whose list ends at a record of a newer version": [
    (memory) =>
      always({
        ...memory,
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
    (memory) =>
      always({ ...memory, list: ({ states }) => memory.list({ states: states.filter((one) => one !== "unknown") }) }),
    /misses records/,
  ],
  "whose records expire": [
    (memory) => {
      const writtenAt = new Map<string, number>();
      return always({
        ...memory,
        write: (record) => (writtenAt.set(record.id, performance.now()), memory.write(record)),
        get: async (id) => (performance.now() - (writtenAt.get(id) ?? 0) < 40 ? memory.get(id) : undefined),
      });
    },
    /gone or has changed after a moment/,
  ],
  "that forgets keys unasked": [
    (memory) => always({ ...memory, forget: (options) => memory.forget({ ...options, keyed: true }) }),
    /forget: resolves to 4 instead of 2/,
  ],
  "that rejects": [
    (memory) => always({ ...memory, write: () => Promise.reject(new Error("no such table")) }),
    /rejected with no such table/,
  ],
};

describe("fails a store", () => {
  test.for(Object.entries(bad))("%s", async ([, [create, why]]) => {
    const { failures } = await checkStore(create(memoryStore()));
    expect(failures.join("\n")).toMatch(why);
  });

  test("that is not empty, and leaves it as it is", async () => {
    const memory = memoryStore();
    await checkStore(always(memory));
    const ids = async () => {
      const found: string[] = [];
      for await (const { id } of memory.list({ states: ["ended", "notCreated", "claimed"] })) found.push(id);
      return found;
    };
    const before = await ids();
    expect((await checkStore(always(memory))).failures).toEqual([expect.stringMatching(/not empty/)]);
    expect(await ids()).toEqual(before);
    expect(before.length).toBeGreaterThan(10);
  });
});

/** Several handles on a store in memory are the store itself. */
function always(store: GenerationStore): () => GenerationStore {
  return () => store;
}
