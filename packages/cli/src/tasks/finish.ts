import {
  type AnyTask,
  type Download,
  type MediaGen,
  type TaskJSON,
  type TaskRecord,
  type WaitUpdate,
  waitEach,
} from "@mediagen/sdk/node";
import type { CommandContext } from "../client/connect.ts";
import { type CommandError, Interrupted, messageOf, tell } from "../errors/command-error.ts";
import { explain } from "../errors/explain.ts";
import { flagsOf, type Options } from "../flags/flags.ts";
import { downloadResults } from "./download-results.ts";
import { explainUnsaved } from "./explain-unsaved.ts";
import { resumeCommand } from "./resume-commands.ts";
import { recordSaved } from "./store-entries.ts";
import { nameOf } from "./task-name.ts";

/** The outcome of one task, as `--json` prints it. */
export interface Finished {
  readonly task: TaskJSON;
  readonly record?: TaskRecord;
  readonly files?: readonly Download[];
  readonly error?: CommandError;
}

/** The outcomes of several tasks. */
export interface FinishResult {
  readonly finished: readonly Finished[];
  /** The interrupt if there was one, otherwise the first error. All of them have been printed. */
  readonly error: CommandError | undefined;
}

/**
 * Waits for tasks, downloads their results, and prints each at once. An error of one task does not
 * stop the others.
 */
export function finish(host: FinishHost, tasks: readonly AnyTask[]): Promise<FinishResult> {
  return new Finisher(host, tasks).run();
}

/** Dependencies of `finish`. */
export interface FinishHost {
  readonly media: MediaGen;
  readonly options: Options;
  readonly context: CommandContext;
  /** The target of downloads; undefined if only the URLs of results are printed. */
  readonly target: string | undefined;
}

class Finisher {
  readonly #host: FinishHost;
  readonly #count: number;
  readonly #left: Set<AnyTask>;
  readonly #finished: Finished[] = [];
  readonly #errors: CommandError[] = [];
  readonly #shown = new Map<unknown, string>();

  constructor(host: FinishHost, tasks: readonly AnyTask[]) {
    this.#host = host;
    this.#count = tasks.length;
    this.#left = new Set(tasks);
  }

  async run(): Promise<FinishResult> {
    const { options, context } = this.#host;
    const { progress, signal } = context;
    const tasks = [...this.#left];
    if (tasks.length > 0)
      progress.now(
        `waiting for ${tasks.length > 1 ? `${tasks.length} tasks` : tasks.map(nameOf).join("")}`,
      );
    try {
      const onUpdate = (update: WaitUpdate) => this.#show(update);
      for await (const outcome of waitEach(tasks, {
        waitTimeoutMs: options.timeout,
        signal,
        onUpdate,
      })) {
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
    this.#host.context.progress.now(
      this.#count > 1 ? `${done} of ${this.#count} done, ${text}` : text,
    );
  }

  async #succeed(task: AnyTask, record: TaskRecord): Promise<void> {
    const { media, options, context, target } = this.#host;
    const { progress, output, signal } = context;
    if (target === undefined) {
      this.#finished.push({ task: task.toJSON(), record });
      progress.end();
      for (const url of record.url) output.line(url);
      return;
    }
    try {
      const files = await downloadResults(task, target, options, context);
      const paths = files.map(({ path }) => path);
      await recordSaved(media.store, task, paths);
      this.#finished.push({ task: task.toJSON(), record, files });
    } catch (error) {
      signal.throwIfAborted();
      this.#end(task, await explainUnsaved(error, task, options, target));
    }
  }

  #fail(task: AnyTask, thrown: unknown): void {
    const { options, target } = this.#host;
    const resume = resumeCommand([task], options, target);
    this.#end(task, explain(thrown, { task: nameOf(task), resume, flags: flagsOf("generate") }));
  }

  #end(task: AnyTask, error: CommandError): void {
    this.#errors.push(error);
    this.#finished.push({ task: task.toJSON(), error });
    this.#host.context.progress.end();
    tell(error);
  }

  #interrupt(interrupted: Interrupted): void {
    const rest = [...this.#left];
    if (rest.length === 0) return;
    const { options, context, target } = this.#host;
    const resume = resumeCommand(rest, options, target);
    const error = explain(interrupted, { task: rest.map(nameOf).join(", "), resume });
    context.progress.end();
    tell(error);
    this.#errors.unshift(error);
    this.#finished.push(...rest.map((task) => ({ task: task.toJSON(), error })));
  }
}

function updateText({ task, state, status, error }: WaitUpdate): string {
  if (state === undefined) return `${nameOf(task)} could not be queried: ${messageOf(error)}`;
  // A narrow terminal cuts off the id.
  return `${state}${status === undefined ? "" : `, status ${status}`}: ${nameOf(task)}`;
}
