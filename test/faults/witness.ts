import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createMediaGen,
  type GenerationEntry,
  InsufficientCreditsError,
  type MediaGenOptions,
  memoryStore,
  ServiceError,
} from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import { vi } from "vitest";
import { shown } from "../shown.ts";
import { now, type Requested } from "./expectations.ts";

/** The key of every client in the matrix: it must not be in anything that can be seen. */
export const canary = "sk-canary-0123456789";

/**
 * The limit of a store's operation, whose timer others continue with once the operation is over.
 */
const storeLimitMs = 15_000;
/** No limit of a client is longer. */
const longestLimitMs = 600_000;

/** Both entry points, by what they are built on. */
export const entries = { "node:http": createNodeMediaGen, "global fetch": createMediaGen } as const;

/** Watches all clients of a test file. */
export function createWitness() {
  /**
   * What must not happen, counted over a complete matrix, and how much was looked through for it.
   */
  const totals = {
    calls: 0,
    duplicates: 0,
    uncaught: 0,
    partFiles: 0,
    elsewhere: 0,
    keys: 0,
    charactersShown: 0,
  };
  for (const event of ["uncaughtException", "unhandledRejection"])
    process.on(event, () => totals.uncaught++);
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, method).mockImplementation((...args) => args.forEach(look));

  /** Looks for the key in all that can be seen of a value. */
  function look(value: unknown): void {
    const text = shown(value);
    totals.charactersShown += text.length;
    if (text.includes(canary)) totals.keys++;
  }

  return {
    totals,
    /**
     * The options of a client that is watched. Its pauses take no time and are added to the list.
     * Its limits pass with `limit`.
     */
    options(limit: (signal: AbortSignal) => Promise<unknown>, pauses: number[]): MediaGenOptions {
      const store = memoryStore();
      const write = (record: GenerationEntry) => {
        look(record);
        return store.write(record);
      };
      let clock = now;
      return {
        apiKey: canary,
        retries: 2,
        clock: {
          now: () => clock,
          random: () => 0.5,
          async sleep(ms, signal, reason) {
            const aborted = new Promise<never>((_, reject) =>
              signal.addEventListener("abort", () => reject(signal.reason)),
            );
            if (reason === "pause") return void pauses.push(ms);
            await (reason === "limit" ? Promise.race([limit(signal), aborted]) : aborted);
            clock += ms <= storeLimitMs ? longestLimitMs : ms;
          },
        },
        onEvent: look,
        store: { ...store, write },
      };
    },
    /**
     * Makes a call, and returns what it came to by name: the error's, the taskid, or "file" if
     * there is exactly one.
     */
    async outcomeOf(requested: Requested, call: (directory: string) => Promise<unknown>) {
      const directory = await mkdtemp(join(tmpdir(), "mediagen-"));
      try {
        totals.calls++;
        const result: unknown = await call(directory).catch((error: unknown) => error);
        look(result);
        const files = await readdir(directory);
        totals.partFiles += files.filter((name) => name.endsWith(".part")).length;
        const kept = files.length === 1 ? "file" : files.join();
        const { taskid } = Object(result) as { readonly taskid?: string };
        let name = "";
        if (result instanceof Error) name = nameOf(result);
        else if (requested !== "download") name = String(taskid);
        return { outcome: [name, kept].filter(Boolean).join(" and "), result };
      } finally {
        await rm(directory, { recursive: true });
      }
    },
  };
}

/** The table names the base class of all errors that a status has. */
function nameOf(error: Error): string {
  const isOfStatus = error instanceof ServiceError && !(error instanceof InsufficientCreditsError);
  return isOfStatus ? "ServiceError" : error.name;
}
