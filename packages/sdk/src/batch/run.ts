import { createHash } from "node:crypto";
import { mkdir, open, readdir, rm, truncate, type FileHandle } from "node:fs/promises";
import { basename, join } from "node:path";
import {
  ConnectionError,
  InsufficientCreditsError,
  InvalidRequestError,
  OutcomeUnknownError,
  ServiceError,
  TaskFailedError,
  WaitTimeoutError,
} from "../errors/errors.ts";
import type { Issue } from "../errors/issue.ts";
import { createTell } from "../events.ts";
import { readEntries } from "../journal/reading.ts";
import { createMediaGen } from "../node/client.ts";
import { download } from "../node/download.ts";
import { fileJournal } from "../node/file-journal.ts";
import { linesOf } from "../node/lines.ts";
import type { AnyTask, TaskJSON } from "../task/task.ts";
import { sleep } from "../time/clock.ts";
import { createPlaces } from "../time/semaphore.ts";
import type { BatchLine, BatchOptions, BatchPlan, BatchProgress, BatchSummary } from "./batch.ts";
import { writeContactSheet } from "./contact-sheet.ts";
import { holdFolder } from "./folder-lease.ts";
import { type BatchForm, readBatch } from "./input.ts";

/** A generation as the compiler cannot know it: models and forms come from a file here. */
interface AnyKindClient {
  generate(model: string, form: object, options: { readonly once: string }): Promise<AnyTask>;
}

/** Why nothing more is sent. */
type Stop = Required<Pick<BatchSummary, "stopped" | "error">>;

/** Nothing more is sent: the line is left for another run. */
class LeftOut extends Error {}

const journalName = "journal.jsonl";
const resultsName = "results.jsonl";
const unfinishedName = "unfinished.jsonl";

/** The HTTP statuses that speak of a key, of who may ask, or of an address, and not of a form. */
const refusingAll: ReadonlySet<number> = new Set([401, 403, 404, 405, 407]);

