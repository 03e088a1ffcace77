import type { AnyTask, MediaGen } from "@mediagen/sdk/node";
import { usageError } from "../errors/command-error.ts";
import type { Options } from "../flags/flags.ts";
import { readEntries } from "./store-entries.ts";
import { kinds, readTaskName } from "./task-name.ts";

/** Returns the tasks of arguments such as `video:ID`, or of ids alone that the store has. */
export async function findTasks(
  ids: readonly string[],
  { results }: Options,
  media: MediaGen,
): Promise<readonly AnyTask[]> {
  const { entries } = await readEntries(media.store, ["created", "ended"]);
  const recorded = entries.flatMap(({ task }) => (task?.origin === media.origin ? [task] : []));
  return ids.map((argument) => {
    const [kind, taskid] = readTaskName(argument);
    const found = recorded.filter(
      (task) => task.taskid === taskid && (kind ?? task.kind) === task.kind,
    );
    const [known] = found;
    if (known && found.every((task) => task.kind === known.kind))
      return media.task(results === undefined ? known : { ...known, resultCount: results });
    // The cast: the handle is of the kind that it is requested for.
    if (kind !== undefined) return media[kind].task(taskid, { resultCount: results }) as AnyTask;
    const [, prefix] = /^(\w+):/.exec(argument) ?? [];
    const why =
      prefix === undefined
        ? "the kind of this task is unknown"
        : `"${prefix}" is not a kind of tasks`;
    const spelled = kinds().map((one) => `${one}:${argument.slice(argument.lastIndexOf(":") + 1)}`);
    throw usageError(
      known
        ? `${argument}: the store has several tasks with this id`
        : `${argument}: ${why}, and the store has no such task`,
      `Pass ${spelled.join(" or ")}. mediagen task list lists the tasks of the store.`,
    );
  });
}
