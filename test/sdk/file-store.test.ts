import fs from "node:fs";
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import {
  fileStore,
  type GenerationEntry,
  type GenerationStore,
  type UnreadableEntry,
} from "@mediagen/sdk/node";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf, errorOf } from "./fake-service.ts";
import { ownDirectory } from "./result-server.ts";

// What every store must do, fileStore passes in test/stores/check.test.ts. These are the files
// themselves.

const root = ownDirectory();
let directory = "";
let store: GenerationStore;
beforeEach(() => {
  directory = join(root.path, "deep", "store");
  store = fileStore(directory);
});

const states = ["claimed", "sending", "created", "unknown", "notCreated", "ended"] as const;
const facts = {
  origin: "https://media.example",
  kind: "image",
  model: "imgmodelz",
  resultCount: 1,
} as const;
const entryOf = (given: Partial<GenerationEntry> = {}): GenerationEntry => ({
  ...{
    version: 1,
    id: crypto.randomUUID(),
    revision: 1,
    attempt: "a",
    state: "claimed",
    createdAt: 1,
    updatedAt: 1,
  },
  ...((given.revision ?? 1) > 1 ? { follows: "a" } : {}),
  ...facts,
  ...given,
});
const listed = async () => {
  const found: (GenerationEntry | UnreadableEntry)[] = [];
  for await (const one of store.list({ states })) found.push(one);
  return found;
};
const directoryOf = (id: string) => join(directory, id.slice(0, 2), id);
const namesOf = (id: string) => readdir(directoryOf(id));
const revisionIn = (name: string) => Number.parseInt(name, 10);
/** The path of the highest revision of an entry. */
const pathOf = async (id: string) =>
  join(
    directoryOf(id),
    (await namesOf(id)).sort((a, b) => revisionIn(a) - revisionIn(b)).at(-1) ?? "",
  );
