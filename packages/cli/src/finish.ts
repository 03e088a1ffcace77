import { basename } from "node:path";
import {
  download,
  type AnyTask,
  type Download,
  type TaskJSON,
  type TaskRecord,
  type WaitUpdate,
  waitEach,
} from "@mediagen/sdk/node";
import type { ConnectOptions } from "./connect.ts";
import { explain, tell, type CommandError } from "./explain.ts";
import { Interrupted } from "./interrupt.ts";
import type { OpenCommand } from "./open-command.ts";
import { preview } from "./preview.ts";
import { nameOf, resumeCommand } from "./printed-commands.ts";
import { explainUnsaved } from "./unsaved.ts";

/** How to wait for results and download them. */
export interface FinishOptions extends ConnectOptions {
  readonly output?: string;
  readonly overwrite?: true;
  readonly preview?: true;
  readonly timeout: { readonly ms: number; readonly text: string };
}

/** How one task ended, as `--json` prints it. */
export interface Finished {
  readonly task: TaskJSON;
  readonly record?: TaskRecord;
  readonly files?: readonly Download[];
  readonly error?: string;
}

/** How several tasks ended. */
export interface FinishResult {
  readonly finished: readonly Finished[];
  /** The interrupt if there was one, otherwise the first error. All of them have been printed. */
  readonly error: CommandError | undefined;
}

/** Waits for tasks, downloads their results, and prints each at once. An error of one task does not stop the others. */
export function finish(
  tasks: readonly AnyTask[],
  options: FinishOptions,
  command: OpenCommand,
  target: string | undefined,
): Promise<FinishResult> {
  return new Finisher(tasks, options, command, target).run();
}

class Finisher {
  readonly #options: FinishOptions;
  readonly #command: OpenCommand;
  /** Where results are downloaded to; undefined if only their URLs are printed. */
  readonly #target: string | undefined;
  readonly #count: number;
  readonly #left: Set<AnyTask>;
  readonly #finished: Finished[] = [];
  readonly #errors: CommandError[] = [];
  readonly #shown = new Map<unknown, string>();

  constructor(tasks: readonly AnyTask[], options: FinishOptions, command: OpenCommand, target: string | undefined) {
    this.#options = options;
    this.#command = command;
    this.#target = target;
    this.#count = tasks.length;
    this.#left = new Set(tasks);
  }

  async run(): Promise<FinishResult> {
    const { progress, signal } = this.#command;
    const tasks = [...this.#left];
    if (tasks.length > 0)
      progress.now(`waiting for ${tasks.length > 1 ? `${tasks.length} tasks` : tasks.map(nameOf).join("")}`);
    try {
      const onUpdate = (update: WaitUpdate) => this.#show(update);
      for await (const outcome of waitEach(tasks, { waitTimeoutMs: this.#options.timeout.ms, signal, onUpdate })) {
        if (outcome.ok) await this.#succeed(outcome.task, outcome.record);
        else this.#fail(outcome.task, outcome.error);
        this.#left.delete(outcome.task);
      }
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      this.#interrupt(error);
    } finally {
      progress.end();
    }
    return { finished: this.#finished, error: this.#errors[0] };
  }

  #show(update: WaitUpdate): void {
    const text = updateText(update);
    // In a pipe each update is a line of its own, so that one without a change is not printed.
    if (this.#shown.get(update.task) === text) return;
    this.#shown.set(update.task, text);
    const done = this.#count - this.#left.size;
    this.#command.progress.now(this.#count > 1 ? `${done} of ${this.#count} done, ${text}` : text);
  }

  async #succeed(task: AnyTask, record: TaskRecord): Promise<void> {
    const { progress, output, signal } = this.#command;
    if (this.#target === undefined) {
      this.#finished.push({ task: task.toJSON(), record });
      progress.end();
      for (const url of record.url) output.line(url);
      return;
    }
    try {
      const files = await downloadResults(task, this.#target, this.#options, this.#command);
      this.#finished.push({ task: task.toJSON(), record, files });
    } catch (error) {
      signal.throwIfAborted();
      this.#end(task, await explainUnsaved(error, task, this.#options, this.#target));
    }
  }

  #fail(task: AnyTask, thrown: unknown): void {
    const resume = resumeCommand([task], this.#options, this.#target);
    this.#end(task, explain(thrown, { task: nameOf(task), resume, timeout: this.#options.timeout.text }));
  }

  #end(task: AnyTask, error: CommandError): void {
    this.#errors.push(error);
    this.#finished.push({ task: task.toJSON(), error: error.message });
    this.#command.progress.end();
    tell(error);
  }

  #interrupt(interrupted: Interrupted): void {
    const rest = [...this.#left];
    if (rest.length === 0) return;
    const error = explain(interrupted, {
      task: rest.map(nameOf).join(", "),
      resume: resumeCommand(rest, this.#options, this.#target),
    });
    this.#command.progress.end();
    tell(error);
    this.#errors.unshift(error);
    this.#finished.push(...rest.map((task) => ({ task: task.toJSON(), error: error.message })));
  }
}

async function downloadResults(
  task: AnyTask,
  target: string,
  options: FinishOptions,
  { signal, progress, output }: OpenCommand,
): Promise<readonly Download[]> {
  const files = await download(task, target, {
    overwrite: options.overwrite,
    signal,
    onProgress({ index, count, bytes, totalBytes }) {
      const share = totalBytes ? `${Math.floor((100 * bytes) / totalBytes)} %` : `${Math.ceil(bytes / 1_000)} kB`;
      // In a pipe each piece would be a line.
      if (process.stderr.isTTY) progress.now(`${nameOf(task)} downloading ${index + 1} of ${count}, ${share}`);
    },
  });
  // stdout may be the same terminal.
  progress.end();
  for (const { path, bytes, type } of files) {
    const about = [basename(path), `${Math.ceil(bytes / 1_000)} kB`, ...(type === undefined ? [] : [type])];
    progress.note(`${nameOf(task)} ${about.join(", ")}`);
    output.line(path);
  }
  if (options.preview) for (const file of files) await preview(file);
  return files;
}

function updateText({ task, state, status, error }: WaitUpdate): string {
  if (state === undefined)
    return `${nameOf(task)} could not be queried: ${error instanceof Error ? error.message : String(error)}`;
  return `${nameOf(task)} ${state}${status === undefined ? "" : `, status ${status}`}`;
}
