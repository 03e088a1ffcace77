import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileStore, type GenerationEntry, type GenerationStore, type UnreadableEntry } from "@mediagen/sdk/node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf, errorOf } from "./fake-service.ts";

// checkStore, which test/stores/check.test.ts runs, covers what every store must do.

let root = "";
let directory = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "mediagen-"));
  directory = join(root, "deep", "store");
});
afterEach(() => rm(root, { recursive: true }));

const states = ["claimed", "sending", "created", "unknown", "notCreated", "ended"] as const;
const recordOf = (given: Partial<GenerationEntry> = {}): GenerationEntry => ({
  version: 1,
  id: crypto.randomUUID(),
  revision: 1,
  attempt: "a",
  state: "claimed",
  origin: "https://media.example",
  kind: "image",
  model: "imgmodelz",
  resultCount: 1,
  createdAt: 1,
  updatedAt: 1,
  ...((given.revision ?? 1) > 1 ? { follows: "a" } : {}),
  ...given,
});
const listed = async (store: GenerationStore) => {
  const found: (GenerationEntry | UnreadableEntry)[] = [];
  for await (const one of store.list({ states })) found.push(one);
  return found;
};
const directoryOf = (id: string) => join(directory, id.slice(0, 2), id);
/** The path of the highest revision of a record. */
const pathOf = async (id: string) => {
  const names = await readdir(directoryOf(id));
  return join(directoryOf(id), names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)).at(-1) ?? "");
};
/** The names of all files in the store. */
const files = async () =>
  (await readdir(directory, { recursive: true, withFileTypes: true })).filter((one) => one.isFile());

describe("a file store", () => {
  test("makes its directory at the first write, for its owner alone", async () => {
    const store = fileStore(directory);
    expect(await store.get("00")).toBeUndefined();
    expect([await listed(store), await store.forget()]).toEqual([[], 0]);
    expect(await readdir(root)).toEqual([]);
    const record = recordOf({ reason: "two\nlines – ✓" });
    expect(await store.write(record)).toEqual({ written: true });
    expect(await fileStore(directory).get(record.id)).toEqual(record);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect((await stat(await pathOf(record.id))).mode & 0o777).toBe(0o600);
    expect(await files()).toHaveLength(1);
  });

  test("takes no id that is a path out of its directory", async () => {
    const store = fileStore(directory);
    await writeFile(join(root, "1.x.json"), JSON.stringify(recordOf()));
    for (const id of ["../..", "", ".", "aa/../../..", "zz"]) {
      expect(await store.get(id)).toBeUndefined();
      await expect(store.write(recordOf({ id }))).rejects.toThrow(RangeError);
    }
  });

  test("rejects where nothing can be written, before anything is sent", async () => {
    const file = join(root, "file");
    await writeFile(file, "");
    for (const path of [file, join(file, "store")]) {
      const { generate, sent } = clientOf([], { store: fileStore(path) });
      for (const key of [undefined, "order-1"]) {
        const message = /No task was created|Nothing was sent/;
        expect(await errorOf(generate(key))).toMatchObject({ name: "StoreError", message });
      }
      expect(sent()).toBe(0);
    }
  });
});

describe("a list", () => {
  /** Counts the calls of a function of node:fs by the directory entry that they name, until `stop`. */
  const counted = (name: "readdirSync" | "readFileSync") => {
    const spy = vi.spyOn(fs, name);
    syncBuiltinESMExports();
    return () => {
      const paths = spy.mock.calls.map(([path]) => String(path)).filter((path) => path.startsWith(directory));
      spy.mockRestore();
      syncBuiltinESMExports();
      return paths;
    };
  };

  test("reads the directory and the file of each record once", async () => {
    const store = fileStore(directory);
    const records = Array.from({ length: 20 }, () => recordOf());
    for (const record of records) await store.write(record);
    const [directories, texts] = [counted("readdirSync"), counted("readFileSync")];
    const found = await listed(store);
    expect(directories().sort()).toEqual(records.map(({ id }) => directoryOf(id)).sort());
    expect(texts()).toHaveLength(records.length);
    expect(found).toHaveLength(records.length);
  });

  test("lets the process do other work while it reads", async () => {
    const store = fileStore(directory);
    for (let index = 0; index < 20; index++) await store.write(recordOf({ id: `aa-${index}` }));
    let clock = 0;
    const now = vi.spyOn(performance, "now").mockImplementation(() => (clock += 5));
    let turns = 0;
    let isOver = false;
    const work = () => (turns++, isOver || setImmediate(work));
    work();
    await listed(store).finally(() => ((isOver = true), now.mockRestore()));
    // Each record ends a slice of 5 ms.
    expect(turns).toBeGreaterThanOrEqual(20);
  });
});

