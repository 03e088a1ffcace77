import { spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { BatchOptions, BatchSummary } from "@mediagen/batch";

/** The result of a batch in a process of its own. */
export interface BatchEnd extends BatchSummary {
  /** Memory of the heap at its end, and the most memory of the process, in MB. */
  readonly heldMB: number;
  readonly residentMB: number;
}

/** Runs a batch in a process of its own. Undefined if it was killed. */
export async function runBatchIn(
  input: string,
  out: string,
  options: BatchOptions,
  onStart?: (kill: () => void) => void,
): Promise<BatchEnd | undefined> {
  const child = spawn(
    process.execPath,
    [
      "--expose-gc",
      resolve("test/batch/processes/run-batch.ts"),
      JSON.stringify({ input, out, options }),
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  onStart?.(() => child.kill("SIGKILL"));
  const printed = text(child.stdout);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (signal === "SIGKILL") return undefined;
  if (code !== 0) throw new Error(`the batch ended with ${signal ?? code}`);
  return JSON.parse(await printed) as BatchEnd;
}
