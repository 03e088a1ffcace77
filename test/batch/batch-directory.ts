import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BatchLine, type BatchOptions, runBatch } from "@mediagen/batch";
import { createEmulator, type Emulator } from "@mediagen/emulator";
import { temporaryDirectory } from "../temporary-directory.ts";

/** Creates a directory for the input of one test's batch, with `out` for its results. */
export async function createBatchDirectory() {
  const directory = await temporaryDirectory();
  const out = join(directory, "out");
  const read = (name: string) => readFile(join(out, name), "utf8");
  // The cast: a batch writes these files.
  const linesIn = async (name: string) =>
    (await read(name))
      .split("\n")
      .flatMap((line) => (line === "" ? [] : (JSON.parse(line) as BatchLine)));
  return {
    directory,
    out,
    read,
    /** Writes an input and returns its path. */
    async write(name: string, content: string | Uint8Array | readonly object[]) {
      const path = join(directory, name);
      const isText = typeof content === "string" || content instanceof Uint8Array;
      await writeFile(
        path,
        isText ? content : content.map((line) => `${JSON.stringify(line)}\n`).join(""),
      );
      return path;
    },
    results: () => linesIn("results.jsonl"),
    unfinished: () => linesIn("unfinished.jsonl"),
  };
}

/** Creates a batch of these lines, which runs on an emulator without a port. */
export async function createBatch(lines: readonly object[], emulator: Emulator = createEmulator()) {
  const batch = await createBatchDirectory();
  const input = await batch.write("jobs.jsonl", lines);
  const run = (options: BatchOptions = {}) =>
    runBatch(input, batch.out, { ...emulator.client, retries: 0, ...options });
  return { ...batch, input, emulator, run };
}

/**
 * Returns lines of one model, with different ids and prompts. Their pictures are small: drawing one
 * of the usual size takes 40 ms.
 */
export function linesOf(count: number) {
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  return numbers.map((n) => ({
    id: `line-${n}`,
    model: "imgmodelz",
    prompt: `Picture ${n}`,
    resolution: "64*64",
  }));
}

/** Returns whether a request generates. */
export function isGeneration(url: string): boolean {
  return !/infobytaskid|results/.test(url);
}

/**
 * Returns a signal that aborts as one of the generations is sent, and the `fetch` that counts them.
 */
export function abortAt(generation: number, emulator: Emulator) {
  const controller = new AbortController();
  let generations = 0;
  const fetch = async (url: string, init: RequestInit) => {
    if (isGeneration(url) && ++generations === generation) controller.abort(new Error("enough"));
    return emulator.fetch(url, init);
  };
  return { signal: controller.signal, fetch };
}
