import type { Command } from "commander";
import { CommandError } from "./explain.ts";
import { exitCodes } from "./exit-codes.ts";
import { fieldFlagsOf, isSwitch, switchSyntax, switchValues } from "./field-flags.ts";

/**
 * Returns the arguments with each `--name=true` or `--name=false` of a field that is on or off as `--name` or `--no-name`. A value
 * that stands as a word of its own behind a flag would be taken for the prompt and be paid for, so that it is rejected.
 */
export function readSwitches(command: Command, args: readonly string[]): readonly string[] {
  const switches = new Set(
    fieldFlagsOf(command)
      .filter(({ models }) => isSwitch(models))
      .map(({ option }) => option.long),
  );
  if (switches.size === 0) return args;
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
    const option = command.options.find(({ long, short }) => word === long || word === short);
    if (option?.required && next !== undefined) {
      read.push(next);
      i++;
    } else if (option && next !== undefined && switchValues.has(next)) throw strayValue(word, next, switches.has(word));
  }
  return read;
}

function nameFor(name: string, value: string): string {
  const isOn = switchValues.get(value);
  if (isOn !== undefined) return isOn ? name : name.replace(/^--/, "--no-");
  throw new CommandError(
    `${name}=${value}: the value is not valid`,
    `Nothing was sent. Write ${name}${switchSyntax}.`,
    exitCodes.usage,
  );
}

function strayValue(flag: string, value: string, isSwitch: boolean): CommandError {
  const advice = isSwitch ? `Write ${flag}=${value}.` : `${flag} takes no value.`;
  return new CommandError(
    `"${value}" after ${flag} would be the prompt`,
    `Nothing was sent. ${advice} If it is the prompt, write it after --.`,
    exitCodes.usage,
  );
}
