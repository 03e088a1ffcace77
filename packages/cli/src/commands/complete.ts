import { fileStore } from "@mediagen/sdk/node";
import { stateDirectory } from "@mediagen/sdk/kit";
import type { Command, Option } from "commander";
import { fieldFlagsOf } from "../flags/field-flags.ts";
import { readRecords } from "../tasks/store-records.ts";
import { nameOf } from "../tasks/task-name.ts";

/** Printed to the shell if file names complete the word, or its part after `--name=`. */
const filesMark = ":files";

/** Commands of other packages, which read their own options. */
const otherFlags: Readonly<Record<string, string>> = {
  emulator: "port host public-url key credits seed speed state fresh results report help",
  mcp: "output allow max-results no-confirm must-confirm store help",
};

/** A word that completes the last one, and its description. */
type Candidate = readonly [word: string, description?: string];

/** The parsed words before the last one. */
interface Read {
  readonly command: Command;
  /** The option whose value the last word is. */
  readonly awaiting: Option | undefined;
  /** Values of options, by the names of their attributes. */
  readonly given: ReadonlyMap<string, string>;
  /** Number of arguments. */
  readonly position: number;
}

/**
 * `mediagen __complete`, which the completion scripts call: returns the lines that complete the last word, a candidate each, and after a
 * tab its description if it has one.
 */
export async function complete(program: Command, words: readonly string[]): Promise<readonly string[]> {
  const last = words.at(-1) ?? "";
  const read = readWords(program, words.slice(0, -1));
  return (await candidatesFor(last, read))
    .filter(([word]) => word.startsWith(last) || word === filesMark)
    .map(([word, description]) => (description ? `${word}\t${description.replace(/\s+/g, " ")}` : word));
}

function readWords(program: Command, words: readonly string[]): Read {
  let command = program;
  let awaiting: Option | undefined;
  let position = 0;
  const given = new Map<string, string>();
  for (const word of words) {
    const [name = "", value] = word.split(/=(.*)/s);
    if (awaiting) {
      given.set(awaiting.attributeName(), word);
      awaiting = undefined;
    } else if (word.startsWith("-")) {
      const option = command.options.find(({ long, short }) => name === long || name === short);
      if (option && value !== undefined) given.set(option.attributeName(), value);
      else if (option?.required) awaiting = option;
    } else {
      const next = command.commands.find((one) => one.name() === word);
      if (next) command = next;
      else position++;
    }
  }
  return { command, awaiting, given, position };
}

/** Returns the flags of the emulator's settings. */
async function settingFlags(): Promise<readonly string[]> {
  const { defaultBehaviour } = await import("@mediagen/emulator");
  return Object.keys(defaultBehaviour).map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
}

async function candidatesFor(last: string, read: Read): Promise<readonly Candidate[]> {
  const { command, awaiting, given, position } = read;
  if (awaiting) return valuesOf(awaiting, read);
  const [flag = "", value] = last.split(/=(.*)/s);
  const option = value === undefined ? undefined : command.options.find(({ long }) => long === flag);
  if (option)
    return (await valuesOf(option, read)).map(([word, ...rest]) => [
      word === filesMark ? word : `${flag}=${word}`,
      ...rest,
    ]);
  const flags = otherFlags[command.name()]?.split(" ");
  if (last.startsWith("-") && flags)
    return [...flags, ...(command.name() === "emulator" ? await settingFlags() : [])].map((name) => [`--${name}`]);
  if (last.startsWith("-"))
    return optionsOf(read).map(({ long = "", description, negate }) => [
      long,
      description || (negate ? `the opposite of ${long.replace("no-", "")}` : ""),
    ]);
  if (command.commands.length > 0)
    return command
      .createHelp()
      .visibleCommands(command)
      .map((one) => [one.name(), one.summary() || one.description()]);
  const argument =
    command.registeredArguments[position] ?? command.registeredArguments.find(({ variadic }) => variadic);
  if (argument?.name() === "file") return [[filesMark]];
  if (argument?.name() === "id") return tasksIn(given.get("store"));
  return (argument?.argChoices ?? []).map((choice) => [choice]);
}

/** Returns the options of a command, without those that the model does not have. */
function optionsOf({ command, given }: Read): readonly Option[] {
  const model = given.get("model");
  const names = fieldFlagsOf(command)
    .filter(({ models }) => model !== undefined && !models.has(model))
    .map(({ option }) => option.attributeName());
  const own = command.createHelp().visibleOptions(command);
  return [...own, ...command.options.filter((option) => !own.includes(option))].filter(
    (option) => !names.includes(option.attributeName()),
  );
}

/** Returns the values of an option: its choices, or those of the fields that it stands for. */
async function valuesOf(option: Option, { command, given }: Read): Promise<readonly Candidate[]> {
  if (/<(dir|file|path)\b/.test(option.flags)) return [[filesMark]];
  if (option.attributeName() === "resolve") return unknownIn(given.get("store"));
  if (option.argChoices) return option.argChoices.map((choice) => [choice]);
  const model = given.get("model");
  const models = fieldFlagsOf(command).find((flag) => flag.option === option)?.models;
  const infos = [...(models ?? [])].filter(([name]) => model === undefined || name === model);
  return [...new Set(infos.flatMap(([, { values = [] }]) => values.map(String)))].map((value) => [value]);
}

async function tasksIn(directory: string | undefined): Promise<readonly Candidate[]> {
  const { records } = await readRecords(fileStore(directory ?? stateDirectory()), ["created", "ended"]);
  return [...records]
    .sort((a, b) => b.createdAt - a.createdAt)
    .flatMap(({ task, model, outcome = "pending" }) => (task ? [[nameOf(task), `${model}, ${outcome}`]] : []));
}

async function unknownIn(directory: string | undefined): Promise<readonly Candidate[]> {
  const { records } = await readRecords(fileStore(directory ?? stateDirectory()), ["unknown", "sending"]);
  return records.map(({ id, model, createdAt }) => [id, `${model}, ${new Date(createdAt).toISOString()}`]);
}
