import { basename } from "node:path";
import {
  download,
  type AnyTask,
  type Download,
  type MediaGen,
  type TaskJSON,
  type TaskRecord,
  type WaitUpdate,
} from "@mediagen/sdk/node";
import { connectFlags, type ConnectOptions } from "./connect.ts";
import { explain, tell, type CommandError } from "./explain.ts";
import { Interrupted } from "./interrupt.ts";
import type { Output } from "./output.ts";
import { preview } from "./preview.ts";
import { quoted } from "./printable.ts";
import type { Progress } from "./progress.ts";

/** How results are waited for and fetched. */
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

/** What finishing tasks stands on. */
export interface FinishContext {
  readonly media: MediaGen;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly output: Output;
  /** Where the results go; undefined where only their addresses are asked for. */
  readonly target: string | undefined;
}

/** A task as the command line spells it. */
export function nameOf({ kind, taskid }: { readonly kind: string; readonly taskid: string }): string {
  return `${kind}:${taskid}`;
}

/**
 * Waits for tasks, fetches their results, and prints each as soon as it is there. The errors of some do not hold up the
 * others: they are told, and answered is an interrupt, else the first.
 */
export async function finish(
  tasks: readonly AnyTask[],
  options: FinishOptions,
  context: FinishContext,
): Promise<{ readonly finished: readonly Finished[]; readonly error: CommandError | undefined }> {
  const { media, signal, progress, output, target } = context;
  const finished: Finished[] = [];
  const left = new Set(tasks);
  const errors: CommandError[] = [];
  const failed = (task: AnyTask, thrown: unknown) => {
    const error = explain(thrown, {
      task: nameOf(task),
      resume: resumeCommand([task], options, target),
      timeout: options.timeout.text,
    });
    errors.push(error);
    finished.push({ task: task.toJSON(), error: error.message });
    progress.end();
    tell(error);
  };
  const told = new Map<unknown, string>();
  const onUpdate = (update: WaitUpdate) => {
    const text = updateText(update);
    // In a pipe, each is a line: what has not changed is not told again.
    if (told.get(update.task) === text) return;
    told.set(update.task, text);
    progress.now(tasks.length > 1 ? `${tasks.length - left.size} of ${tasks.length} done, ${text}` : text);
  };
  if (tasks.length > 0)
    progress.now(`waiting for ${tasks.length > 1 ? `${tasks.length} tasks` : tasks.map(nameOf).join("")}`);
  try {
    for await (const { task, record, error } of media.settle(tasks, {
      timeoutMs: options.timeout.ms,
      signal,
      onUpdate,
    })) {
      if (!record) failed(task, error);
      else if (target === undefined) {
        finished.push({ task: task.toJSON(), record });
        progress.end();
        for (const address of record.url) output.line(address);
      } else {
        try {
          finished.push({ task: task.toJSON(), record, files: await fetchResults(task, target, options, context) });
        } catch (thrown) {
          signal.throwIfAborted();
          failed(task, thrown);
        }
      }
      left.delete(task);
    }
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    const rest = [...left];
    const interrupted = explain(error, {
      task: rest.map(nameOf).join(", "),
      resume: resumeCommand(rest, options, target),
    });
    progress.end();
    tell(interrupted);
    errors.unshift(interrupted);
    finished.push(...rest.map((task) => ({ task: task.toJSON(), error: interrupted.message })));
  } finally {
    progress.end();
  }
  return { finished, error: errors[0] };
}

async function fetchResults(
  task: AnyTask,
  target: string,
  options: FinishOptions,
  { signal, progress, output }: FinishContext,
): Promise<readonly Download[]> {
  const files = await download(task, target, {
    overwrite: options.overwrite,
    signal,
    onProgress({ index, count, bytes, totalBytes }) {
      const share = totalBytes ? `${Math.floor((100 * bytes) / totalBytes)} %` : `${Math.ceil(bytes / 1_000)} kB`;
      // Elsewhere than on a terminal each piece would be a line.
      if (process.stderr.isTTY) progress.now(`${nameOf(task)} downloading ${index + 1} of ${count}, ${share}`);
    },
  });
  // Results may go to the same terminal.
  progress.end();
  for (const { path, bytes, type } of files) {
    progress.note(
      `${nameOf(task)} ${basename(path)}, ${Math.ceil(bytes / 1_000)} kB${type === undefined ? "" : `, ${type}`}`,
    );
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

/** The command that waits for these tasks and fetches what this one would have. */
export function resumeCommand(tasks: readonly AnyTask[], options: FinishOptions, target: string | undefined): string {
  const results = Math.max(...tasks.map((task) => task.results));
  return [
    "mediagen task",
    target === undefined ? "wait" : "download",
    ...tasks.map((task) => quoted(nameOf(task))),
    ...(results > 1 ? ["--results", results] : []),
    ...(target === undefined ? [] : ["-o", quoted(target)]),
    ...(options.overwrite ? ["--overwrite"] : []),
    ...connectFlags(options),
  ].join(" ");
}