/** Runs a batch, as `runBatch` says. */
export async function runBatch(input: string, folder: string, options: BatchOptions): Promise<BatchSummary> {
  const {
    concurrency = 8,
    generationsPerMinute = Infinity,
    confirm,
    onProgress,
    onLine,
    timeoutMs,
    signal,
    ...clientOptions
  } = options;
  refuseRates(concurrency, generationsPerMinute);
  signal?.throwIfAborted();
  await mkdir(folder, { recursive: true });
  const journal = fileJournal(join(folder, journalName));
  const now = options.now ?? (() => performance.now());
  const tell = createTell(options.onEvent);
  /** Aborts where no wait makes sense any more: the caller's signal, or a disk that takes nothing. */
  const ending = new AbortController();
  const end = () => ending.abort(signal?.reason);
  const pause = options.sleep ?? sleep;
  let stopped: Stop | undefined;
  /** How many generations in a row failed by what is perhaps no fault of their lines. */
  let turnedAway = 0;
  let nextAt = 0;
  const counts = { lines: 0, succeeded: 0, failed: 0, unknown: 0, unfinished: 0, running: 0, generated: 0 };

  const media = createMediaGen({
    ...clientOptions,
    journal,
    async beforeGenerate(form, what) {
      if (stopped || ending.signal.aborted) throw new LeftOut();
      await options.beforeGenerate?.(form, what);
      const at = Math.max(now(), nextAt);
      nextAt = at + 60_000 / generationsPerMinute;
      if (at > now()) await pause(at - now(), ending.signal, "pause");
      if (stopped || ending.signal.aborted) throw new LeftOut();
    },
    onEvent(event) {
      if (event.type === "generated") {
        counts.generated++;
        turnedAway = 0;
      }
      tell(event);
    },
  });

  const letGo = await holdFolder(journal, (error) => ending.abort(error));
  const results = await openResults(join(folder, resultsName)).catch(async (error: unknown) => {
    await letGo();
    throw error;
  });
  let begin = now();
  let endedBefore = 0;
  const progress = (): BatchProgress => {
    const ended = counts.succeeded + counts.failed + counts.unknown + counts.unfinished;
    const elapsedMs = now() - begin;
    const perMs = elapsedMs > 0 ? (ended - endedBefore) / elapsedMs : 0;
    return {
      ...counts,
      elapsedMs,
      linesPerMinute: perMs * 60_000,
      leftMs: perMs > 0 ? (counts.lines - ended) / perMs : undefined,
    };
  };

  try {
    await removeParts(folder);
    const { plan, prints } = await check();
    endedBefore = counts.succeeded + counts.failed;
    if (plan.generations > 0 && confirm && !(await confirm(plan))) return { ...progress(), stopped: "declined" };
    signal?.throwIfAborted();
    begin = now();
    signal?.addEventListener("abort", end, { once: true });
    const unfinished = await open(join(folder, unfinishedName), "w");
    try {
      await runAll(prints, unfinished);
    } finally {
      await unfinished.close();
    }
    await writeContactSheet(folder, resultsName);
    ending.signal.throwIfAborted();
    return { ...progress(), stopped: stopped?.stopped, error: stopped?.error };
  } finally {
    signal?.removeEventListener("abort", end);
    await results.file.close();
    await letGo();
  }

  /** Reads every line and refuses them all where one is wrong. */
  async function check(): Promise<{ readonly plan: BatchPlan; readonly prints: readonly number[] }> {
    const known = readEntries(await journal.entries());
    const issues: Issue[] = [];
    const elsewhere = known
      .generations()
      .find(({ intent, state }) => state !== "not created" && intent.origin !== media.origin);
    if (elsewhere)
      issues.push({
        field: "folder",
        got: `results of ${elsewhere.intent.origin}`,
        allowed: `a folder of its own for ${media.origin}`,
      });
    const prints: number[] = [];
    const byModel: Record<string, number> = {};
    let generations = 0;
    for await (const line of readBatch(input)) {
      signal?.throwIfAborted();
      counts.lines++;
      if (line.issues) {
        issues.push(...line.issues);
        continue;
      }
      const { id, model, digest } = line;
      prints.push(printOf(line));
      const state = results.ended.get(id);
      const generation = known.withKey(media.origin, id);
      if (generation && (generation.intent.digest !== digest || generation.intent.model !== model)) {
        issues.push({
          field: `line ${line.line}, id`,
          got: `${JSON.stringify(id)} with another form`,
          allowed: "the form that it was first used with in this folder, or a new id",
        });
      } else if (state) counts[state]++;
      else if (!generation) {
        generations++;
        byModel[model] = (byModel[model] ?? 0) + 1;
      }
    }
    if (counts.lines === 0) issues.push({ field: "input", got: "no line", allowed: "at least one" });
    if (issues.length > 0) throw new InvalidRequestError("runBatch: nothing was sent", issues);
    return { plan: { lines: counts.lines, generations, byModel }, prints };
  }

  /** Runs the lines that have not ended, some at once, reading on as they end. */
  async function runAll(prints: readonly number[], unfinished: FileHandle): Promise<void> {
    const enter = createPlaces(concurrency);
    const running = new Set<Promise<void>>();
    onProgress?.(progress());
    let index = 0;
    try {
      for await (const line of readBatch(input)) {
        if (line.issues || prints[index++] !== printOf(line)) {
          throw changed(`line ${line.line}`, "another content than before");
        }
        if (results.ended.has(line.id)) continue;
        const leave = await enter(undefined);
        if (stopped || ending.signal.aborted) break;
        counts.running++;
        const run = runLine(line, unfinished)
          .catch((error: unknown) => ending.abort(error))
          .finally(() => {
            running.delete(run);
            leave();
          });
        running.add(run);
      }
      if (index < prints.length && !stopped && !ending.signal.aborted)
        throw changed(`line ${index + 1} and on`, "nothing");
    } catch (error) {
      ending.abort(error);
    }
    await Promise.all(running);
  }

  async function runLine({ line, id, kind, model, given, form }: BatchForm, unfinished: FileHandle): Promise<void> {
    const about = { line, id, kind, model, form: given };
    let task: TaskJSON | undefined;
    let ended: BatchLine | undefined;
    try {
      // The cast: models and forms were checked when they were read.
      const generated = await (media[kind] as object as AnyKindClient).generate(model, form, { once: id });
      task = generated.toJSON();
      await generated.wait({ timeoutMs, signal: ending.signal });
      const files = await download(generated, folder, { name: id, overwrite: true, signal: ending.signal });
      ended = {
        ...about,
        state: "succeeded",
        taskid: task.taskid,
        files: files.map(({ path, bytes, type }) => ({ name: basename(path), bytes, type })),
      };
    } catch (error) {
      const stop = task ? undefined : stopBy(error);
      if (stop && mustStop(stop, error)) stopped ??= stop;
      const isLeftOut = error instanceof LeftOut || (stopped && stop && stop.stopped !== "unknown");
      if (!isLeftOut) {
        ending.signal.throwIfAborted();
        ended = { ...about, ...readError(error), taskid: task?.taskid, files: [] };
      }
    } finally {
      counts.running--;
    }
    if (!ended) return;
    const isFinal = ended.state === "succeeded" || ended.state === "failed";
    await (isFinal ? results.file : unfinished).appendFile(`${JSON.stringify(ended)}\n`);
    counts[ended.state]++;
    await onLine?.(ended);
    onProgress?.(progress());
  }

  function mustStop({ stopped: why }: Stop, error: unknown): boolean {
    turnedAway++;
    if (why === "credits" || (error instanceof ServiceError && error.status === 401)) return true;
    // Once something was accepted, it may be this line's or model's own, or pass, unless it goes on.
    return (why !== "unknown" && counts.generated === 0) || turnedAway > concurrency;
  }
}

