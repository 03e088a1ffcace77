import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createEmulator, listen, type Emulator, type EmulatorServer } from "@mediagen/emulator/node";
import { createMediaGen, fileJournal } from "@mediagen/sdk/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let folder = "";
let path = "";
let emulator: Emulator;
let server: EmulatorServer;
let holdAnswer = () => false;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mediagen-"));
  path = join(folder, "journal.jsonl");
  emulator = createEmulator();
  holdAnswer = () => false;
  const serve: Emulator["serve"] = async (incoming) => {
    const answer = await emulator.serve(incoming);
    return holdAnswer() ? new Promise(() => undefined) : answer;
  };
  server = await listen({ ...emulator, serve });
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** Runs a program of this folder until it has ended or is killed, and answers the lines it printed. */
async function run(program: string, args: readonly string[], signal?: AbortSignal): Promise<readonly string[]> {
  const child = spawn(process.execPath, [resolve("test/sdk/processes", program), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  signal?.addEventListener("abort", () => child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const [code, killedBy] = (await once(child, "close")) as [number | null, string | null];
  expect(killedBy ?? code).toBe(killedBy ? "SIGKILL" : 0);
  return printed.split("\n").filter(Boolean);
}

const generateIn = (given: object, signal?: AbortSignal) =>
  run("generate.ts", [JSON.stringify({ baseUrl: server.baseUrl, path, ...given })], signal);
const clientHere = () =>
  createMediaGen({ baseUrl: server.baseUrl, apiKey: "emulator-key", journal: fileJournal(path) });
const keys = ["one", "two", "three"];

describe("a process killed", () => {
  test.for<[point: string, paid: number, tasks: number, unknown: number]>([
    ["before intent", 1, 1, 0],
    ["within intent", 1, 1, 0],
    ["after intent", 1, 1, 1],
    ["before sending", 1, 1, 1],
    ["before the answer", 2, 1, 1],
    ["after the answer", 2, 1, 1],
    ["before created", 2, 1, 1],
    ["within created", 2, 1, 1],
    ["after created", 2, 2, 0],
  ])(
    "%s: %i paid, %i known as tasks, %i as unknown; and no key is ever paid twice",
    async ([point, paid, tasks, unknown]) => {
      const controller = new AbortController();
      if (point === "before the answer") holdAnswer = () => emulator.charges.length === 2 && (controller.abort(), true);
      expect(await generateIn({ keys, point }, controller.signal)).toEqual([emulator.charges[0]?.taskid]);
      expect(emulator.charges).toHaveLength(paid);
      // The dead process is known to be dead, so this waits for no lease.
      const recovered = await clientHere().recover();
      expect(recovered.tasks.map(({ taskid }) => taskid)).toEqual(
        emulator.charges.slice(0, tasks).map(({ taskid }) => taskid),
      );
      expect(recovered.unknown.map(({ once }) => once)).toEqual(keys.slice(1, 1 + unknown));

      holdAnswer = () => false;
      const again = await generateIn({ keys });
      expect([again[0], again[1] === "OutcomeUnknownError"]).toEqual([emulator.charges[0]?.taskid, unknown > 0]);
      expect(new Set(emulator.charges.map(({ taskid }) => taskid)).size).toBe(emulator.tasks.length);
      expect(emulator.charges).toHaveLength(unknown > 0 ? paid + 1 : 3);
    },
  );
});

test("processes that race for keys, while the journal is compacted, pay for each once and get the same tasks", async () => {
  const raced = Array.from({ length: 6 }, (_, index) => `race-${index}`);
  const at = Date.now() + 700;
  const runs = Promise.all([1, 2, 3].map(() => generateIn({ keys: raced, at })));
  let ended = false;
  const compacting = async () => {
    for (const journal = fileJournal(path); !ended;) await journal.compact();
  };
  const [answers] = await Promise.all([runs.finally(() => (ended = true)), compacting()]);
  expect(emulator.charges).toHaveLength(raced.length);
  for (const answer of answers) expect(answer).toEqual(emulator.charges.map(({ taskid }) => taskid));
});

test("processes that append while others compact lose no entry", async () => {
  const names = ["a", "b", "c"];
  let ended = false;
  const appending = Promise.all(names.map((name) => run("append.ts", [path, name, "40"]))).finally(
    () => (ended = true),
  );
  const compacting = [0, 1].map(async () => {
    const journal = fileJournal(path);
    let count = 0;
    for (; !ended; count++) await journal.compact();
    return count;
  });
  await appending;
  expect(Math.min(...(await Promise.all(compacting)))).toBeGreaterThan(3);
  expect(await readdir(folder)).toEqual(["journal.jsonl"]);
  const ids = (await fileJournal(path).entries()).flatMap((entry) => (entry.type === "intent" ? entry.id : []));
  for (const name of names)
    expect([...new Set(ids.filter((id) => id.startsWith(name)))]).toEqual(
      Array.from({ length: 40 }, (_, i) => `${name}-${i}`),
    );
});
