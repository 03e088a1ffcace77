import { type Command, InvalidArgumentError, Option } from "commander";
import { readDuration } from "../terminal/text.ts";

/** Adds the options for the target of results. */
export function addResultOptions(
  command: Command,
  output: string = `a file, a directory, or "-" for stdout (default: the current directory)`,
): void {
  command.option("-o, --output <path>", output, readPath).option("--overwrite", "replace existing files");
}

/** Adds the option for the number of results of a task. */
export function addResultCountOption(command: Command): void {
  command.option(
    "--results <count>",
    "how many results the form requested (default: as in the store, otherwise 1)",
    readPositive,
  );
}

/** Adds the option for the timeout of waits. */
export function addWaitOptions(command: Command): void {
  command.addOption(
    new Option("--timeout <time>", "maximum time to wait, such as 90s, 30m or 2h")
      .default(30 * 60_000, "30m")
      .argParser(readTime),
  );
}

/** Adds the option for the store. */
export function addStoreOption(command: Command): void {
  command.option("--store <dir>", "where generations are recorded (default: the state directory)", readPath);
}

/** Adds the options for the output. */
export function addPrintOptions(command: Command): void {
  command.addOption(jsonOption()).option("-q, --quiet", "print no progress on stderr");
}

/** Adds the options for the connection and the meaning of statuses. */
export function addConnectOptions(command: Command): void {
  command
    .option("--failed-status <n>", "a status that means that a task failed; may be repeated", collectStatus)
    .addOption(baseUrlOption())
    .option("--key-fd <n>", "read the API key from this file descriptor (default: MEDIAGEN_API_KEY)", readCount)
    .option("--allow-http", "allow http to another machine, which exposes the key to the network");
}

export function baseUrlOption(): Option {
  return new Option("--base-url <url>", "the URL of the service (default: MEDIAGEN_BASE_URL)");
}

export function jsonOption(): Option {
  return new Option("--json", "print one JSON document, also if the command fails");
}

/** Collects the values of a repeated option. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Rejects an empty path: it usually comes from a variable of the shell that is not set. */
export function readPath(path: string): string {
  if (path === "") throw new InvalidArgumentError("The path is empty.");
  return path;
}

function collectStatus(value: string, before: readonly number[] = []): readonly number[] {
  if (!/^-?\d+$/.test(value)) throw new InvalidArgumentError("Use a whole number.");
  return [...before, Number(value)];
}

function readCount(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError("Use a whole number.");
  return Number(value);
}

export function readPositive(value: string): number {
  if (!/^0*[1-9]\d*$/.test(value)) throw new InvalidArgumentError("Use a whole number, 1 or more.");
  return Number(value);
}

function readTime(text: string): number {
  const ms = readDuration(text);
  if (ms === undefined) throw new InvalidArgumentError("Use a time such as 90s, 30m or 2h.");
  return ms;
}
