import { emptyRecord, isObject } from "../spec/values.ts";
import { rejectIssues } from "./errors.ts";
import { describeValue, type Issue, issueOf, unknownName } from "./issue.ts";

/** The type of an option. `any` is checked where it is used. */
type SimpleType = "any" | "text" | "texts" | "key" | "boolean" | NumberType | ObjectType;
type NumberType = "number" | "limit" | "numbers";
type ObjectType = "function" | "signal" | "store" | "options";

/** The types of options, by name; those of the options in an option are a table, too. */
interface OptionTable {
  readonly [name: string]: SimpleType | OptionTable;
}

/** The types of options, each in words that follow "must be", and its check. */
const types: Readonly<
  Record<SimpleType, readonly [words: string, isValid: (value: unknown) => boolean]>
> = {
  any: ["anything", () => true],
  text: ["text", (value) => typeof value === "string"],
  texts: [
    "a list of texts",
    (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  ],
  key: [
    "text, or a function that returns it",
    (value) => typeof value === "string" || typeof value === "function",
  ],
  function: ["a function", (value) => typeof value === "function"],
  // The text "false", of an environment, would be true.
  boolean: ["true or false", (value) => typeof value === "boolean"],
  // NaN would limit nothing, because no number is greater.
  number: ["a number of at least 0", (value) => typeof value === "number" && value >= 0],
  // Elsewhere, 0 often means none. A timeout of 0 would bill each generation and return none.
  limit: [
    "a number above 0, or Infinity for none",
    (value) => typeof value === "number" && value > 0,
  ],
  numbers: [
    "a list of whole numbers",
    (value) => Array.isArray(value) && value.every(Number.isInteger),
  ],
  store: [
    'a store, such as fileStore(".mediagen")',
    (value) => typeof Object(value).write === "function",
  ],
  // A promise of options, or a Map of them, has no options of its own.
  options: [
    "an object",
    (value) => isObject(value) && !(Symbol.iterator in value || value instanceof Promise),
  ],
  // Perhaps one of a library or of another window.
  signal: ["an AbortSignal", (value) => typeof Object(value).throwIfAborted === "function"],
};

/**
 * The types of all options of an interface, inherited ones included: the compiler checks that none
 * is missing.
 */
export type OptionTypes<Options> = { readonly [Name in keyof Options]-?: SimpleType | OptionTable };

/**
 * Returns the given options. Rejects others: a misspelled limit would limit nothing. Shows no text,
 * which may be a key.
 */
export function readOptions<O extends object>(
  subject: string,
  given: O,
  table: OptionTable,
  outcome?: string,
): O {
  rejectIssues(subject, issuesOf("", given, table), outcome);
  // The cast: all options are optional, and these are those that have a value.
  return valuesOf(given, table) as O;
}

function issuesOf(
  field: string,
  value: unknown,
  type: SimpleType | OptionTable = "any",
): readonly Issue[] {
  const [words, isValid] = types[typeof type === "string" ? type : "options"];
  if (!isValid(value)) {
    const received = typeof value === "string" ? "text (not shown)" : describeValue(value);
    return [issueOf(field || "options", "invalid", `must be ${words}, not ${received}`)];
  }
  if (typeof type === "string") return [];
  const names = Object.keys(type);
  return Object.entries(valuesOf(Object(value), type)).flatMap(([name, one]) => {
    const path = field ? `${field}.${name}` : name;
    return names.includes(name)
      ? issuesOf(path, one, type[name])
      : [unknownName(path, "option", names)];
  });
}

/**
 * Returns the values in an object by name: of all that is enumerable or inherited, and of the
 * options, which may be getters of its class.
 */
export function valuesOf(given: object, options: OptionTable): Readonly<Record<string, unknown>> {
  const values = emptyRecord();
  for (const names of [options, given])
    for (const name in names)
      if (Reflect.get(given, name) !== undefined) values[name] = Reflect.get(given, name);
  return values;
}