function changed(field: string, got: string): InvalidRequestError {
  return new InvalidRequestError("runBatch: it was stopped", [
    { field, got, allowed: "an input that does not change while it is read" },
  ]);
}

/** A number that tells a line's form from others: of ten thousand lines, all forms would be too much to hold. */
function printOf({ id, model, digest }: BatchForm): number {
  return createHash("sha256")
    .update(JSON.stringify([id, model, digest]))
    .digest()
    .readUIntBE(0, 6);
}

/** What a generation's error stops a batch for, where it is perhaps no fault of the line, so that others would fare no better. */
function stopBy(error: unknown): Stop | undefined {
  const because = (stopped: Stop["stopped"], { name, message }: Error): Stop => ({ stopped, error: { name, message } });
  if (error instanceof InsufficientCreditsError) return because("credits", error);
  if (error instanceof ServiceError && refusingAll.has(error.status)) return because("refused", error);
  if (error instanceof ConnectionError) return because("unreachable", error);
  // What the journal knows to be unknown was not sent anew.
  const isNew = error instanceof OutcomeUnknownError && (error.status !== undefined || error.cause !== undefined);
  return isNew ? because("unknown", error) : undefined;
}

/** How an error ends a line; what is no fault of the line is thrown on, and ends the batch. */
function readError(error: unknown): Pick<BatchLine, "state" | "error" | "generation"> {
  if (error instanceof TaskFailedError) return { state: "failed", error: { name: error.name, message: error.message } };
  if (error instanceof OutcomeUnknownError)
    return { state: "unknown", error: { name: error.name, message: error.message }, generation: error.id };
  const isOfLine =
    error instanceof ServiceError ||
    error instanceof ConnectionError ||
    error instanceof WaitTimeoutError ||
    error instanceof InvalidRequestError;
  if (!isOfLine) throw error;
  return { state: "unfinished", error: { name: error.name, message: error.message } };
}

/** Opens the file of results to append to, and tells which ids it has; a line that was cut off is taken away. */
async function openResults(
  path: string,
): Promise<{ readonly file: FileHandle; readonly ended: ReadonlyMap<string, "succeeded" | "failed"> }> {
  const file = await open(path, "a");
  const ended = new Map<string, "succeeded" | "failed">();
  let line = 0;
  try {
    for await (const { bytes, at, isWhole } of linesOf(path)) {
      line++;
      if (!isWhole) await truncate(path, at);
      else {
        // The cast: what stands here was appended by a batch.
        const { id, state } = JSON.parse(bytes.toString()) as BatchLine;
        if (state === "succeeded" || state === "failed") ended.set(id, state);
      }
    }
  } catch (error) {
    await file.close();
    if (!(error instanceof SyntaxError)) throw error;
    // A full disk may cut a line off while others are written.
    const got = `one whose ${resultsName} has no result in line ${line}`;
    throw new InvalidRequestError("runBatch: nothing was sent", [
      {
        field: "folder",
        got,
        allowed: "a result in each: take the line away, and what it stood for is fetched again, by the journal, unpaid",
      },
    ]);
  }
  return { file, ended };
}

/** Removes half downloads of a run that was killed. */
async function removeParts(folder: string): Promise<void> {
  for (const name of await readdir(folder))
    if (/^\..*\.[\da-f-]{36}\.part$/.test(name)) await rm(join(folder, name), { force: true });
}

function refuseRates(concurrency: number, generationsPerMinute: number): void {
  const issues: Issue[] = [];
  if (!(concurrency >= 1))
    issues.push({ field: "concurrency", got: String(concurrency), allowed: "a number, 1 or more" });
  if (!(generationsPerMinute > 0))
    issues.push({ field: "generationsPerMinute", got: String(generationsPerMinute), allowed: "a number above 0" });
  if (issues.length > 0) throw new InvalidRequestError("runBatch: nothing was sent", issues);
}
