import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  createMediaGen,
  type GenerationEntry,
  InsufficientCreditsError,
  type MediaGen,
  type MediaGenOptions,
  memoryStore,
  ServiceError,
} from "@mediagen/sdk";
import { createMediaGen as createNodeMediaGen } from "@mediagen/sdk/node";
import { vi } from "vitest";
import { shown } from "../shown.ts";
import { now, type Asked } from "./faults.ts";

/** The key of every client in a fault's way: it must be in nothing that can be seen. */
export const canary = "sk-canary-0123456789";

/** The limit on a store's operation, whose timer others go on with once the operation is over. */
const storeLimitMs = 15_000;
/** No limit of a client is longer. */
const longestLimitMs = 600_000;

/** Both entry points, by what they stand on. */
export const entries = { "node:http": createNodeMediaGen, "global fetch": createMediaGen } as const;

/** What must not happen, counted over a whole matrix, and how much was looked through for it. */
export interface Totals {
  calls: number;
  /** Generations that the service took a second time. */
  duplicates: number;
  uncaught: number;
  partFiles: number;
  /** Requests to the service that came to another origin. */
  elsewhere: number;
  /** Where the key was to be seen. */
  keys: number;
  charactersShown: number;
}

/** Watches over all clients of a test file. */
export function createWitness() {
  const totals: Totals = {
    calls: 0,
    duplicates: 0,
    uncaught: 0,
    partFiles: 0,
    elsewhere: 0,
    keys: 0,
    charactersShown: 0,
  };
  for (const event of ["uncaughtException", "unhandledRejection"]) process.on(event, () => totals.uncaught++);
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
    look,
    /** The options of a client that is watched: its pauses take no time and are noted. Its limits pass with `limit`, or in real time. */
    options(limit: ((signal: AbortSignal) => Promise<unknown>) | undefined, pauses: number[]): MediaGenOptions {
      const store = memoryStore();
      const write = (record: GenerationEntry) => (look(record), store.write(record));
      let clock = now;
      return {
        apiKey: canary,
        retries: 2,
        clock: {
          now: () => clock,
          steady: () => (limit ? clock : performance.now()),
          random: () => 0.5,
          async sleep(ms, signal, why) {
            const aborted = new Promise<never>((_, reject) =>
              signal.addEventListener("abort", () => reject(signal.reason)),
            );
            if (why === "limit") {
              await Promise.race([limit ? limit(signal) : setTimeout(ms), aborted]);
              clock += ms <= storeLimitMs ? longestLimitMs : ms;
            } else if (why === "background") await aborted;
            else pauses.push(limit ? ms : Math.round(ms / 50) * 50);
          },
        },
        onEvent: look,
        store: { ...store, write },
      };
    },
    /** Makes a call; answers what it came to, by name: the error's, the taskid, or "file" where that alone is there. */
    async outcomeOf(
      asked: Asked,
      call: (folder: string) => Promise<unknown>,
    ): Promise<{ readonly outcome: string; readonly result: unknown }> {
      const folder = await mkdtemp(join(tmpdir(), "mediagen-"));
      try {
        totals.calls++;
        const result: unknown = await call(folder).catch((error: unknown) => error);
        look(result);
        const files = await readdir(folder);
        totals.partFiles += files.filter((name) => name.endsWith(".part")).length;
        if (result instanceof Error)
          return { outcome: files.length === 0 ? nameOf(result) : `${nameOf(result)} and ${files.join()}`, result };
        return {
          outcome:
            asked === "download"
              ? files.length === 1
                ? "file"
                : `${files.length} files`
              : String((result as { taskid?: string }).taskid),
          result,
        };
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  };
}

/** The table names the base class of what a status has a class of its own for. */
function nameOf(error: Error): string {
  const isOfStatus = error instanceof ServiceError && !(error instanceof InsufficientCreditsError);
  return isOfStatus ? "ServiceError" : error.name;
}

/** The same call of the service on any client; a download is no call of the service. */
export function askService(
  media: MediaGen,
  asked: Exclude<Asked, "download">,
  form: { readonly sourceImage?: Blob } = {},
): Promise<unknown> {
  if (asked === "query") return media.video.query("t-1");
  if (asked === "delete") return media.video.delete(["t-1"]);
  return media.video.generate("vidmodelv2", { prompt: "A fox", ...form });
}
