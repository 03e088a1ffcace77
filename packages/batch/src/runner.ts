import { setMaxListeners } from "node:events";
import type { FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  createMediaGen,
  download,
  type AnyTask,
  type BeforeGenerate,
  type MediaGen,
  type MediaGenEvent,
  type NodeMediaGenOptions,
} from "@mediagen/sdk/node";
import { mayBeBilled, ofRun, outcomeOf } from "./issues.ts";
import type { BatchLine, BatchOptions, BatchSummary } from "./options.ts";
import type { PlannedLine } from "./plan.ts";
import { Progress } from "./progress.ts";
import { TaskLimit, NotStarted, StopRules } from "./stop-rules.ts";

interface OutcomeFiles {
  readonly results: FileHandle;
  readonly unfinished: FileHandle;
}

/** Longest delay of a timer. With a longer one, it would fire immediately. */
const maxDelayMs = 2 ** 31 - 1;

/** Runs lines: generates, waits and downloads, with limits on concurrency and rate. */
export class Runner {
  readonly progress: Progress;
  readonly #directory: string;
  readonly #options: BatchOptions;
  readonly #media: MediaGen;
  readonly #rules: StopRules;
  readonly #limit: TaskLimit;
  readonly #running = new Set<Promise<void>>();
  readonly #failing = new AbortController();
  /** Calls of `generate` that wait for their turn, by form. */
  readonly #waiting = new Map<object, AbortController>();
  /** Aborts if the caller aborts, or if an error is not about a line. */
  readonly #signal: AbortSignal;
  readonly #now: () => number;
  #nextAt = 0;
  /** Whether this run may have created a task that it does not know. */
  #isUnknown = false;

  /** Creates the client too, so that its options are checked before anything is written. */
  constructor(directory: string, client: NodeMediaGenOptions, options: BatchOptions) {
    const { concurrency = 8, limit = Infinity, clock, signal } = options;
    this.#directory = directory;
    this.#options = options;
    this.#now = clock?.now?.bind(clock) ?? (() => performance.now());
    this.progress = new Progress(this.#now);
    this.#rules = new StopRules(concurrency);
    this.#limit = new TaskLimit(limit);
    this.#signal = AbortSignal.any([this.#failing.signal, ...(signal ? [signal] : [])]);
    // Every running line adds a listener. More than ten are not a leak.
    setMaxListeners(0, this.#signal);
    this.#signal.addEventListener("abort", () => this.#stopWaiting(), { once: true });
    this.#media = createMediaGen({
      ...client,
      beforeGenerate: (form, about) => this.#beforeGenerate(form, about),
      onEvent: (event) => this.#onEvent(event),
    });
  }

  get origin(): string {
    return this.#media.origin;
  }

