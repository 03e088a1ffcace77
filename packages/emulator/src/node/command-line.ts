import { parseArgs } from "node:util";
import { closestTo } from "../service/closest.ts";

/** The arguments of `mediagen-emulator`. */
export interface CommandLine {
  /** Options with a value, by name. */
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Options without a value. */
  readonly switches: ReadonlySet<string>;
  /** Words before `--` that are not options. */
  readonly words: readonly string[];
  /** Words after `--`; undefined if there is no `--`. */
  readonly command: readonly string[] | undefined;
}

/** Reads a command line. Throws errors with messages for users, because those of `parseArgs` are not. */
export function readCommandLine(
  args: readonly string[],
  withValue: readonly string[],
  withoutValue: readonly string[],
): CommandLine {
  const dashes = args.indexOf("--");
  const types = [
    ...withValue.map((name) => [name, { type: "string" }] as const),
    ...withoutValue.map((name) => [name, { type: "boolean" }] as const),
  ];
  const { tokens } = parseArgs({
    args: dashes < 0 ? [...args] : args.slice(0, dashes),
    options: Object.fromEntries(types),
    strict: false,
    tokens: true,
  });
  const values: Record<string, string | undefined> = {};
  const switches = new Set<string>();
  const words: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    if (withoutValue.includes(name)) {
      if (value !== undefined) throw new Error(`${rawName} takes no value.`);
      switches.add(name);
    } else if (withValue.includes(name)) {
      // The next option is not a value: the value is missing.
      if (value === undefined || (!inlineValue && value.startsWith("--"))) throw new Error(`${rawName} needs a value.`);
      values[name] = value;
    } else throw unknownOption(rawName, [...withValue, ...withoutValue]);
  }
  return { values, switches, words, command: dashes < 0 ? undefined : args.slice(dashes + 1) };
}

function unknownOption(typed: string, names: readonly string[]): Error {
  const word = typed.replace(/^-+/, "");
  const close = closestTo(word, names);
  const advice = close === undefined ? "Run mediagen-emulator --help for all options." : `Did you mean --${close}?`;
  return new Error(`${typed} is not a known option. ${advice}`);
}
