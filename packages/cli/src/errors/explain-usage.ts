import { listModels, validate } from "@mediagen/sdk";
import type { Command, CommanderError, Option } from "commander";
import { argumentField } from "../flags/field-flags.ts";
import { exitCodes } from "./exit-codes.ts";

/** A message, the advice, and the exit code. */
export type Explanation = readonly [what: string, advice: string, exitCode: number];

/** Explains the error of a command line that is not valid. */
export function explainUsage(error: CommanderError, command: Command | undefined): Explanation {
  const [, model] = /'([^']*)' is invalid(?: for argument 'model')?\. Allowed choices/.exec(error.message) ?? [];
  if (model !== undefined && /model/.test(error.message)) return explainModel(model);
  const missing = missingOption(error, command);
  const message = error.message.replace(/^error: /, "");
  const [said = "", hint] = message.split("\n");
  const what = missing ? `${missing.long} is missing` : (explainValue(message) ?? said);
  return [
    what,
    adviceOn(error, command, missing) ?? hint?.replace(/[()]/g, "") ?? `Run ${pathOf(command)} --help for usage.`,
    exitCodes.usage,
  ];
}

/** Explains the value of an option or an argument that is not valid or missing. */
function explainValue(message: string): string | undefined {
  const [, flag] = /^option '.*?(--[\w-]+).*' argument missing$/.exec(message) ?? [];
  if (flag !== undefined) return `${flag} needs a value.`;
  const [, option, value = "", advice = ""] =
    /^option '[^']*?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/s.exec(message) ?? [];
  if (option !== undefined) return `${option} ${JSON.stringify(value)} is not valid. ${advice}`;
  const [, given = "", name, choices = ""] =
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)$/s.exec(message) ?? [];
  return name && `${name} ${JSON.stringify(given)} is not valid. Use one of ${choices}`;
}

function missingOption({ code }: CommanderError, command: Command | undefined): Option | undefined {
  if (code !== "commander.missingMandatoryOptionValue") return undefined;
  return command?.options.find(
    (option) => option.mandatory && command.getOptionValue(option.attributeName()) === undefined,
  );
}

function adviceOn(
  { code, message }: CommanderError,
  command: Command | undefined,
  missing: Option | undefined,
): string | undefined {
  const isPrompt = command?.registeredArguments[0]?.name() === argumentField;
  if (code === "commander.excessArguments" && isPrompt)
    return `Nothing was sent. Put the prompt in quotes: ${pathOf(command)} "A red bicycle".`;
  if (code === "commander.unknownOption" && isPrompt && /option '.*\s.*'/s.test(message))
    return "Nothing was sent. Write a prompt that begins with - after --.";
  const other = code === "commander.unknownOption" && isPrompt ? commandWith(message, command) : undefined;
  if (other) return `Nothing was sent. Only ${pathOf(other)} has this flag.`;
  if (missing?.argChoices)
    return `Nothing was sent. Add ${missing.short ?? missing.long} with one of ${missing.argChoices.join(", ")}; mediagen models says what they do.`;
  return undefined;
}

/** Returns the command of another kind that has the flag that a message names. */
function commandWith(message: string, command: Command): Command | undefined {
  const [, flag] = /option '(--[\w-]+)/.exec(message) ?? [];
  return command.parent?.commands.find(
    ({ registeredArguments: [prompt], options }) =>
      prompt?.name() === argumentField && options.some(({ long }) => long === flag),
  );
}

/** Explains that a command knows no such model. */
function explainModel(name: string): Explanation {
  const models = listModels();
  const other = models.find(({ model }) => model === name);
  if (other) return [`${name} makes ${other.kind}s`, `Nothing was sent. Use mediagen ${other.kind}.`, exitCodes.usage];
  const what = validate(name, {}).map(({ message }) => message);
  return [what.join(" "), "Nothing was sent. mediagen models lists the models.", exitCodes.usage];
}

/** Returns a command as it is typed, such as `mediagen video`. */
export function pathOf(command: Command | undefined): string {
  return command?.parent ? `${pathOf(command.parent)} ${command.name()}` : "mediagen";
}
