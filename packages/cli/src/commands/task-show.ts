import { openContext } from "../client/connect.ts";
import { tell } from "../errors/command-error.ts";
import { explain } from "../errors/explain.ts";
import { flagsOf } from "../flags/flags.ts";
import { findTasks } from "../tasks/find-tasks.ts";
import type { Parsed } from "../usage/command.ts";
import { nameOf } from "../tasks/task-name.ts";

/** `mediagen task show`: prints each task's state, status and result URLs. */
export async function run({ words, options }: Parsed): Promise<void> {
  const { signal, progress, output, connect } = openContext(options);
  const shown: object[] = [];
  const media = await connect();
  for (const task of await findTasks(words, options, media)) {
    try {
      const { state: found, status, record } = await task.check({ signal });
      const entry =
        task.generationId === undefined ? undefined : await media.store?.get(task.generationId);
      const state = entry?.outcome === "deleted" ? "deleted" : found;
      shown.push({ task, state, status, record });
      progress.end();
      output.line([nameOf(task), state, status ?? "", ...(record?.url ?? [])].join("\t"));
    } catch (error) {
      signal.throwIfAborted();
      const explained = explain(error, { task: nameOf(task), flags: flagsOf("show") });
      shown.push({ task, error: explained });
      tell(explained);
      process.exitCode ??= explained.exitCode;
    }
  }
  progress.end();
  output.document(shown);
}
