import type { parseArgs } from "node:util";
import { unknownName } from "@mediagen/sdk/kit";
import { usageError } from "../errors/command-error.ts";
import { argumentField } from "../flags/field-flags.ts";
import { type Flag, optionOf, spelled, switchValues } from "../flags/flags.ts";
import { readDuration } from "../terminal/text.ts";
import type { Command, Parsed } from "./command.ts";

/** What `mediagen task list` says about a generation. */
const states: readonly string[] = [
  "unknown",
  "sending",
  "pending",
  "succeeded",
  "failed",
  "deleted",
];

/** Readers of values by what a flag takes. They return undefined for a value that is not valid. */
const readers: Readonly<
  Record<string, readonly [read: (text: string) => unknown, advice: string]>
> = {
  n: [
    (text) => (/^0*[1-9]\d*$/.test(text) ? Number(text) : undefined),
    "Use a whole number, 1 or more.",
  ],
  integer: [(text) => (/^-?\d+$/.test(text) ? Number(text) : undefined), "Use a whole number."],
  time: [readDuration, "Use a time such as 90s, 30m or 2h."],
  state: [(text) => (states.includes(text) ? text : undefined), `Use one of ${states.join(", ")}.`],
  // An empty path usually comes from a variable of the shell that is not set.
  path: [(text) => text || undefined, "The path is empty."],
  dir: [(text) => text || undefined, "The path is empty."],
};

type Tokens = ReturnType<
  typeof parseArgs<{ strict: false; allowPositionals: true; tokens: true }>
>["tokens"];
type Token = Tokens[number];
type OptionToken = Extract<Token, { readonly kind: "option" }>;

/** Returns the flags and words of a command line, in their order. */
export function tokensOf({ flags }: Command, args: readonly string[]): Tokens {
  const options = Object.fromEntries(
    flags.map(({ name, short, takes }) => {
      const type = takes === undefined ? ("boolean" as const) : ("string" as const);
      return [name, short === undefined ? { type } : { type, short }];
    }),
  );
  // An import statement would also run the getters of the module, which takes longer than all else
  // here.
  const util = process.getBuiltinModule("node:util");
  return util.parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  }).tokens;
}

/** Reads a command line. */
export function parse(command: Command, args: readonly string[]): Parsed {
  const words: string[] = [];
  const options = new Map<string, unknown>();
  const fields = new Map<string, unknown>();
  let before: Token | undefined;
  for (const token of tokensOf(command, args)) {
    if (token.kind === "positional") {
      checkWord(command, token.value, before?.index === token.index - 1 ? before : undefined);
      words.push(token.value);
    } else if (token.kind === "option") {
      const flag = flagOf(command, token, args[token.index] ?? "");
      const value = readValue(flag, token, command);
      const [values, name] =
        flag.field === undefined ? [options, optionOf(flag)] : [fields, flag.field];
      values.set(
        name,
        flag.isMany ? [...((values.get(name) as unknown[] | undefined) ?? []), value] : value,
      );
    }
    before = token;
  }
  // The cast: the table of flags and the readers make these values.
  const parsed: Parsed = {
    words,
    options: Object.fromEntries(options) as Parsed["options"],
    fields,
  };
  checkModel(command, parsed);
  checkWords(command, words);
  return parsed;
}

/**
 * Rejects a single word behind a flag that is on or off: it is meant as its value, but would be
 * billed as the prompt.
 */
function checkWord({ argument, flags }: Command, word: string, before: Token | undefined): void {
  if (before?.kind !== "option" || !argument.includes(argumentField) || !/^[^-\s]\S*$/.test(word))
    return;
  const flag = flags.find(({ name }) => name === before.name);
  if (flag?.takes !== undefined || before.inlineValue !== undefined) return;
  const advice =
    flag?.field === undefined ? `${before.rawName} takes no value.` : `Write ${spelled(flag)}.`;
  throw usageError(
    `"${word}" after ${before.rawName} would be the prompt`,
    `Nothing was sent. ${advice} If it is the prompt, write it first, or after --.`,
  );
}

function flagOf(command: Command, { name, rawName }: OptionToken, word: string): Flag {
  const found = command.flags.find((flag) => flag.name === name);
  if (found) return found;
  if (/\s/.test(word) && command.argument.includes(argumentField))
    throw usageError(
      `unknown flag ${rawName}`,
      "Nothing was sent. Write a prompt that begins with - after --.",
    );
  const flags = command.flags.map((flag) => `--${flag.name}`);
  throw usageError(unknownName(rawName, "option", flags).message, usageOf(command));
}

function readValue(flag: Flag, { value }: OptionToken, command: Command): unknown {
  const { takes = "", name } = flag;
  // The value of a field is read where all texts of forms are.
  if (flag.takes === undefined && flag.field !== undefined && !flag.isOff) return value ?? true;
  if (flag.takes === undefined) {
    const isOn = switchValues.get(value?.toLowerCase() ?? "true");
    if (isOn !== undefined) return isOn !== (flag.isOff ?? false);
    throw usageError(
      `--${name}=${value}: the value is not valid`,
      `Nothing was sent. Write ${spelled(flag)}.`,
    );
  }
  if (value === undefined) throw usageError(`--${name} needs a value.`, usageOf(command));
  const [read, advice] = readers[takes] ?? [(text: string) => text, ""];
  const found = read(value);
  if (found !== undefined) return found;
  throw usageError(`--${name} ${JSON.stringify(value)} is not valid. ${advice}`, usageOf(command));
}

function checkModel(command: Command, { options, words }: Parsed): void {
  const { models, argument, name } = command;
  const isFlag = !argument.includes("model");
  const model = isFlag ? options.model : words[0];
  const names = models?.map((one) => one.model).join(", ");
  if (isFlag && models && model === undefined)
    throw usageError("--model is missing", `Nothing was sent. Add -m with one of ${names}.`);
  if (name === "batch" && options.output === undefined)
    throw usageError("--output is missing", usageOf(command));
  if (!models || model === undefined || models.some((one) => one.model === model)) return;
  throw usageError(
    `mediagen ${name} has no model ${JSON.stringify(model)}`,
    `Nothing was sent. Use one of ${names}.`,
  );
}

function checkWords(command: Command, words: readonly string[]): void {
  const { argument, name } = command;
  const [, open, what, many] = /^([<[])(\w+)(\.\.\.)?/.exec(argument) ?? [];
  if (open === "<" && words.length === 0) throw usageError(`${what} is missing`, usageOf(command));
  if (many !== undefined || words.length <= (what === undefined ? 0 : 1)) return;
  const advice =
    what === argumentField
      ? `Put the prompt in quotes: mediagen ${name} "A red bicycle".`
      : usageOf(command);
  throw usageError(`too many arguments: ${words.join(" ")}`, `Nothing was sent. ${advice}`);
}

/** Returns where to read how a command is used. */
export function usageOf({ name }: Command): string {
  return `Run mediagen ${name} --help for usage.`;
}
