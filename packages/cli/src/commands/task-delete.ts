import { openContext } from "../client/connect.ts";
import type { Parsed } from "../usage/command.ts";
import { findTasks } from "../tasks/find-tasks.ts";
import { recordDeleted } from "../tasks/store-entries.ts";
import { nameOf } from "../tasks/task-name.ts";

/** `mediagen task delete`: deletes tasks. The service's fields besides the ids are flags. */
export async function run({ words, options, fields }: Parsed): Promise<void> {
  const { signal, progress, output, connect } = openContext(options);
  const media = await connect();
  const tasks = await findTasks(words, options, media);
  for (const kind of new Set(tasks.map((task) => task.kind))) {
    const taskids = tasks.filter((task) => task.kind === kind).map(({ taskid }) => taskid);
    await media[kind].delete(taskids, { ...Object.fromEntries(fields), signal });
    for (const task of tasks) if (task.kind === kind) await recordDeleted(media.store, task);
    progress.end();
    for (const taskid of taskids) output.line(nameOf({ kind, taskid }));
  }
  output.document({ deleted: tasks });
}
