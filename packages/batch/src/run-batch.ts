import { mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Issue } from "@mediagen/sdk/node";
import { writeContactSheet } from "./contact-sheet.ts";
import { FolderLock } from "./folder-lock.ts";
import { issueOf, nothingSent } from "./issues.ts";
import { KnownLines } from "./known-lines.ts";
import { createHolder, lockFilesIn } from "./lock-files.ts";
import type { BatchOptions, BatchSummary } from "./options.ts";
import { Plan } from "./plan.ts";
import { ResultsFile } from "./results-file.ts";
import { checkInput } from "./rows.ts";
import { Runner } from "./runner.ts";

/**
 * Generates what each line of a file describes, and downloads the results into a folder. The file has JSON lines (`.jsonl`,
 * `.ndjson`) or CSV with a header (`.csv`, `.tsv`). Each line has a `model`, the fields of its form and, if you like, an `id`.
 * Files are paths relative to the input. Every line is checked before the first one is paid.
 *
 * Run the batch again with the same folder to continue it, also after a crash. No line is paid twice. If `signal` aborts,
 * nothing more is sent: responses to forms that are being sent are still awaited, and no task is lost.
 *
 * @param input Path of the file with the forms.
 * @param folder Folder for the results. It is created if needed.
 * @returns How many lines have ended, and how.
 * @throws `InvalidRequestError` some lines are invalid (it names them all), or another run is using the folder; nothing was sent
 * @throws the signal's reason, if it aborts
 *
 * @example
 * ```ts
 * const summary = await runBatch("jobs.jsonl", "out", { concurrency: 4 });
 * console.log(`${summary.succeeded} of ${summary.lines} lines have results`);
 * ```
 */
export async function runBatch(input: string, folder: string, options: BatchOptions = {}): Promise<BatchSummary> {
  checkRates(options);
  options.signal?.throwIfAborted();
  await checkInput(input);
  const known = new KnownLines(folder);
  const lock = new FolderLock(lockFilesIn(folder), await createHolder());
  const runner = new Runner({ folder, store: known.store, lock, options });
  await mkdir(folder, { recursive: true });
  await lock.take(options.signal);
  try {
    await removeParts(folder);
    const results = await ResultsFile.open(folder);
    try {
      const plan = await Plan.make({ input, origin: runner.origin, known, results, signal: options.signal });
      return await runPlan(plan, { folder, runner, results, options });
    } finally {
      await results.close();
    }
  } finally {
    await lock.release();
  }
}

interface PlanContext {
  readonly folder: string;
  readonly runner: Runner;
  readonly results: ResultsFile;
  readonly options: BatchOptions;
}

async function runPlan(plan: Plan, { folder, runner, results, options }: PlanContext): Promise<BatchSummary> {
  const { summary } = plan;
  runner.progress.recordPlan(summary.lines, plan.ended);
  const isConfirmed = summary.generations === 0 || !options.confirm || (await options.confirm(summary));
  if (!isConfirmed) return { ...runner.progress.report(), stopped: "declined" };
  options.signal?.throwIfAborted();
  const unfinished = await open(join(folder, "unfinished.jsonl"), "w");
  try {
    await runner.run(plan.lines(), { results, unfinished });
  } finally {
    await unfinished.close();
  }
  await writeContactSheet(folder);
  return runner.summary;
}

/** Removes what a killed run had not finished writing. */
async function removeParts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/^\..*\.[\da-f-]{36}\.part$/.test(name)) await rm(join(folder, name), { force: true });
}

function checkRates({ concurrency = 8, generationsPerMinute = Infinity }: BatchOptions): void {
  const issues: Issue[] = [];
  if (!(concurrency >= 1))
    issues.push(issueOf("concurrency", "outOfRange", String(concurrency), "a number, 1 or more"));
  if (!(generationsPerMinute > 0))
    issues.push(issueOf("generationsPerMinute", "outOfRange", String(generationsPerMinute), "a number above 0"));
  if (issues.length > 0) throw nothingSent(...issues);
}
