import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BatchLine } from "@mediagen/batch";
import { onTestFinished } from "vitest";

/** A directory for one test's batch: its input, and `out` for its results. */
export async function createBatchDirectory() {
  const directory = await mkdtemp(join(tmpdir(), "mediagen-batch-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const out = join(directory, "out");
  const linesIn = async (name: string) => {
    const text = await readFile(join(out, name), "utf8");
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as BatchLine);
  };
  return {
    directory,
    out,
    /** Writes an input and answers its path. */
    async write(name: string, content: string | Uint8Array | readonly object[]) {
      const text = Array.isArray(content)
        ? content.map((line) => `${JSON.stringify(line)}\n`).join("")
        : (content as string | Uint8Array);
      await writeFile(join(directory, name), text);
      return join(directory, name);
    },
    read: (name: string) => readFile(join(out, name), "utf8"),
    results: () => linesIn("results.jsonl"),
    unfinished: () => linesIn("unfinished.jsonl"),
  };
}

/** So many lines of one model, with ids and prompts of their own. */
export function linesOf(count: number, model = "imgmodelz") {
  return Array.from({ length: count }, (_, index) => ({
    id: `line-${index + 1}`,
    model,
    prompt: `Picture ${index + 1}`,
  }));
}
