import type { Command, Option } from "commander";
import { CommandError, usageError } from "../errors/command-error.ts";
import { argumentField, fieldFlagsOf, isSwitch, switchSyntax, switchValues } from "../flags/field-flags.ts";

/**
 * Returns the arguments of a command that generates, with `--name=true` as `--name` and `--name=false` as `--no-name` for each field
 * that is on or off. A single word behind such a flag is rejected: it is meant as its value, but would be billed as the prompt.
 */
export function readSwitches(command: Command, args: readonly string[]): readonly string[] {
  if (!command.registeredArguments.some((argument) => argument.name() === argumentField)) return args;
  const switches = new Set(
    fieldFlagsOf(command)
      .filter(({ models }) => isSwitch(models))
      .map(({ option }) => option.long),
  );
  const read: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const [word = "", next] = args.slice(i);
    if (word === "--") return [...read, ...args.slice(i)];
    const [name = "", value] = word.split(/=(.*)/s);
    if (value !== undefined && switches.has(name)) {
      read.push(nameFor(name, value));
      continue;
    }
    read.push(word);
    const option = optionOf(command, word);
    if (next === undefined || !option) continue;
    if (option.required) {
      read.push(next);
      i++;
    } else if (/^[^-\s]\S*$/.test(next)) throw strayValue(word, next, switches.has(word));
  }
  return read;
}

/** Returns the option that the next argument belongs to: of a cluster such as `-qm`, the last one. */
function optionOf(command: Command, word: string): Option | undefined {
  const [, flag, rest] = /^(-\w)(\w+)$/.exec(word) ?? [];
  const option = command.options.find(({ long, short }) => (flag ?? word) === long || (flag ?? word) === short);
  return rest === undefined || !option ? option : option.required ? undefined : optionOf(command, `-${rest}`);
}

function nameFor(name: string, value: string): string {
  const isOn = switchValues.get(value.toLowerCase());
  if (isOn !== undefined) return isOn ? name : name.replace(/^--/, "--no-");
  throw usageError(`${name}=${value}: the value is not valid`, `Nothing was sent. Write ${name}${switchSyntax}.`);
}

function strayValue(flag: string, value: string, isSwitch: boolean): CommandError {
  const advice = isSwitch ? `Write ${flag}${switchSyntax}.` : `${flag} takes no value.`;
  return usageError(
    `"${value}" after ${flag} would be the prompt`,
    `Nothing was sent. ${advice} If it is the prompt, write it first, or after --.`,
  );
}
