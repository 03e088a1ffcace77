import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";
import { createMediaGen } from "@mediagen/sdk/node";
import { disk, issueOf } from "@mediagen/sdk/kit";
import { writeContactSheet } from "./contact-sheet.ts";
import { KnownLines } from "./known-lines.ts";
import { nothingSent } from "./issues.ts";
import {
  type BatchOptions,
  type BatchPlan,
  type BatchSummary,
  clientOptionsOf,
} from "./options.ts";
import { Plan } from "./plan.ts";
import { openResults, readResults, removeDropped } from "./results-file.ts";
import { checkInput } from "./rows.ts";
import { Runner } from "./runner.ts";

/**
 * Generates what each line of a file describes, and downloads the results into a directory. Every
 * line is checked before the first one is billed.
 *
 * The file has JSON lines (`.jsonl`, `.ndjson`) or CSV with a header (`.csv`, `.tsv`). Each line
 * has a `model`, the fields of its form and, optionally, an `id`. Paths of files are relative to
 * the input.
 *
 * To continue a batch, also after a crash, run it again with the same directory. No line is billed
 * twice. If `signal` aborts, nothing more is sent, and no task is lost.
 *
 * @param input Path of the file with the forms.
 * @param directory Directory for the results. It is created if needed.
 * @returns Number of lines by how they ended, and why lines were not started.
 * @throws An `InvalidRequestError` if lines are invalid (it names them all), or another run is
 * using the directory; nothing was sent
 * @throws The signal's reason if the signal aborts, or the error of `confirm` or `onLine`
 * @example
 * ```ts
 * const summary = await runBatch("jobs.jsonl", "out", { concurrency: 4 });
 * console.log(`${summary.succeeded} of ${summary.lines} lines have results`);
 * ```
 */
export async function runBatch(
  input: string,
  directory: string,
  options: BatchOptions = {},
): Promise<BatchSummary> {
  const client = clientOptionsOf(options);
  options.signal?.throwIfAborted();
  await checkInput(input);
  const known = new KnownLines(directory);
  const runner = new Runner(directory, { ...client, store: known.store }, options);
  await mkdir(directory, { recursive: true });
  // Two runs would not pay twice, because they share the store, but remove each other's results.
  const path = join(directory, ".lock");
  const { owner, release } = disk.lockFile(path);
  if (owner) {
    const advice = `Use another directory, or wait until that run has ended. If it has, delete the directory ${path}.`;
    throw nothingSent(
      issueOf("directory", "invalid", `is in use by another run (${owner})`, advice),
    );
  }
  try {
    const results = await readResults(directory);
    const plan = await Plan.make({ input, origin: runner.origin, known, results, options });
    const { summary } = plan;
    Object.assign(runner.progress.counts, { lines: summary.lines, ...plan.ended });
    runner.progress.work.todo = plan.todo;
    const isConfirmed =
      summary.generations === 0 || !options.confirm || (await options.confirm(summary));
    if (!isConfirmed) return { ...runner.progress.report(), stopped: "declined" };
    options.signal?.throwIfAborted();
    const files = {
      results: await openResults(directory, results),
      unfinished: await open(join(directory, "unfinished.jsonl"), "w"),
    };
    try {
      await runner.run(plan.lines(), files);
    } finally {
      await files.unfinished.close();
      await files.results.close();
      // If that fails, a later run does it.
      await removeDropped(directory).catch(() => undefined);
    }
    await writeContactSheet(directory);
    return runner.summary;
  } finally {
    release();
  }
}

/**
 * Checks every line of a file and counts what `runBatch` would do with the same arguments. It sends
 * and writes nothing.
 *
 * @param input Path of the file with the forms.
 * @param directory Directory for the results.
 * @returns Numbers of lines, and of generations that would be billed.
 * @throws An `InvalidRequestError` if some lines are invalid; it names them all
 * @example
 * ```ts
 * const { generations, byModel } = await planBatch("jobs.jsonl", "out");
 * console.log(`${generations} paid generations`, byModel);
 * ```
 */
export async function planBatch(
  input: string,
  directory: string,
  options: BatchOptions = {},
): Promise<BatchPlan> {
  const client = clientOptionsOf(options);
  await checkInput(input);
  const { origin } = createMediaGen(client);
  const results = await readResults(directory);
  const known = new KnownLines(directory);
  return (await Plan.make({ input, origin, known, results, options })).summary;
}
