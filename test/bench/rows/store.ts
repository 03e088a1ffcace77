import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { GenerationRecord, GenerationStore } from "@mediagen/sdk/node";
import { inChild, type Measurement, watchMemory } from "../child.ts";
import { startDoubles } from "../doubles.ts";
import { aimOf, inTurn, lineOf, type Row, spread } from "../table.ts";

type StoreName = "fileStore" | "memoryStore";

interface Given {
  readonly store: StoreName | typeof reading;
  readonly base: string;
}

const stores: readonly StoreName[] = ["fileStore", "memoryStore"];
const reading = "reading all files, readFileSync";
const generations = 100_000;
/** One generation of so many has no end yet. */
const unfinishedOf = 100;
const directory = fileURLToPath(new URL("../../../out/bench/store/", import.meta.url));
const states = ["claimed", "sending", "created", "unknown", "notCreated", "ended"] as const;

export const row: Row = {
  title: "Listing and recovering generations",
  what: `A store with ${generations.toLocaleString("en")} generations, of which one in ${unfinishedOf} has no end yet. The records are copies of two that a client has written. \`list\` reads all of them, \`recover\` those that a program has to look at. The files are in the cache of the operating system.`,
  limit:
    "for the file store, reading each directory and each record once. The last line does that with readdirSync and readFileSync, and no more.",
  tables: [
    {
      title: "A fresh process",
      columns: [
        { key: "listSeconds", label: "list, s", digits: 2 },
        { key: "recoverSeconds", label: "recover, s", digits: 2 },
        { key: "memoryMb", label: "memory, MB" },
      ],
    },
  ],
  async measure(scale) {
    const doubles = await startDoubles();
    await fill(doubles.base, scale(generations));
    const lines = await inTurn([...stores, reading], scale(3), (store) =>
      inChild("store", { store: store as Given["store"], base: doubles.base } satisfies Given),
    );
    rmSync(directory, { recursive: true, force: true });
    doubles.stop();
    return [lines];
  },
  aims([table]) {
    const least = table?.lines.find((line) => line.name === reading);
    const reads = "A record is a directory and a file, which are read one after the other.";
    const all =
      least && `To read them takes ${spread(least, "listSeconds").median.toFixed(2)} s, as the last line shows.`;
    const why = [reads, ...(all ? [all] : [])].join(" ");
    const tried = [
      "One file per record, with a line per revision: 15 % less CPU. A short write or a damaged sector could have undone what was recorded, so it was not kept.",
      "Reading with the promises of node:fs: more than four times as long.",
    ];
    return stores.flatMap((name) => {
      const missed = name === "fileStore" ? { why, tried } : {};
      const line = lineOf(table?.lines, name);
      return [
        aimOf("list", line, "listSeconds", { atMost: 2, unit: " s", ...missed }),
        aimOf("recover", line, "recoverSeconds", { atMost: 2, unit: " s", ...missed }),
      ];
    });
  },
};

/** Copies two records, one of a task that has ended and one of a task that has not, under other ids. */
async function fill(base: string, count: number): Promise<void> {
  rmSync(directory, { recursive: true, force: true });
  const { createMediaGen, fileStore } = await import("@mediagen/sdk/node");
  const media = createMediaGen({ apiKey: "key", baseUrl: `${base}/media`, store: fileStore(directory) });
  const prompt = "A fox runs through snow";
  const ended = await media.image.generate("imgmodelz", { prompt }, { idempotencyKey: "ended" });
  await ended.wait();
  await media.image.generate("imgmodelz", { prompt }, { idempotencyKey: "created" });
  const templates = readRecords().map(({ id, names, text, record }) => ({ id, names, text, state: record.state }));
  const [pending, done] = ["created", "ended"].map((state) => templates.find((one) => one.state === state));
  if (!pending || !done) throw new Error("the store has not recorded one generation of each state");
  for (let index = 0; index < count; index++) {
    const { id, names, text } = index % unfinishedOf === 0 ? pending : done;
    const copy = randomUUID().replaceAll("-", "").padEnd(64, "0");
    const target = join(directory, copy.slice(0, 2), copy);
    mkdirSync(target, { recursive: true });
    for (const name of names) writeFileSync(join(target, name), name === names.at(-1) ? text.replaceAll(id, copy) : "");
  }
}

/** Every record of the file store, by its files alone. */
function readRecords() {
  return readdirSync(directory).flatMap((shard) =>
    readdirSync(join(directory, shard)).map((id) => {
      const names = readdirSync(join(directory, shard, id)).sort();
      const text = readFileSync(join(directory, shard, id, names.at(-1) ?? ""), "utf8");
      // The cast: the client wrote it.
      return { id, names, text, record: JSON.parse(text) as GenerationRecord };
    }),
  );
}

export const measurement: Measurement<Given> = async ({ store: name, base }) => {
  const { createMediaGen, fileStore, memoryStore } = await import("@mediagen/sdk/node");
  if (name === reading) {
    const begin = performance.now();
    readAll();
    return { listSeconds: (performance.now() - begin) / 1_000 };
  }
  const store = name === "fileStore" ? fileStore(directory) : memoryStore();
  if (name === "memoryStore") await copyInto(store);
  const media = createMediaGen({ apiKey: "key", baseUrl: `${base}/media`, store });
  const memory = watchMemory();
  let begin = performance.now();
  let count = 0;
  for await (const _ of store.list({ states: [...states] })) count++;
  const listSeconds = (performance.now() - begin) / 1_000;
  begin = performance.now();
  const { tasks } = await media.recover();
  const recoverSeconds = (performance.now() - begin) / 1_000;
  if (tasks.length < count / unfinishedOf - 1) throw new Error(`recover found ${tasks.length} of ${count} generations`);
  return { listSeconds, recoverSeconds, memoryMb: memory() };
};

async function copyInto(store: GenerationStore): Promise<void> {
  for (const { record } of readRecords()) {
    const { follows: _, ...first } = record;
    const { written } = await store.write({ ...first, revision: 1 });
    if (!written) throw new Error("the store has not taken a record");
  }
}

/** Reads each directory and each record once, one after the other. */
function readAll(): void {
  for (const shard of readdirSync(directory)) {
    for (const id of readdirSync(join(directory, shard))) {
      const names = readdirSync(join(directory, shard, id));
      JSON.parse(readFileSync(join(directory, shard, id, names.sort().at(-1) ?? ""), "utf8"));
    }
  }
}
