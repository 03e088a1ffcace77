import type { Command, Option } from "commander";
import { fieldFlagsOf } from "./field-flags.ts";

/** What a shell is told where the names of files complete a word. */
export const filesMark = ":files";

/** The lines that complete the last of the words: a candidate each, with a tab and its description where there is one. */
export function complete(program: Command, words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? "";
  let command = program;
  let awaiting: Option | undefined;
  let model: string | undefined;
  let places = 0;
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
      else places++;
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
    if (/<(file|path)>/.test(awaiting.flags)) return [filesMark];
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
  return print((command.registeredArguments[places]?.argChoices ?? []).map((choice) => [choice]));
}

function optionsOf(command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return [...own, ...command.options.filter((option) => !own.includes(option))];
}

/** The values of an option: those that it is bound to, or those that the fields behind it name. */
function valuesOf(option: Option, command: Command, model: string | undefined): readonly string[] {
  if (option.argChoices) return option.argChoices;
  const models = fieldFlagsOf(command).find((flag) => flag.option === option)?.models;
  const infos = [...(models ?? [])].filter(([name]) => model === undefined || name === model);
  return [...new Set(infos.flatMap(([, { values }]) => values.map(String)))];
}
