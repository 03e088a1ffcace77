import type { AnyTask, MediaGen } from "@mediagen/sdk/node";
import { openCommand } from "../client/command-context.ts";
import type { ConnectOptions } from "../client/connect.ts";
import { CommandError, errorDocument, tell } from "../errors/command-error.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { explain } from "../errors/explain.ts";
import { checkTarget } from "../files/target.ts";
import { finish, type FinishOptions } from "../tasks/finish.ts";
import { readRecords, recordDeleted } from "../tasks/store-records.ts";
import { kinds, nameOf, readTaskName } from "../tasks/task-name.ts";

interface TaskCommandOptions extends ConnectOptions {
  readonly results?: number;
}

/** `mediagen task show`. */
export async function showTasks(ids: readonly string[], options: TaskCommandOptions): Promise<void> {
  const { signal, progress, output, connect } = openCommand(options);
  const shown: object[] = [];
  for (const task of await findTasks(ids, options, await connect())) {
    try {
      const { state, status, record } = await task.check({ signal });
      shown.push({ task, state, status, record });
      progress.end();
      output.line([nameOf(task), state, status ?? "", ...(record?.url ?? [])].join("\t"));
    } catch (error) {
      signal.throwIfAborted();
      const explained = explain(error, { task: nameOf(task) });
      shown.push({ task, error: errorDocument(explained) });
      tell(explained);
      process.exitCode ??= explained.exitCode;
    }
  }
  progress.end();
  output.document(shown);
}

/** `mediagen task wait`, and with a target `download`. */
export async function finishTasks(
  ids: readonly string[],
  options: TaskCommandOptions & FinishOptions,
  target: string | undefined,
): Promise<void> {
  const command = openCommand(options);
  const media = await command.connect();
  const tasks = await findTasks(ids, options, media);
  // Nothing is billed here, and a file of an earlier run is only compared.
  const count = Math.max(...tasks.map((task) => task.resultCount));
  if (target !== undefined)
    await checkTarget(target, { ...options, overwrite: true, several: tasks.length > 1, count });
  const { finished, error } = await finish(media, tasks, options, command, target);
  command.output.document(finished);
  process.exitCode = error?.exitCode ?? exitCodes.done;
}

/** `mediagen task delete`; `further` is what the service takes besides the ids. */
export async function deleteTasks(
  ids: readonly string[],
  options: TaskCommandOptions,
  further: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { signal, progress, output, connect } = openCommand(options);
  const media = await connect();
  const tasks = await findTasks(ids, options, media);
  for (const kind of new Set(tasks.map((task) => task.kind))) {
    const taskids = tasks.filter((task) => task.kind === kind).map(({ taskid }) => taskid);
    await media[kind].delete(taskids, { ...further, signal });
    for (const task of tasks) if (task.kind === kind) await recordDeleted(media.store, task);
    progress.end();
    for (const taskid of taskids) output.line(nameOf({ kind, taskid }));
  }
  output.document({ deleted: tasks.map(nameOf) });
}

/** Returns the tasks of arguments such as `video:ID`, or of ids alone that the store has. */
async function findTasks(
  ids: readonly string[],
  { results }: TaskCommandOptions,
  media: MediaGen,
): Promise<readonly AnyTask[]> {
  const { records } = media.store ? await readRecords(media.store, ["created", "ended"]) : { records: [] };
  const recorded = records.flatMap(({ task }) => (task?.origin === media.origin ? [task] : []));
  return ids.map((argument) => {
    const [kind, taskid] = readTaskName(argument);
    const found = recorded.filter((task) => task.taskid === taskid && (kind ?? task.kind) === task.kind);
    const [known] = found;
    if (known && found.every((task) => task.kind === known.kind))
      return media.task(results === undefined ? known : { ...known, resultCount: results });
    // The cast: the handle is of the kind that it is requested for.
    if (kind !== undefined) return media[kind].task(taskid, { resultCount: results }) as AnyTask;
    const spelled = kinds()
      .map((one) => `${one}:${argument}`)
      .join(" or ");
    throw new CommandError(
      known
        ? `${argument}: the store has several tasks with this id`
        : `${argument}: the kind of this task is unknown, because it is not in the store`,
      `Pass ${spelled}. mediagen task list lists the tasks of the store.`,
      exitCodes.usage,
    );
  });
}
