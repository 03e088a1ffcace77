import { createMediaGen, type MediaGen } from "@mediagen/sdk/node";
import type { WorkerOptions } from "../fleet.ts";

/** What the process was started with. */
export function readWorkerOptions(): WorkerOptions {
  return JSON.parse(process.argv[2] ?? "") as WorkerOptions;
}

/** A client that gives up soon what hangs, and leaves repeating to the queue. */
export function createWorkerClient(): MediaGen {
  const { baseUrl } = readWorkerOptions();
  return createMediaGen({ baseUrl, apiKey: "emulator-key", retries: 0, timeoutMs: 5_000, generateTimeoutMs: 10_000, stallTimeoutMs: 5_000 });
}
