import { dirname } from "node:path";
import { InvalidRequestError, type AnyTask } from "@mediagen/sdk/node";
import type { ConnectOptions } from "../client/connect.ts";
import { CommandError, messageOf } from "../errors/command-error.ts";
import { describeIssues } from "../errors/explain-issue.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { isDirectoryTarget } from "../files/target.ts";
import { withCommands } from "../terminal/shell-commands.ts";
import { resumeCommand } from "./resume-commands.ts";
import { nameOf } from "./task-name.ts";

/** Explains why the results of a task that has succeeded are not on the disk, and how to get them there. */
export async function explainUnsaved(
  error: unknown,
  task: AnyTask,
  options: ConnectOptions,
  target: string,
): Promise<CommandError> {
  if (error instanceof CommandError) return error;
  const failed = (why: string, sentence: string, command: string) =>
    new CommandError(
      `the results of ${nameOf(task)} could not be saved: ${why}`,
      withCommands(`Nothing is billed again. ${sentence}`, command),
      exitCodes.unsaved,
      error,
      nameOf(task),
    );
  const taken = error instanceof InvalidRequestError && error.issues.find(({ code }) => code === "alreadyExists");
  if (!taken) {
    return failed(messageOf(error), "Fix that, then continue with:", resumeCommand([task], options, target));
  }
  const why = describeIssues([taken], undefined);
  // In a directory, results are named by their task.
  if (await isDirectoryTarget(target))
    return failed(why, "Replace it with:", resumeCommand([task], { ...options, overwrite: true }, target));
  return failed(why, "Save them under the task's id:", resumeCommand([task], options, `${dirname(target)}/`));
}
