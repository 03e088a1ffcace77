import { isObject } from "../spec/is-object.ts";
import { closestName } from "./closest-name.ts";
import { invalidRequest, rejectIssues } from "./errors.ts";
import { describeValue, invalid, type Issue, type IssueCode } from "./issue.ts";

/**
 * Returns the given options, each read once. Options that are inherited or getters, as those of a class, become own properties, so
 * that a copy of the options has them too.
 *
 * Options that do not exist are rejected: a misspelled limit would limit nothing. The value of an unknown option is not shown, as it
 * may be a misspelled key's. Options that many functions have are checked as well, by their names.
 *
 * @param field the option that has these options, if they are nested
 * @throws An {@link InvalidRequestError} if there is one, or an option is not of the type that its name implies
 */
export function readOptions<O extends object>(
  subject: string,
  options: O,
  names: readonly string[],
  outcome?: string,
  field?: string,
): O {
  // A promise of options, or a Map of them, has no options of its own.
  if (!isObject(options) || Symbol.iterator in options || options instanceof Promise) {
    // A text may be a key in the wrong place.
    const received = typeof options === "string" ? "text (not shown)" : describeValue(options);
    throw invalidRequest(subject, field ?? "options", "wrongType", received, "an object", outcome);
  }
  const given = [...new Set([...Object.keys(options), ...names])]
    .map((name): readonly [string, unknown] => [name, options[name]])
    .filter(([, value]) => value !== undefined);
  const issues = given.flatMap(([name, value]): Issue[] => {
    if (names.includes(name)) return typeIssues(name, value);
    const expected = `${names.length > 1 ? "one of " : ""}${names.join(", ")}`;
    const more = { suggestion: closestName(name, names), names };
    return [invalid(name, "unknownOption", "a value (not shown)", expected, more)];
  });
  rejectIssues(field ? `${subject}: ${field}` : subject, issues, outcome);
  // The cast: all options are optional, and these are those that have a value.
  return Object.fromEntries(given) as O;
}

/** Names of options that are functions. */
const functions = /^(on[A-Z].*|fetch|beforeGenerate|classify|now|sleep|random)$/;
/** Names of options that are true or false. The text "false", of an environment, would be true. */
const switches = /^(allow[A-Z].*|fetchSendsOnce|unchecked|overwrite)$/;
/** Names of options that are numbers: of at least 1 if they limit how many are in flight, otherwise of at least 0. */
const limits = /(Ms|InFlight)$|^(retries|maxBytes|generations|results)$/;

/** Returns the issues of an option, by the type that its name implies. */
function typeIssues(name: string, value: unknown): Issue[] {
  const unless = (isValid: boolean, expected: string, code: IssueCode = "wrongType") =>
    isValid ? [] : [invalid(name, code, describeValue(value), expected)];
  if (name === "signal") return unless(value === null || isSignal(value), "an AbortSignal");
  if (functions.test(name)) return unless(typeof value === "function", "a function");
  if (switches.test(name)) return unless(typeof value === "boolean", "true or false");
  if (!limits.test(name)) return [];
  const least = name.endsWith("InFlight") ? 1 : 0;
  const isNumber = typeof value === "number";
  // NaN would limit nothing, because no number is greater.
  return unless(isNumber && value >= least, `a number of at least ${least}`, isNumber ? "outOfRange" : "wrongType");
}

/** Returns whether it is an AbortSignal, perhaps of a library or of another window. */
function isSignal(value: unknown): boolean {
  return isObject(value) && "aborted" in value && typeof value["addEventListener"] === "function";
}
