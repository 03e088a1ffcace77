import { createMediaGen, type GenerationStore, type MediaGen } from "@mediagen/sdk/node";
import type { WorkerOptions } from "../workers.ts";

/** What the process was started with. It ends with whoever started it. */
export function readWorkerOptions(): WorkerOptions {
  process.once("disconnect", () => process.exit());
  return JSON.parse(process.argv[2] ?? "") as WorkerOptions;
}

/** A client that gives up soon what hangs, and leaves repeating to the queue. */
export function createWorkerClient(baseUrl: string, store: GenerationStore): MediaGen {
  return createMediaGen({
    baseUrl,
    apiKey: "emulator-key",
    retries: 0,
    store,
    queryTimeoutMs: 3_000,
    generateTimeoutMs: 6_000,
  });
}
