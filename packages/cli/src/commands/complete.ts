import { fileStore, listModels } from "@mediagen/sdk/node";
import { disk } from "@mediagen/sdk/kit";
import type { Flag } from "../flags/flags.ts";
import { readEntries } from "../tasks/store-entries.ts";
import { nameOf } from "../tasks/task-name.ts";
import { type Command, commandOf } from "../usage/command.ts";
import { tokensOf } from "../usage/parse.ts";
import { shells } from "./completion.ts";

/** Printed to the shell if file names complete the word. */
const filesMark = ":files";

/** A word that completes the last one, and its description. */
type Candidate = readonly [word: string, description?: string];

/** What stands before the last word. */
interface Read {
  readonly command: Command;
  /** Values of flags, by their names. */
  readonly given: ReadonlyMap<string, string | undefined>;
}

/**
 * `mediagen __complete`, which the completion scripts call: returns the lines that complete the
 * last word, a candidate each, and after a tab its description if it has one.
 */
export async function complete(
  commands: readonly Command[],
  words: readonly string[],
): Promise<readonly string[]> {
  const last = words.at(-1) ?? "";
  return (await candidatesFor(commands, words.slice(0, -1), last))
    .filter(([word]) => word.startsWith(last) || word === filesMark)
    .map(([word, description]) =>
      description ? `${word}\t${description.replace(/\s+/g, " ")}` : word,
    );
}

async function candidatesFor(
  commands: readonly Command[],
  before: readonly string[],
  last: string,
): Promise<readonly Candidate[]> {
  const command = commandOf(commands, before);
  if (!command) return commandsIn(commands, before);
  const { argument, flags, models, name } = command;
  const tokens = tokensOf(command, before.slice(name.split(" ").length));
  const options = tokens.filter((token) => token.kind === "option");
  const read = { command, given: new Map(options.map((option) => [option.name, option.value])) };
  const flagOf = (long: string | undefined) =>
    flags.find((one) => one.name === long && one.takes !== undefined);
  const end = tokens.at(-1);
  const awaiting = end?.kind === "option" && end.value === undefined && flagOf(end.name);
  if (awaiting) return valuesOf(awaiting, read);
  if (last.startsWith("-")) return flagsIn(read);
  const position = tokens.filter(({ kind }) => kind === "positional").length;
  if (argument === "<id...>") return tasksIn(read.given.get("store"));
  if (position > 0) return [];
  if (argument === "<file>") return [[filesMark]];
  if (argument === "<shell>") return Object.keys(shells).map((shell) => [shell]);
  return argument === "[model]" && models ? models.map(({ model }) => [model]) : [];
}

/** Returns the words that name commands, or those below a group such as `task`. */
function commandsIn(
  commands: readonly Command[],
  [first]: readonly string[],
): readonly Candidate[] {
  const group = commands.some(({ name }) => name.startsWith(`${first} `)) ? `${first} ` : "";
  const below = commands.filter(({ name }) => name.startsWith(group));
  const words = new Map(
    below.map(({ name, text }) => [name.slice(group.length).split(" ")[0] ?? "", text]),
  );
  return [...words, ["help"]];
}

/** Returns the flags of a command, without those that the model does not have. */
function flagsIn({ command: { flags }, given }: Read): readonly Candidate[] {
  const model = given.get("model");
  const has = ({ models }: Flag) =>
    model === undefined || models === undefined || models.has(model);
  return [...flags.filter(has).map((flag): Candidate => [`--${flag.name}`, flag.text]), ["--help"]];
}

/** Returns the values of a flag: files, models, or the values of the fields that it stands for. */
async function valuesOf(
  { takes = "", name, models }: Flag,
  { command, given }: Read,
): Promise<readonly Candidate[]> {
  if (/^(dir|file|path)\b/.test(takes)) return [[filesMark]];
  if (name === "resolve") return unknownIn(given.get("store"));
  if (takes === "model") return (command.models ?? listModels()).map(({ model }) => [model]);
  const model = given.get("model");
  const infos = [...(models ?? [])].filter(([one]) => model === undefined || one === model);
  return [...new Set(infos.flatMap(([, { values = [] }]) => values.map(String)))].map((value) => [
    value,
  ]);
}

async function tasksIn(directory: string | undefined): Promise<readonly Candidate[]> {
  const { entries } = await readEntries(fileStore(directory ?? disk.stateDirectory()), [
    "created",
    "ended",
  ]);
  return [...entries]
    .sort((a, b) => b.createdAt - a.createdAt)
    .flatMap(({ task, model, outcome = "pending" }) =>
      task ? [[nameOf(task), `${model}, ${outcome}`]] : [],
    );
}

async function unknownIn(directory: string | undefined): Promise<readonly Candidate[]> {
  const { entries } = await readEntries(fileStore(directory ?? disk.stateDirectory()), [
    "unknown",
    "sending",
  ]);
  return entries.map(({ id, model, createdAt }) => [
    id,
    `${model}, ${new Date(createdAt).toISOString()}`,
  ]);
}
