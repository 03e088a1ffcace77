import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createEmulator, listen, type Emulator, type EmulatorServer } from "@mediagen/emulator/node";
import { createMediaGen, fileStore } from "@mediagen/sdk/node";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

let directory = "";
let emulator: Emulator;
let server: EmulatorServer;
let holdResponse = () => false;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "mediagen-"));
  emulator = createEmulator();
  holdResponse = () => false;
  const serve: Emulator["serve"] = async (incoming) => {
    const response = await emulator.serve(incoming);
    return holdResponse() ? new Promise(() => undefined) : response;
  };
  server = await listen({ ...emulator, serve });
});
afterEach(async () => {
  await server.close();
  await rm(directory, { recursive: true });
});

/** Runs a process that generates until it has ended or is killed, and resolves to the lines that it printed. */
async function generateIn(given: object, signal?: AbortSignal): Promise<readonly string[]> {
  const options = JSON.stringify({ baseUrl: server.baseUrl, directory, ...given });
  const child = spawn(process.execPath, [resolve("test/sdk/processes/generate.ts"), options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  signal?.addEventListener("abort", () => child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const [code, killedBy] = (await once(child, "close")) as [number | null, string | null];
  expect(killedBy ?? code).toBe(killedBy ? "SIGKILL" : 0);
  return printed.split("\n").filter(Boolean);
}

const clientHere = () =>
  createMediaGen({ baseUrl: server.baseUrl, apiKey: "emulator-key", store: fileStore(directory) });
const keys = ["one", "two", "three"];

describe("a process killed", () => {
  test.for<[point: string, paid: number, tasks: number, unknown: number]>([
    ["before claimed", 1, 1, 0],
    ["after claimed", 1, 1, 0],
    ["before sending", 1, 1, 0],
    ["after sending", 1, 1, 1],
    ["before the response", 2, 1, 1],
    ["after the response", 2, 1, 1],
    ["before created", 2, 1, 1],
    ["after created", 2, 2, 0],
  ])(
    "%s: %i paid, %i known as tasks, %i as unknown; and no key is ever paid twice",
    async ([point, paid, tasks, unknown]) => {
      const controller = new AbortController();
      if (point === "before the response")
        holdResponse = () => emulator.charges.length === 2 && (controller.abort(), true);
      expect(await generateIn({ keys, point }, controller.signal)).toEqual([emulator.charges[0]?.taskid]);
      expect(emulator.charges).toHaveLength(paid);
      // The dead process is known to be dead, so this does not wait until it is silent.
      const start = performance.now();
      const recovered = await clientHere().recover();
      expect(performance.now() - start).toBeLessThan(10_000);
      expect(recovered.tasks.map(({ taskid }) => taskid).sort()).toEqual(
        emulator.charges
          .slice(0, tasks)
          .map(({ taskid }) => taskid)
          .sort(),
      );
      expect(recovered.unknown.map(({ idempotencyKey }) => idempotencyKey)).toEqual(keys.slice(1, 1 + unknown));

      holdResponse = () => false;
      const again = await generateIn({ keys });
      expect(performance.now() - start).toBeLessThan(15_000);
      expect([again[0], again[1] === "OutcomeUnknownError"]).toEqual([emulator.charges[0]?.taskid, unknown > 0]);
      expect(new Set(emulator.charges.map(({ taskid }) => taskid)).size).toBe(emulator.tasks.length);
      expect(emulator.charges).toHaveLength(unknown > 0 ? paid + 1 : 3);
    },
  );
});

test("processes that race for keys, while another one forgets, pay for each once and get the same tasks", async () => {
  const raced = Array.from({ length: 6 }, (_, index) => `race-${index}`);
  const at = Date.now() + 700;
  const runs = Promise.all([1, 2, 3].map(() => generateIn({ keys: raced, at })));
  let ended = false;
  const forgetting = async () => {
    for (const store = fileStore(directory); !ended;) await store.forget({ keyed: true });
  };
  const [printed] = await Promise.all([runs.finally(() => (ended = true)), forgetting()]);
  expect(emulator.charges).toHaveLength(raced.length);
  const taskids = new Map(emulator.tasks.map(({ prompt, taskid }) => [prompt, taskid]));
  for (const one of printed) expect(one).toEqual(raced.map((key) => taskids.get(key)));
});