const files = async () =>
  (await readdir(directory, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );

test("its directory is made at the first write, for its owner alone", async () => {
  expect(await store.get("00")).toBeUndefined();
  expect([await listed(), await store.forget(), await readdir(root.path)]).toEqual([[], 0, []]);
  const entry = entryOf({ reason: "two\nlines – ✓" });
  expect(await store.write(entry)).toEqual({ written: true });
  expect(await fileStore(directory).get(entry.id)).toEqual(entry);
  const modes = [await stat(directory), await stat(await pathOf(entry.id))].map(
    ({ mode }) => mode & 0o777,
  );
  expect([...modes, (await files()).length]).toEqual([0o700, 0o600, 1]);
});

test("no id is a path out of its directory", async () => {
  await writeFile(join(root.path, "1.x.json"), JSON.stringify(entryOf()));
  for (const id of ["../..", "", ".", "aa/../../..", "zz"]) {
    expect(await store.get(id)).toBeUndefined();
    await expect(store.write(entryOf({ id }))).rejects.toThrow(RangeError);
  }
});

test("if nothing can be written, nothing is sent", async () => {
  const file = join(root.path, "file");
  await writeFile(file, "");
  for (const path of [file, join(file, "store")]) {
    const { generate, sent } = clientOf([], { store: fileStore(path) });
    const message = /No task was created|Nothing was sent/;
    for (const key of [undefined, "order-1"])
      expect(await errorOf(generate(key))).toMatchObject({ name: "StoreError", message });
    expect(sent()).toBe(0);
  }
});

test("a list reads the directory and the file of each entry once", async () => {
  /** Counts the calls of a function of node:fs in the store's directory. */
  const counted = (name: "readdirSync" | "readFileSync") => {
    const spy = vi.spyOn(fs, name);
    syncBuiltinESMExports();
    return () => {
      const paths = spy.mock.calls
        .map(([path]) => String(path))
        .filter((path) => path.split(directory)[1]?.slice(4));
      spy.mockRestore();
      syncBuiltinESMExports();
      return paths;
    };
  };
  const entries = Array.from({ length: 20 }, () => entryOf());
  for (const entry of entries) await store.write(entry);
  const directories = counted("readdirSync");
  const texts = counted("readFileSync");
  expect(await listed()).toHaveLength(entries.length);
  expect(directories().sort()).toEqual(entries.map(({ id }) => directoryOf(id)).sort());
  expect(texts()).toHaveLength(entries.length);
});

test("a list lets the process do other work while it reads", async () => {
  for (let index = 0; index < 20; index++) await store.write(entryOf({ id: `aa-${index}` }));
  let clock = 0;
  let turns = 0;
  let isOver = false;
  const now = vi.spyOn(performance, "now").mockImplementation(() => (clock += 5));
  const work = () => {
    turns++;
    if (!isOver) setImmediate(work);
  };
  work();
  await listed().finally(() => {
    isOver = true;
    now.mockRestore();
  });
  // Each entry ends a slice of 5 ms.
  expect(turns).toBeGreaterThanOrEqual(20);
});

describe("what a killed process leaves", () => {
  test("half written, in a temporary file, is no entry, and is removed after an hour", async () => {
    const entry = entryOf({ state: "ended" });
    await store.write(entry);
    const parts = ["1", "2"].map((digit) =>
      join(directory, `.00000000-0000-4000-8000-00000000000${digit}.part`),
    );
    const left = async () =>
      (await readdir(directory)).filter((name) => name.endsWith(".part")).length;
    await writeFile(parts[0] ?? "", '{"version":1,"id"');
    await mkdir(parts[1] ?? "");
    expect([await listed(), await store.forget(), await left()]).toEqual([[entry], 1, 2]);
    for (const part of parts) await utimes(part, new Date(0), new Date(0));
    await store.forget();
    expect(await left()).toBe(0);
  });

  test.for([["tomb", 1, 2, 3], ["tomb", 2, 3], ["tomb", 3], ["tomb"], [2, 3], []] as const)(
    "of an entry that it was forgetting blocks no key: %j",
    async (left) => {
      const entry = entryOf({ state: "notCreated" });
      const revision = (number: number) => entryOf({ ...entry, revision: number });
      for (const number of [1, 2, 3]) await store.write(revision(number));
      const [first = ""] = await namesOf(entry.id);
      await writeFile(join(directoryOf(entry.id), first.replace(/^\d+/, "4")), "null");
      for (const name of await namesOf(entry.id))
        if (!left.some((one) => (one === "tomb" ? 4 : one) === revisionIn(name)))
          await rm(join(directoryOf(entry.id), name));
      expect(await store.get(entry.id)).toBeUndefined();
      expect(await store.write(revision(4))).toEqual({ written: false, current: undefined });
      for (const number of [1, 2])
        expect(await store.write(revision(number))).toEqual({ written: true });
      expect(await namesOf(entry.id)).toHaveLength(2);
    },
  );

  test("of an earlier life of the entry counts for nobody", async () => {
    const entry = entryOf({ state: "notCreated", idempotencyKey: "key" });
    const second = entryOf({ ...entry, revision: 2 });
    await store.write(entry);
    const [name = ""] = await namesOf(entry.id);
    expect(await store.forget({ keyed: true })).toBe(1);
    expect(await readdir(directory)).not.toContain(entry.id);
    await store.write(entry);
    // The link(2) of a writer that read the directory before.
    await writeFile(join(directoryOf(entry.id), name.replace("1.", "2.")), JSON.stringify(second));
    expect(await store.get(entry.id)).toEqual(entry);
    expect(await store.write({ ...second, attempt: "b" })).toEqual({ written: true });
    expect(await store.get(entry.id)).toMatchObject({ attempt: "b" });
  });
});

test.for(["", "{", '"te', "\u0000\u0000"])(
  "a damaged entry, %j, blocks its own key and no other, and is listed as unreadable",
  async (text) => {
    const { generate, media, sent } = clientOf([], { store });
    const { generationId = "" } = await generate("order-1");
    await writeFile(await pathOf(generationId), text);
    expect(await errorOf(generate("order-1"))).toMatchObject({ name: "StoreError" });
    await generate("order-2");
    expect(sent()).toBe(2);
    const unreadable = [{ id: generationId, unreadable: expect.stringContaining("Error") }];
    expect(await media.recover()).toMatchObject({ tasks: [{}], unreadable });
    expect(await store.forget({ keyed: true })).toBe(0);
    expect(await readFile(await pathOf(generationId), "utf8")).toBe(text);
  },
);

test("an entry whose directory cannot be read does not count as none", async () => {
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "aa"), "");
  await expect(store.get("aa-1")).rejects.toMatchObject({ code: "ENOTDIR" });
});

test("other files in the directory are no entries", async () => {
  const entry = entryOf();
  await store.write(entry);
  for (const place of [directory, join(directory, entry.id.slice(0, 2)), directoryOf(entry.id)])
    await writeFile(join(place, ".DS_Store"), "x");
  expect(await listed()).toEqual([entry]);
  expect(await store.write(entryOf({ ...entry, revision: 2 }))).toEqual({ written: true });
});

test("what two processes forget at once is not counted twice, and leaves no file", async () => {
  const ended = Array.from({ length: 40 }, () => entryOf({ state: "ended" }));
  for (const entry of [...ended, entryOf()]) await store.write(entry);
  const counts = await Promise.all([store, fileStore(directory)].map((one) => one.forget()));
  // One that finishes what another one has begun to forget does not count it.
  expect(counts.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(ended.length);
  expect(await files()).toHaveLength(1);
});
