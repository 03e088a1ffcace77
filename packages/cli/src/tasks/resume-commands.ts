import type { AnyTask } from "@mediagen/sdk/node";
import type { Unresolved } from "../errors/explain.ts";
import type { Options } from "../flags/flags.ts";
import { commandLine, quoted } from "../terminal/shell-commands.ts";
import { nameOf } from "./task-name.ts";

/**
 * Returns the options that a printed command has to repeat. Those from the environment apply to it
 * anyway.
 */
export function flagsToRepeat({
  baseUrl,
  allowHttp,
  store,
  failedStatus = [],
}: Options): readonly string[] {
  const flag = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [name, quoted(String(value))];
  return [
    ...flag("--base-url", baseUrl),
    ...(allowHttp ? ["--allow-http"] : []),
    ...flag("--store", store),
    ...failedStatus.flatMap((status) => flag("--failed-status", status)),
  ];
}

/** Returns the command that waits for these tasks and, with a target, downloads their results. */
export function resumeCommand(
  tasks: readonly AnyTask[],
  options: Options,
  target: string | undefined,
): string {
  const results = Math.max(...tasks.map((task) => task.resultCount));
  return commandLine(
    "task",
    target === undefined ? "wait" : "download",
    ...tasks.map((task) => quoted(nameOf(task))),
    ...(results > 1 ? ["--results", results] : []),
    ...(target === undefined ? [] : ["-o", quoted(target)]),
    ...(options.overwrite ? ["--overwrite"] : []),
    ...flagsToRepeat(options),
  );
}

/** The advice on a generation of unknown outcome, before the two commands that resolve it. */
export const lookForTask =
  "Look in the service's console for the task, or ask its support. Then record its id, or that there is none:";

/**
 * Returns the two commands that resolve a generation of unknown outcome: its task was found, or
 * there is none.
 */
export function resolveCommands(
  { generationId, attempt, taskid = "TASKID" }: Unresolved,
  options: Options,
): readonly [string, string] {
  const command = (...outcome: string[]) =>
    commandLine(
      "recover",
      "--resolve",
      quoted(generationId),
      "--attempt",
      quoted(attempt),
      ...outcome,
      ...flagsToRepeat(options),
    );
  return [command("--taskid", quoted(taskid)), command("--not-created")];
}
