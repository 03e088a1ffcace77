import { type AnyTask, type GenerationStore, type Kind, type TaskJSON } from "@mediagen/sdk/node";
import type { Connected, ConnectOptions } from "./connect.ts";
import { CommandError, explain, tell } from "./explain.ts";
import { exitCodes } from "./exit-codes.ts";
import { finish, type FinishOptions } from "./finish.ts";
import { openCommand } from "./open-command.ts";
import { kinds, nameOf, readTaskName } from "./printed-commands.ts";
import { checkTarget } from "./target.ts";

interface TaskCommandOptions extends ConnectOptions {
  readonly kind?: Kind;
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
      shown.push({ task, error: explained.message });
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
  const tasks = await findTasks(ids, options, await command.connect());
  // Nothing is billed here, and a file of an earlier run is only compared.
  if (target !== undefined) await checkTarget(target, { overwrite: true, several: tasks.length > 1 });
  const { finished, error } = await finish(tasks, options, command, target);
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
  const connected = await connect();
  const tasks = await findTasks(ids, options, connected);
  for (const kind of new Set(tasks.map((task) => task.kind))) {
    const taskids = tasks.filter((task) => task.kind === kind).map(({ taskid }) => taskid);
    await connected.media[kind].delete(taskids, { ...further, signal });
    progress.end();
    for (const taskid of taskids) output.line(nameOf({ kind, taskid }));
  }
  output.document({ deleted: tasks.map(nameOf) });
}

/** A task as an argument names it. */
interface NamedTask {
  readonly argument: string;
  readonly taskid: string;
  readonly kind: Kind | undefined;
}

/** Returns the tasks of arguments such as `video:ID`, or of ids alone with `--kind` or a store that has them. */
async function findTasks(
  ids: readonly string[],
  { kind: given, results }: TaskCommandOptions,
  { media, store }: Connected,
): Promise<readonly AnyTask[]> {
  const named = ids.map((argument): NamedTask => {
    const [kind = given, taskid] = readTaskName(argument);
    return { argument, taskid, kind };
  });
  const recorded = store ? await findRecorded(named, store, media.origin) : [];
  return named.map(({ argument, taskid, kind }) => {
    const found = recorded.filter((task) => task.taskid === taskid && (kind ?? task.kind) === task.kind);
    const [known] = found;
    if (known && found.every((task) => task.kind === known.kind))
      return media.task(results === undefined ? known : { ...known, resultCount: results });
    if (kind === undefined) {
      const spelled = kinds()
        .map((one) => `${one}:${argument}`)
        .join(" or ");
      const advice = `Write ${spelled}, add --kind, or add the --store that has it.`;
      throw new CommandError(
        `${argument}: the id alone does not say which kind of task it is`,
        advice,
        exitCodes.usage,
      );
    }
    // The cast: the handle is of the kind that it is requested for.
    return media[kind].task(taskid, { resultCount: results }) as AnyTask;
  });
}

/** Returns the store's tasks with these ids at this service. */
async function findRecorded(
  named: readonly NamedTask[],
  store: GenerationStore,
  origin: string,
): Promise<readonly TaskJSON[]> {
  const taskids = new Set(named.map(({ taskid }) => taskid));
  const found: TaskJSON[] = [];
  for await (const record of store.list({ states: ["created", "ended"] })) {
    if ("unreadable" in record || record.origin !== origin || !record.task) continue;
    if (taskids.has(record.task.taskid)) found.push(record.task);
  }
  return found;
}
