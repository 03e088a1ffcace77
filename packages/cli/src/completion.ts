import type { Command, Option } from "commander";
import { fieldFlagsOf } from "./field-flags.ts";

/** Printed to the shell if file names complete the word. */
export const filesMark = ":files";

/** Returns the lines that complete the last word: a candidate each, and after a tab its description if it has one. */
export function complete(program: Command, words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? "";
  let command = program;
  let awaiting: Option | undefined;
  let model: string | undefined;
  let position = 0;
  for (const word of words.slice(0, -1)) {
    if (awaiting) {
      if (awaiting.attributeName() === "model") model = word;
      awaiting = undefined;
    } else if (word.startsWith("-")) {
      const option = optionsOf(command).find(({ long, short }) => word === long || word === short);
      if (option && (option.required || option.optional)) awaiting = option;
    } else {
      const next = command.commands.find((one) => one.name() === word);
      if (next) command = next;
      else position++;
    }
  }
  const begun = ([candidate]: readonly [string, string?]) => candidate.startsWith(last);
  const print = (candidates: readonly (readonly [string, string?])[]) =>
    candidates
      .filter(begun)
      .map(([candidate, description]) =>
        description ? `${candidate}\t${description.replace(/\s+/g, " ")}` : candidate,
      );
  if (awaiting) {
    if (/<(dir|file|path)>/.test(awaiting.flags)) return [filesMark];
    return print(valuesOf(awaiting, command, model).map((value) => [value]));
  }
  if (last.startsWith("-")) return print(optionsOf(command).map((option) => [option.long ?? "", option.description]));
  if (command.commands.length > 0)
    return print(
      command
        .createHelp()
        .visibleCommands(command)
        .map((one) => [one.name(), one.summary() || one.description()]),
    );
  return print((command.registeredArguments[position]?.argChoices ?? []).map((choice) => [choice]));
}

function optionsOf(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return [...own, ...command.options.filter((option) => !own.includes(option))];
}

/** Returns the values of an option: its choices, or those of the fields that it stands for. */
function valuesOf(option: Option, command: Command, model: string | undefined): readonly string[] {
  if (option.argChoices) return option.argChoices;
  const models = fieldFlagsOf(command).find((flag) => flag.option === option)?.models;
  const infos = [...(models ?? [])].filter(([name]) => model === undefined || name === model);
  return [...new Set(infos.flatMap(([, { values }]) => values.map(String)))];
}
