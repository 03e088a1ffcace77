import { listModels, type AnyTask, type Kind } from "@mediagen/sdk/node";
import type { ConnectOptions } from "../client/connect.ts";
import { quoted } from "../terminal/printable.ts";

/** Returns a task as the command line spells it. */
export function nameOf({ kind, taskid }: { readonly kind: string; readonly taskid: string }): string {
  return `${kind}:${taskid}`;
}

/** Returns the kinds of tasks. */
export function kinds(): readonly Kind[] {
  return [...new Set(listModels().map(({ kind }) => kind))];
}

/** Reads a task as the command line spells it, or its id alone. */
export function readTaskName(text: string): readonly [kind: Kind | undefined, taskid: string] {
  const kind = kinds().find((one) => text.startsWith(`${one}:`));
  return [kind, kind === undefined ? text : text.slice(`${kind}:`.length)];
}

/** How the command is called: it may be installed in a project, or not at all. */
const ownName = nameIn(process.argv[1] ?? "");

function nameIn(path: string): string {
  if (/[\\/]_npx[\\/]/.test(path)) return "npx @mediagen/cli";
  return /[\\/]node_modules[\\/]\.bin[\\/]/.test(path) ? "npx mediagen" : "mediagen";
}

/** Returns a command that can be pasted into a shell; the words are quoted already. */
export function commandLine(...words: readonly (string | number)[]): string {
  return [ownName, ...words].join(" ");
}

/** Returns the command that is running, as it was typed. */
export function typedCommand(): string {
  return commandLine(...process.argv.slice(2).map(quoted));
}

/** Returns the options that a printed command has to repeat. Those from the environment apply to it anyway. */
export function flagsToRepeat({
  baseUrl,
  keyFd,
  allowHttp,
  store,
  failedStatus = [],
  pendingStatus = [],
}: ConnectOptions): readonly string[] {
  const flag = (name: string, value: string | number | undefined) =>
    value === undefined ? [] : [name, quoted(String(value))];
  return [
    ...flag("--base-url", baseUrl),
    ...flag("--key-fd", keyFd),
    ...(allowHttp ? ["--allow-http"] : []),
    ...(store === false ? ["--no-store"] : flag("--store", store)),
    ...failedStatus.flatMap((status) => flag("--failed-status", status)),
    ...pendingStatus.flatMap((status) => flag("--pending-status", status)),
  ];
}

/** Returns the command that waits for these tasks and, with a target, downloads their results. */
export function resumeCommand(
  tasks: readonly AnyTask[],
  options: ConnectOptions & { readonly overwrite?: true },
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

/** Returns the two commands that resolve a generation of unknown outcome: its task was found, or there is none. */
export function resolveCommands(generationId: string, options: ConnectOptions): readonly [string, string] {
  const command = (...outcome: string[]) =>
    commandLine("recover", "--resolve", quoted(generationId), ...outcome, ...flagsToRepeat(options));
  return [command("--taskid", "TASKID"), command("--not-created")];
}
