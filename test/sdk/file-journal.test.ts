import { execFile } from "node:child_process";
import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { compactEntries, fileJournal, type JournalEntry } from "@mediagen/sdk/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { journalledClient, lost } from "./journalled-client.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mediagen-"));
  path = join(folder, "deep", "journal.jsonl");
});
afterEach(() => rm(folder, { recursive: true }));

const unknown = (id: string, why = ""): JournalEntry => ({ type: "unknown", id, at: 0, why });
const intent = (id: string, once?: string): JournalEntry => ({
  type: "intent",
  id,
  at: 0,
  kind: "image",
  model: "m",
  origin: "o",
  results: 1,
  owner: "me",
  until: 1,
  ...(once ? { once } : {}),
});
const idsIn = async (at = path) =>
  (await fileJournal(at).entries()).flatMap((entry) => ("id" in entry ? [entry.id] : []));

describe("a file journal", () => {
  test("is made when first used, for its owner alone, and gives back what was appended, a line each", async () => {
    const journal = fileJournal(path);
    expect(await journal.entries()).toEqual([]);
    await Promise.all([journal.append(unknown("1", "two\nlines – ✓")), journal.append(unknown("2"))]);
    expect(await fileJournal(path).entries()).toEqual([unknown("1", "two\nlines – ✓"), unknown("2")]);
    expect((await readFile(path, "utf8")).match(/\n/g)).toHaveLength(3);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("carries a client from one process to the next", async () => {
    const { generate, errorOf } = journalledClient(fileJournal(path), [
      () => Response.json({ code: 1000, msg: "", data: { taskid: "t-1" } }),
      lost,
    ]);
    await generate("k");
    await errorOf(generate());
    const { media, generate: again, sent } = journalledClient(fileJournal(path));
    expect(await media.recover()).toMatchObject({
      tasks: [{ taskid: "t-1" }],
      unknown: [{ why: expect.stringContaining("HTTP 500") }],
    });
    expect([(await again("k")).taskid, sent()]).toEqual(["t-1", 0]);
  });

  test("writes what is appended at once together, in its order, and each call waits for its own", async () => {
    const journal = fileJournal(path);
    const ids = Array.from({ length: 100 }, (_, i) => String(i));
    await Promise.all(
      ids.map(async (id) => {
        await journal.append(unknown(id));
        expect(await readFile(path, "utf8")).toContain(JSON.stringify(unknown(id)));
      }),
    );
    expect(await idsIn()).toEqual(ids);
    await rm(join(folder, "deep"), { recursive: true });
    await writeFile(join(folder, "deep"), "");
    for (const result of await Promise.allSettled([journal.append(unknown("1")), journal.append(unknown("2"))]))
      expect(result.status).toBe("rejected");
  });

  test("cut off anywhere gives its whole lines, and the next append starts on a fresh one", async () => {
    const journal = fileJournal(path);
    for (const id of ["1", "2"]) await journal.append(unknown(id));
    const text = await readFile(path);
    for (let length = 0; length <= text.length; length++) {
      const cut = join(folder, `cut-${length}`);
      await writeFile(cut, text.subarray(0, length));
      // A line that lacks only its end is whole once another one follows.
      const whole = Math.max(
        0,
        text
          .subarray(0, length + 1)
          .toString()
          .split("\n").length - 2,
      );
      const reopened = fileJournal(cut);
      await reopened.append(unknown("3"));
      expect(await idsIn(cut), `${length} bytes`).toEqual([...["1", "2"].slice(0, whole), "3"]);
      if (length % 7 === 0) await reopened.compact();
      await reopened.append(intent("4"));
      expect((await idsIn(cut)).at(-1)).toBe("4");
    }
  });

  test("writes to no file that is something else, and names the path", async () => {
    for (const text of ["{}\n", "hello", '{"type":"other"}\n']) {
      const other = join(folder, "other");
      await writeFile(other, text);
      await expect(fileJournal(other).append(unknown("1"))).rejects.toThrow("other is no journal");
      expect(await readFile(other, "utf8")).toBe(text);
    }
    await writeFile(join(folder, "later"), '{"type":"journal","version":2}\n');
    await expect(fileJournal(join(folder, "later")).entries()).rejects.toThrow("later version");
    await expect(fileJournal(folder).append(unknown("1"))).rejects.toThrow("EISDIR");
    expect(() => fileJournal("")).toThrow("path");
  });

  test("finds the entries of a key, whoever appended them, also once it was rewritten", async () => {
    const [journal, elsewhere] = [fileJournal(path), fileJournal(path)];
    const find = async (once: string, origin = "o") =>
      (await journal.entriesOf?.(origin, once))?.map((entry) =>
        "id" in entry ? `${entry.type} ${entry.id}` : entry.type,
      );
    await journal.append(intent("1", "a"));
    await elsewhere.append(intent("2", "b"));
    await elsewhere.append({ type: "notCreated", id: "1", at: 0, why: "x".repeat(5_000) });
    await elsewhere.append({ type: "lease", owner: "me", until: 7 });
    await journal.append(intent("3", "a"));
    for (const id of ["1", "3"]) await elsewhere.append(unknown(id));
    expect(await find("a")).toEqual(["intent 1", "notCreated 1", "intent 3", "unknown 1", "unknown 3", "lease"]);
    expect(await journal.entriesOf?.("o", "b")).toMatchObject([
      { id: "2", once: "b" },
      { type: "lease", owner: "me", until: 1 },
    ]);
    expect([await find("c"), await find("a", "other")]).toEqual([[], []]);
    await elsewhere.append({
      type: "created",
      id: "3",
      at: 0,
      task: { version: 1, kind: "image", taskid: "t", origin: "o", results: 1 },
    });
    await elsewhere.compact();
    await elsewhere.append(intent("4", "b"));
    expect([await find("a"), await find("b")]).toEqual([
      ["intent 1", "notCreated 1", "intent 3", "unknown 1", "unknown 3", "created 3", "lease"],
      ["intent 2", "intent 4", "lease"],
    ]);
  });

  test("gives no lease to a process of this machine that is no more", async () => {
    await fileJournal(path).append(intent("1"));
    const { stdout } = await promisify(execFile)(process.execPath, ["-p", "process.pid"]);
    const text = await readFile(path, "utf8");
    expect(await fileJournal(path).entries()).toHaveLength(1);
    await writeFile(path, text.replace(`"pid":${process.pid}`, `"pid":${stdout.trim()}`));
    expect(await fileJournal(path).entries()).toMatchObject([{ id: "1" }, { type: "lease", owner: "me", until: 0 }]);
    await writeFile(
      path,
      text.replace(`"pid":${process.pid}`, `"pid":${stdout.trim()}`).replace(/"host":"[^"]*"/, '"host":"elsewhere"'),
    );
    expect(await fileJournal(path).entries()).toHaveLength(1);
  });
});

describe("compaction", () => {
  test("keeps what is not settled, in one file", async () => {
    const journal = fileJournal(path);
    const client = journalledClient(journal, [
      () => Response.json({ code: 1000, msg: "", data: { taskid: "t-1", url: ["http://localhost/1"] } }),
    ]);
    const tasks = [await client.generate("k"), await client.generate(), await client.generate()];
    await tasks[1]?.check(); // All three are one task here.
    const before = await journal.entries();
    await journal.compact();
    expect(await journal.entries()).toEqual(compactEntries(before));
    expect(await fileJournal(path).entries()).toEqual(compactEntries(before));
    expect(await readdir(join(path, ".."))).toEqual(["journal.jsonl"]);
  });

  test("is followed by a journal that was open before, again and again", async () => {
    const [a, b] = [fileJournal(path), fileJournal(path)];
    for (let round = 0; round < 5; round++) {
      await b.append(intent(`b${round}`));
      await a.compact();
      await a.append(intent(`a${round}`));
    }
    const ids = Array.from({ length: 5 }, (_, round) => [`b${round}`, `a${round}`]).flat();
    expect([await idsIn(), (await b.entries()).length]).toEqual([ids, 10]);
  });

  test("that was killed before it put the new file in place is finished by the next process", async () => {
    const journal = fileJournal(path);
    await journal.append(unknown("dropped"));
    const { size } = await stat(path);
    await writeFile(`${path}.next`, `{"type":"journal","version":1,"id":"next"}\n${JSON.stringify(intent("kept"))}\n`);
    await appendFile(
      path,
      `${JSON.stringify({ type: "moved", at: size, to: "next" })}\n${JSON.stringify(unknown("too late"))}\n`,
    );
    await journal.append(intent("new"));
    expect(await idsIn()).toEqual(["kept", "new"]);
    expect(await readdir(join(path, ".."))).toEqual(["journal.jsonl"]);
  });

  test("that another entry came before does not count", async () => {
    const journal = fileJournal(path);
    await journal.append(unknown("1"));
    const { size } = await stat(path);
    await journal.append(unknown("2"));
    await appendFile(path, `${JSON.stringify({ type: "moved", at: size, to: "next" })}\n`);
    await journal.append(unknown("3"));
    expect(await idsIn()).toEqual(["1", "2", "3"]);
  });

  test("whose new file is gone is told, and nothing is written", async () => {
    const journal = fileJournal(path);
    await journal.append(unknown("1"));
    const { size } = await stat(path);
    await appendFile(path, `${JSON.stringify({ type: "moved", at: size, to: "gone" })}\n`);
    await expect(journal.append(unknown("2"))).rejects.toThrow(/goes on in .*gone/);
    await truncate(path, size);
  });
});