  /** The result of the run, if it has ended. Throws if it was aborted. */
  get summary(): BatchSummary {
    const progress = this.progress.report();
    if (this.#signal.aborted) {
      const guess = this.#isUnknown ? "maybe" : "no";
      throw ofRun(this.#signal.reason, progress.generated > 0 ? "yes" : guess);
    }
    return { ...progress, stopped: this.#rules.stop?.stopped, error: this.#rules.stop?.error };
  }

  /** Runs lines, and reads further ones as lines end. Never rejects: `summary` throws. */
  async run(lines: AsyncIterable<PlannedLine>, files: OutcomeFiles): Promise<void> {
    try {
      this.progress.restartClock();
      this.#report();
      await this.#startAll(lines, files);
    } catch (error) {
      this.#failing.abort(error);
    }
    await Promise.all(this.#running);
  }

  async #startAll(lines: AsyncIterable<PlannedLine>, files: OutcomeFiles): Promise<void> {
    const { concurrency = 8 } = this.#options;
    for await (const line of lines) {
      while (this.#running.size >= concurrency) await Promise.race(this.#running);
      if (this.#signal.aborted) return;
      if (this.#isOver || (line.isNew && this.#limit.isReached)) {
        // It does not run, but its known outcome is recorded.
        if (line.left) await this.#record({ ...aboutOf(line), ...line.left, files: [] }, files);
        continue;
      }
      const running = this.#runLine(line, files)
        .catch((error: unknown) => this.#failing.abort(error))
        .finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  async #runLine(line: PlannedLine, files: OutcomeFiles): Promise<void> {
    const { counts } = this.progress;
    counts.running++;
    const ended = await this.#outcomeOf(line).finally(() => counts.running--);
    if (ended) await this.#record(ended, files);
  }

  async #record(ended: BatchLine, { results, unfinished }: OutcomeFiles): Promise<void> {
    const isFinal = ended.state === "succeeded" || ended.state === "failed";
    await (isFinal ? results : unfinished).appendFile(`${JSON.stringify(ended)}\n`);
    this.progress.counts[ended.state]++;
    this.progress.work.done++;
    await this.#options.onLine?.(ended);
    this.#report();
  }

  /** Runs a line to its end. Undefined if it was not started. */
  async #outcomeOf(line: PlannedLine): Promise<BatchLine | undefined> {
    const { key, isNew, retryKey, unreadable } = line;
    if (unreadable !== undefined)
      return {
        ...aboutOf(line),
        state: "unfinished",
        error: { name: "StoreError", message: unreadable },
        files: [],
      };
    // A second task is reserved before the wait for the first one, because the plan counts the
    // first lines.
    const settle = isNew || retryKey !== undefined ? await this.#limit.reserve() : undefined;
    if (isNew && !settle) return undefined;
    try {
      const ended = await this.#finish(line, key, isNew ? settle : undefined);
      // A task recorded as failed was polled once more. It may have succeeded since, or by other
      // `statuses`.
      if (ended?.state !== "failed" || retryKey === undefined || !settle) return ended;
      return (await this.#finish(line, retryKey, settle)) ?? ended;
    } finally {
      settle?.(false);
    }
  }

  /** Generates, waits and downloads. Undefined if the form was not sent. */
  async #finish(
    line: PlannedLine,
    key: string,
    settle?: (isUsed: boolean) => void,
  ): Promise<BatchLine | undefined> {
    const about = aboutOf(line);
    let task: AnyTask | undefined;
    try {
      if (settle && this.#isOver) throw new NotStarted();
      task = await this.#generate(line, key);
      settle?.(true);
      const record = await task.wait({
        waitTimeoutMs: this.#options.waitTimeoutMs,
        signal: this.#signal,
      });
      const found = await download(task, this.#directory, {
        name: about.id,
        overwrite: true,
        signal: this.#signal,
      });
      const files = found.map(({ path, bytes, type, sha256 }) => ({
        name: basename(path),
        bytes,
        type,
        sha256,
      }));
      const endedAt = new Date().toISOString();
      return { ...about, state: "succeeded", taskid: task.taskid, endedAt, record, files };
    } catch (error) {
      // A task may exist if the outcome is unknown.
      if (!task) settle?.(mayBeBilled(error));
      const isNotStarted = !task && this.#rules.recordError(error);
      if (this.#rules.stop) this.#stopWaiting();
      if (isNotStarted) return undefined;
      this.#signal.throwIfAborted();
      return { ...about, ...outcomeOf(error), taskid: task?.taskid, files: [] };
    }
  }

  /**
   * Generates. An abort stops only a form that is not being sent yet. Otherwise, its response is
   * awaited.
   */
  async #generate(
    { info: { model }, form }: PlannedLine,
    idempotencyKey: string,
  ): Promise<AnyTask> {
    const turn = new AbortController();
    this.#waiting.set(form, turn);
    try {
      return await this.#media.generate(model, form, { idempotencyKey, signal: turn.signal });
    } catch (error) {
      if (mayBeBilled(error)) this.#isUnknown = true;
      throw error;
    } finally {
      this.#waiting.delete(form);
    }
  }

  /** Aborts the calls whose forms wait for their turn. */
  #stopWaiting(): void {
    for (const turn of this.#waiting.values()) turn.abort(new NotStarted());
  }

  #onEvent(event: MediaGenEvent): unknown {
    const { onEvent } = this.#options;
    if (event.type === "generated") {
      this.#rules.recordAccepted();
      this.progress.counts.generated++;
    }
    return onEvent?.(event);
  }

  async #beforeGenerate(...[form, about]: Parameters<BeforeGenerate>): Promise<void> {
    const { beforeGenerate, generationsPerMinute = Infinity, clock } = this.#options;
    if (this.#isOver) throw new NotStarted();
    this.#waiting.delete(form);
    await beforeGenerate?.(form, about);
    const now = this.#now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + 60_000 / generationsPerMinute;
    const ms = Math.min(at - now, maxDelayMs);
    if (ms > 0 && clock?.sleep) await clock.sleep(ms, this.#signal, "pause");
    else if (ms > 0) await setTimeout(ms, undefined, { signal: this.#signal });
    if (this.#isOver) throw new NotStarted();
  }

  get #isOver(): boolean {
    return this.#rules.stop !== undefined || this.#signal.aborted;
  }

  #report(): void {
    this.#options.onProgress?.(this.progress.report());
  }
}

function aboutOf({
  line,
  id,
  info: { kind, model },
  given,
}: PlannedLine): Omit<BatchLine, "state" | "files"> {
  return { line, id, kind, model, form: given };
}
