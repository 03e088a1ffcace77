// The service in a process of its own. It sends its address to its parent process, and responds to the messages "count" and "see".
import { createEmulator, listen, type OwnResult } from "@mediagen/emulator/node";
import type { Counts, Seen, ServiceOptions } from "../service.ts";

// The cast: this is what the parent process passes.
const { generateLatencyMs } = JSON.parse(process.argv[2] ?? "") as ServiceOptions;
/** The result of every task, a picture of one pixel: drawing pictures would take longer than everything else. */
const pixel: OwnResult = {
  extension: "png",
  type: "image/png",
  bytes: async () =>
    Uint8Array.from(
      Buffer.from(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "base64",
      ),
    ),
};
const emulator = createEmulator({
  clock: { speed: 1 },
  credits: 1e9,
  behaviour: { callsKept: 20_000, generateLatencyMs },
  results: () => pixel,
});
const { baseUrl } = await listen(emulator);
process.send?.({ baseUrl });
process.on("message", (asked) => process.send?.(asked === "count" ? count() : see()));
process.once("disconnect", () => process.exit());

function count(): Counts {
  const { calls, charges } = emulator.report();
  const queries = Object.entries(calls).filter(([operation]) => operation.startsWith("query"));
  return {
    calls: sum(Object.values(calls)),
    queries: sum(queries.map(([, calls]) => calls)),
    downloads: calls["download"] ?? 0,
    charges: charges.length,
  };
}

function see(): Seen {
  const { calls, charges, tasks } = emulator;
  const paid = new Set(charges.map(({ taskid }) => taskid));
  return {
    ...count(),
    faultyShare: calls.filter(({ fault }) => fault !== undefined).length / calls.length,
    tasks: tasks.flatMap(({ prompt, taskid, createdAt }) =>
      paid.has(taskid) ? [{ id: prompt, taskid, createdAt }] : [],
    ),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
