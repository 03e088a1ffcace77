import type { AnyTask, Kind } from "@mediagen/sdk/node";
import { connect, type Connected, type ConnectOptions } from "./connect.ts";
import { CommandError, explain, tell } from "./explain.ts";
import { exitCodes } from "./exit-codes.ts";
import { finish, nameOf, type FinishOptions } from "./finish.ts";
import { listenForInterrupt } from "./interrupt.ts";
import { createOutput } from "./output.ts";
import { createProgress } from "./progress.ts";
import { checkTarget } from "./target.ts";

interface TaskCommandOptions extends ConnectOptions {
  readonly kind?: Kind;
  readonly results?: number;
}

/** `mediagen task show`. */
export async function showTasks(ids: readonly string[], options: TaskCommandOptions): Promise<void> {
  const { signal } = listenForInterrupt();
  const output = createOutput(options);
  const shown: object[] = [];
  const progress = createProgress(options);
  for (const task of await findTasks(ids, options, await connect(options, { signal, progress }))) {
    try {
      const { state, status, record } = await task.check({ signal });
      shown.push({ task, state, status, record });
      progress.end();
      output.line([nameOf(task), state, status ?? "", ...record.url].join("\t"));
    } catch (error) {
      signal.throwIfAborted();
      const explained = explain(error, { task: nameOf(task) });
      shown.push({ task, error: explained.message });
      tell(explained);
      process.exitCode ??= explained.exitCode;
    }
  }
  progress.end();
  output.document(shown);
}

/** `mediagen task wait`, and `download` where there is a target. */
export async function finishTasks(
  ids: readonly string[],
  options: TaskCommandOptions & FinishOptions,
  target: string | undefined,
): Promise<void> {
  const { signal } = listenForInterrupt();
  const progress = createProgress(options);
  const connected = await connect(options, { signal, progress });
  const tasks = await findTasks(ids, options, connected);
  if (target !== undefined) await checkTarget(target, { ...options, several: tasks.length > 1 });
  const output = createOutput(options);
  const { finished, error } = await finish(tasks, options, {
    media: connected.media,
    signal,
    progress,
    output,
    target,
  });
  output.document(finished);
  process.exitCode = error?.exitCode ?? exitCodes.done;
}

/** `mediagen task delete`; `further` is what the service takes beside the ids. */
export async function deleteTasks(
  ids: readonly string[],
  options: TaskCommandOptions,
  further: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { signal } = listenForInterrupt();
  const progress = createProgress(options);
  const connected = await connect(options, { signal, progress });
  const output = createOutput(options);
  const tasks = await findTasks(ids, options, connected);
  for (const kind of new Set(tasks.map((task) => task.kind))) {
    const taskids = tasks.filter((task) => task.kind === kind).map(({ taskid }) => taskid);
    await connected.media[kind].delete(taskids, { ...further, signal });
    progress.end();
    for (const taskid of taskids) output.line(nameOf({ kind, taskid }));
  }
  output.document({ deleted: tasks.map(nameOf) });
}

/** The tasks of ids as the command line spells them: with their kind before them, or as the journal knows them. */
async function findTasks(
  ids: readonly string[],
  { kind: given, results }: TaskCommandOptions,
  { media, journal }: Connected,
): Promise<readonly AnyTask[]> {
  const entries = (await journal?.entries()) ?? [];
  const kinds = new Set(media.models.map(({ kind }) => kind));
  return ids.map((id) => {
    const [prefix = ""] = id.split(":", 1);
    const kind = [...kinds].find((one) => one === prefix);
    const taskid = kind === undefined ? id : id.slice(kind.length + 1);
    const known = entries
      .flatMap((entry) =>
        entry.type === "created" &&
        entry.task.taskid === taskid &&
        (kind ?? given ?? entry.task.kind) === entry.task.kind
          ? [entry.task]
          : [],
      )
      .at(-1);
    if (known) return media.task(results === undefined ? known : { ...known, results });
    const chosen = kind ?? given;
    if (chosen === undefined) {
      const advice = `Write ${[...kinds].map((one) => `${one}:${id}`).join(" or ")}, or give --kind, or the --journal that knows it.`;
      throw new CommandError(`${id}: an id alone does not tell its kind`, advice, exitCodes.usage);
    }
    // The cast: the handle of either kind, by the kind that it is.
    return media[chosen].task(taskid, { results }) as AnyTask;
  });
}
