import { isObject } from "../spec/values.ts";
import { rejectIssues } from "./errors.ts";
import { describeValue, type Issue, issueOf, unknownName } from "./issue.ts";

/** The type of an option. `any` is checked where it is used. */
type SimpleType = "any" | "text" | "texts" | "key" | "boolean" | "function" | "signal" | "store" | NumberType;
type NumberType = "number" | "positive" | "limit" | "statuses" | "resendable";

/** The type of an option, or the types of the options in it. */
type OptionType = SimpleType | OptionTable;

interface OptionTable {
  readonly [name: string]: OptionType;
}

/** The types of options, each in words that follow "must be", and its check. */
const types: Readonly<Record<SimpleType, readonly [words: string, isValid: (value: unknown) => boolean]>> = {
  any: ["anything", () => true],
  text: ["text", (value) => typeof value === "string"],
  texts: ["a list of texts", (value) => Array.isArray(value) && value.every((one) => typeof one === "string")],
  function: ["a function", (value) => typeof value === "function"],
  // The text "false", of an environment, would be true.
  boolean: ["true or false", (value) => typeof value === "boolean"],
  // NaN would limit nothing, because no number is greater.
  number: ["a number of at least 0", (value) => typeof value === "number" && value >= 0],
  positive: ["a number above 0", (value) => typeof value === "number" && value > 0],
  limit: ["a number of at least 1", (value) => typeof value === "number" && value >= 1],
  key: ["text, or a function that returns it", (value) => typeof value === "string" || typeof value === "function"],
  statuses: ["a list of whole numbers", (value) => Array.isArray(value) && value.every(Number.isInteger)],
  resendable: [
    "a list of 421, 425 and 503",
    (value) => Array.isArray(value) && value.every((one) => [421, 425, 503].includes(one)),
  ],
  store: ['a store, such as fileStore(".mediagen")', (value) => hasMethod(value, "write")],
  // Perhaps one of a library or of another window.
  signal: ["an AbortSignal", (value) => value === null || (hasMethod(value, "addEventListener") && "aborted" in value)],
};

function hasMethod(value: unknown, name: string): value is Record<string, unknown> {
  return isObject(value) && typeof value[name] === "function";
}

/** The types of all options of an interface, inherited ones included: the compiler checks that none is missing. */
export type OptionTypes<Options> = { readonly [Name in keyof Options]-?: OptionType };

/**
 * Returns the given options, each read once. Options that are inherited or getters, as those of a class, become own properties, so
 * that a copy of the options has them too.
 *
 * Options that do not exist are rejected: a misspelled limit would limit nothing. No text is shown, as it may be a key in the wrong
 * place.
 *
 * @throws An {@link InvalidRequestError} if there is one, or an option is not of its type
 */
export function readOptions<Options extends object>(
  subject: string,
  given: Options,
  table: OptionTable,
  outcome?: string,
): Options {
  const issues: Issue[] = [];
  const options = readObject(given, table, "", issues);
  rejectIssues(subject, issues, outcome);
  // The cast: all options are optional, and these are those that have a value.
  return options as Options;
}

function readObject(given: unknown, table: OptionTable, path: string, issues: Issue[]): object {
  const reject = (field: string, expected: string, value: unknown) => {
    const received = typeof value === "string" ? "text (not shown)" : describeValue(value);
    issues.push(issueOf(field, "invalid", `must be ${expected}, not ${received}`));
  };
  // A promise of options, or a Map of them, has no options of its own.
  if (!isObject(given) || Symbol.iterator in given || given instanceof Promise) {
    reject(path.slice(0, -1) || "options", "an object", given);
    return {};
  }
  // What is nested may be of a class, with members of its own.
  const isOfClass = path !== "" && ![Object.prototype, null].includes(Object.getPrototypeOf(given) as object | null);
  const values = valuesOf(given, Object.keys(table)).filter(([name]) => !isOfClass || Object.hasOwn(table, name));
  for (const [name, value] of values) {
    const field = path + name;
    const type = Object.hasOwn(table, name) ? table[name] : undefined;
    const names = () => Object.keys(table).map((one) => path + one);
    if (type === undefined) issues.push(unknownName(field, "option", names()));
    else if (typeof type !== "string") readObject(value, type, `${field}.`, issues);
    else if (!types[type][1](value)) reject(field, types[type][0], value);
  }
  return Object.fromEntries(values);
}

/** Returns the names and values in an object, inherited ones included, and those of `names`, which may be getters of its class. */
export function valuesOf(given: object, names: readonly string[]): [string, unknown][] {
  const values = new Map<string, unknown>();
  const read = (name: string) => {
    // The cast: any name may be read of an object.
    const value: unknown = values.has(name) ? undefined : given[name as keyof object];
    if (value !== undefined) values.set(name, value);
  };
  for (const name in given) read(name);
  names.forEach(read);
  return [...values];
}