describe("what a killed process leaves", () => {
  test("half written, in a temporary file, is no record, and is removed after an hour", async () => {
    const store = fileStore(directory);
    const record = recordOf({ state: "ended" });
    await store.write(record);
    const parts = ["1", "2"].map((digit) => join(directory, `.00000000-0000-4000-8000-00000000000${digit}.part`));
    await writeFile(parts[0] ?? "", '{"version":1,"id"');
    await mkdir(parts[1] ?? "");
    expect(await listed(store)).toEqual([record]);
    expect(await store.forget()).toBe(1);
    expect((await readdir(directory)).filter((name) => name.endsWith(".part"))).toHaveLength(2);
    for (const part of parts) await utimes(part, new Date(0), new Date(0));
    await store.forget();
    expect((await readdir(directory)).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  test("of a record that it was forgetting blocks no key, whichever file it came to", async () => {
    const store = fileStore(directory);
    for (const left of [["tomb", 1, 2, 3], ["tomb", 2, 3], ["tomb", 3], ["tomb"], [2, 3], []] as const) {
      const record = recordOf({ state: "notCreated" });
      for (const revision of [1, 2, 3]) await store.write(recordOf({ ...record, revision }));
      const [first = ""] = await readdir(directoryOf(record.id));
      const life = first.replace(/^\d+\./, "");
      await writeFile(join(directoryOf(record.id), `4.${life}`), "null");
      for (const name of await readdir(directoryOf(record.id))) {
        const revision = Number.parseInt(name, 10);
        const isLeft = left.some((one) => (one === "tomb" ? revision === 4 : revision === one));
        if (!isLeft) await rm(join(directoryOf(record.id), name));
      }
      expect(await store.get(record.id)).toBeUndefined();
      expect(await store.write(recordOf({ ...record, revision: 4 }))).toEqual({ written: false, current: undefined });
      expect(await store.write(record)).toEqual({ written: true });
      expect(await store.write(recordOf({ ...record, revision: 2 }))).toEqual({ written: true });
      expect(await readdir(directoryOf(record.id))).toHaveLength(2);
    }
  });

  test("that was paused since another life of the record counts for nobody", async () => {
    const store = fileStore(directory);
    const record = recordOf({ state: "notCreated", idempotencyKey: "key" });
    await store.write(record);
    const [name = ""] = await readdir(directoryOf(record.id));
    expect(await store.forget({ keyed: true })).toBe(1);
    expect(await readdir(directory)).not.toContain(record.id);
    await store.write(record);
    // The link(2) of a writer that read the directory before.
    await writeFile(join(directoryOf(record.id), name.replace("1.", "2.")), JSON.stringify({ ...record, revision: 2 }));
    expect(await store.get(record.id)).toEqual(record);
    expect(await store.write(recordOf({ ...record, revision: 2, attempt: "b" }))).toEqual({ written: true });
    expect(await store.get(record.id)).toMatchObject({ attempt: "b" });
  });
});

describe("a damaged record", () => {
  test.for(["", "{", '"text"'.slice(0, 3), "\u0000\u0000"])(
    "%j blocks its own key and no other, and is listed as unreadable",
    async (text) => {
      const store = fileStore(directory);
      const { generate, media, sent } = clientOf([], { store });
      const { generationId = "" } = await generate("order-1");
      await writeFile(await pathOf(generationId), text);
      expect(await errorOf(generate("order-1"))).toMatchObject({ name: "StoreError" });
      await generate("order-2");
      expect(sent()).toBe(2);
      const { tasks, unreadable } = await media.recover();
      expect(tasks).toHaveLength(1);
      expect(unreadable).toEqual([{ id: generationId, unreadable: expect.stringContaining("Error") }]);
      expect(await store.forget({ keyed: true })).toBe(0);
      expect(await readFile(await pathOf(generationId), "utf8")).toBe(text);
    },
  );

  test("is not taken for none if its directory cannot be read", async () => {
    const store = fileStore(directory);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "aa"), "");
    await expect(store.get("aa-1")).rejects.toMatchObject({ code: "ENOTDIR" });
  });

  test("does not come from other files in the directory", async () => {
    const store = fileStore(directory);
    const record = recordOf();
    await store.write(record);
    for (const place of [directory, join(directory, record.id.slice(0, 2)), directoryOf(record.id)]) {
      await writeFile(join(place, ".DS_Store"), "x");
    }
    expect(await listed(store)).toEqual([record]);
    expect(await store.write(recordOf({ ...record, revision: 2 }))).toEqual({ written: true });
  });
});

test("what two processes forget at once is not counted twice, and leaves no file", async () => {
  const stores = [fileStore(directory), fileStore(directory)];
  const ended = Array.from({ length: 40 }, () => recordOf({ state: "ended" }));
  for (const record of [...ended, recordOf()]) await stores[0]?.write(record);
  const counts = await Promise.all(stores.map((store) => store.forget()));
  // One that finishes what another one has begun to forget does not count it.
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(ended.length);
  expect(await files()).toHaveLength(1);
});

test("processes that write the same records at once write each revision once, and lose none", async () => {
  const ids = Array.from({ length: 10 }, () => crypto.randomUUID());
  const revisions = 8;
  const children: ChildProcess[] = [1, 2, 3].map((name) =>
    spawn(
      process.execPath,
      [resolve("test/sdk/processes/count.ts"), directory, String(name), String(revisions), ...ids],
      {
        stdio: ["ignore", "pipe", "inherit"],
      },
    ),
  );
  const printed = await Promise.all(
    children.map(async (child) => {
      let text = "";
      child.stdout?.on("data", (chunk: Buffer) => (text += chunk.toString()));
      expect(await once(child, "close")).toEqual([0, null]);
      return JSON.parse(text) as readonly string[];
    }),
  );
  const won = printed.flat();
  expect(won.toSorted()).toEqual(
    ids.flatMap((id) => Array.from({ length: revisions }, (_, i) => `${id} ${i + 1}`)).sort(),
  );
  const store = fileStore(directory);
  for (const id of ids) expect(await store.get(id)).toMatchObject({ revision: revisions });
  expect((await readdir(directory)).filter((name) => name.endsWith(".part"))).toEqual([]);
});
