import { openContext } from "../client/connect.ts";
import type { Options } from "../flags/flags.ts";
import { findTasks } from "../tasks/find-tasks.ts";
import { recordDeleted } from "../tasks/store-records.ts";
import { nameOf } from "../tasks/task-name.ts";

/** `mediagen task delete`: deletes tasks. `further` has the service's fields besides the ids. */
export async function deleteTasks(
  ids: readonly string[],
  options: Options,
  further: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { signal, progress, output, connect } = openContext(options);
  const media = await connect();
  const tasks = await findTasks(ids, options, media);
  for (const kind of new Set(tasks.map((task) => task.kind))) {
    const taskids = tasks.filter((task) => task.kind === kind).map(({ taskid }) => taskid);
    await media[kind].delete(taskids, { ...further, signal });
    for (const task of tasks) if (task.kind === kind) await recordDeleted(media.store, task);
    progress.end();
    for (const taskid of taskids) output.line(nameOf({ kind, taskid }));
  }
  output.document({ deleted: tasks });
}
