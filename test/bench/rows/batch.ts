import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { inChild, type Measurement, watchCpu, watchMemory } from "../child.ts";
import { aimOf, inTurn, lineOf, withRatio, type Row } from "../table.ts";

interface Given {
  readonly lines: number;
  readonly baseUrl: string;
}

/** Numbers of lines. Memory is flat if the last one needs no more than the first. */
const counts = ["2,000", "10,000"];
const [fewest = "", most = ""] = counts;
const threads = 32;
const manyThreads = `${fewest}, UV_THREADPOOL_SIZE=${threads}`;
const concurrency = 32;
const directory = fileURLToPath(new URL("../../../out/bench/batch/", import.meta.url));
const results = fileURLToPath(new URL("../../../out/bench/batch-results/", import.meta.url));
/** A picture of one pixel, for every line: to draw pictures of its own would take the emulator longer than everything else. */
const picture = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const row: Row = {
  title: "A batch",
  what: `\`runBatch\` with one image per line, \`concurrency: ${concurrency}\`. The emulator is another process, whose time passes a thousand times as fast, and returns one small picture. Each line is checked, recorded, generated, waited for and downloaded. Memory is the peak above what the process had before. On one core, the CPU per line bounds the lines per second: with 5 ms per line, at most 200. One line of the table has ${threads} threads for the file system in place of Node's 4.`,
  limit: "the emulator, which uses the other core, and the disk, which each record waits for.",
  tables: [
    {
      title: "By lines",
      columns: [
        { key: "perSecond", label: "lines/s" },
        { key: "cpuMs", label: "CPU per line, ms", digits: 2 },
        { key: "memoryMb", label: "memory, MB" },
        { key: "memoryMb, growth", label: "times 2,000 lines", digits: 2 },
      ],
    },
  ],
  async measure(scale) {
    mkdirSync(results, { recursive: true });
    writeFileSync(join(results, "default.png"), Buffer.from(picture, "base64"));
    const lines = await inTurn([fewest, manyThreads, most], scale(2), async (name) => {
      await using emulator = await startEmulator();
      const count = name === most ? most : fewest;
      const given: Given = { lines: scale(Number(count.replace(",", ""))), baseUrl: emulator.baseUrl };
      return await inChild("batch", given, name === manyThreads ? { env: { UV_THREADPOOL_SIZE: `${threads}` } } : {});
    });
    for (const made of [directory, results]) rmSync(made, { recursive: true, force: true });
    return [withRatio(lines, fewest, "memoryMb", "memoryMb, growth")];
  },
  aims([table]) {
    const line = lineOf(table?.lines, most);
    return [
      aimOf("lines per second", line, "perSecond", {
        atLeast: 300,
        why: "Each line is recorded durably four times before its results are there, with some ten syncs. Of the client's CPU, a third is Node's file system and more than a quarter its connections, two of which are new for each line. The batch itself takes 2 %.",
        tried: [
          "Synchronous calls of the file system for all but fsync: half of the CPU per record. A loop of its own recorded no more per second.",
          "One file per record, with a line per revision: 20 % less CPU per line. A short write or a damaged sector could have undone what was recorded, so it was not kept.",
          "`fdatasync` in place of `fsync`: no difference.",
        ],
      }),
      aimOf("memory, times 2,000 lines", line, "memoryMb, growth", {
        atMost: 1.25,
        why: "V8 lets its heap grow before it collects. After a collection, the heap has 16 MB at 1,000 lines and 14 MB at 10,000.",
      }),
    ];
  },
};

export const measurement: Measurement<Given> = async ({ lines, baseUrl }) => {
  const { runBatch } = await import("@mediagen/batch");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const input = join(directory, "jobs.jsonl");
  const form = (index: number) => JSON.stringify({ id: `fox-${index}`, model: "imgmodelz", prompt: `A fox ${index}` });
  writeFileSync(input, Array.from({ length: lines }, (_, index) => `${form(index)}\n`).join(""));
  const [memory, cpu] = [watchMemory(), watchCpu()];
  const begin = performance.now();
  let error: string | undefined;
  const { succeeded } = await runBatch(input, join(directory, "out"), {
    apiKey: "emulator-key",
    baseUrl,
    concurrency,
    onLine: (line) => (error ??= line.error?.message),
  });
  const seconds = (performance.now() - begin) / 1_000;
  if (succeeded !== lines) throw new Error(`${succeeded} of ${lines} lines have succeeded: ${error}`);
  return { perSecond: lines / seconds, cpuMs: cpu() / 1_000 / lines, memoryMb: memory() };
};

/** An emulator in a process of its own, whose tasks end within milliseconds. Results expire after a day, which passes in 86 s. */
async function startEmulator(): Promise<AsyncDisposable & { readonly baseUrl: string }> {
  const port = await freePort();
  const command = fileURLToPath(new URL("../../../packages/emulator/dist/command.js", import.meta.url));
  const flags = ["--fresh", "--port", String(port), "--credits", "1e12", "--speed", "1000", "--results", results];
  const child = spawn(process.execPath, [command, ...flags], { stdio: "ignore" });
  const baseUrl = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + 30_000;
  while (!(await fetch(baseUrl).catch(() => undefined))) {
    if (performance.now() > deadline) throw new Error("the emulator has not started");
    await sleep(20);
  }
  return {
    baseUrl,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}
