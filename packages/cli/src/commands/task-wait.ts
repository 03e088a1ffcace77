import { openContext } from "../client/connect.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { Command, Parsed } from "../usage/command.ts";
import { checkTarget } from "../files/target.ts";
import { findTasks } from "../tasks/find-tasks.ts";
import { finish } from "../tasks/finish.ts";

/**
 * `mediagen task wait` and `mediagen task download`: waits for tasks, and prints or downloads their
 * results.
 */
export async function run({ words, options }: Parsed, { name }: Command): Promise<void> {
  const target = name === "task wait" ? undefined : (options.output ?? ".");
  const context = openContext(options);
  const media = await context.connect();
  const tasks = await findTasks(words, options, media);
  // Nothing is billed here, and a file of an earlier run is only compared.
  const count = Math.max(...tasks.map((task) => task.resultCount));
  if (target !== undefined)
    await checkTarget(target, { ...options, overwrite: true, several: tasks.length > 1, count });
  const { finished, error } = await finish({ media, options, context, target }, tasks);
  context.output.document(finished);
  process.exitCode = error?.exitCode ?? exitCodes.done;
}
