import { dirname } from "node:path";
import { InvalidRequestError, type AnyTask } from "@mediagen/sdk/node";
import { CommandError, messageOf } from "../errors/command-error.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { flagsOf, type Options, withFlags } from "../flags/flags.ts";
import { isDirectoryTarget } from "../files/target.ts";
import { withCommands } from "../terminal/shell-commands.ts";
import { resumeCommand } from "./resume-commands.ts";
import { nameOf } from "./task-name.ts";

/**
 * Explains why the results of a task that has succeeded are not on the disk, and how to get them
 * there.
 */
export async function explainUnsaved(
  error: unknown,
  task: AnyTask,
  options: Options,
  target: string,
): Promise<CommandError> {
  if (error instanceof CommandError) return error;
  const taken =
    error instanceof InvalidRequestError &&
    error.issues.find(({ code }) => code === "alreadyExists");
  const why = taken ? withFlags(taken.message, flagsOf("download")) : messageOf(error);
  const fail = (sentence: string, command: string) =>
    new CommandError(`the results of ${nameOf(task)} could not be saved: ${why}`, {
      advice: withCommands(`Nothing is billed again. ${sentence}`, command),
      exitCode: exitCodes.unsaved,
      cause: error,
      billed: "yes",
    });
  if (!taken) return fail("Fix that, then continue with:", resumeCommand([task], options, target));
  // In a directory, results are named by their task.
  if (await isDirectoryTarget(target))
    return fail("Replace it with:", resumeCommand([task], { ...options, overwrite: true }, target));
  const directory = `${dirname(target)}/`;
  return fail("Save them under the task's id:", resumeCommand([task], options, directory));
}
