import { isObject } from "../spec/is-object.ts";
import { closestName } from "./closest-name.ts";
import { invalidRequest, rejectIssues } from "./errors.ts";
import { describeValue, invalid, type Issue, type IssueCode } from "./issue.ts";

/**
 * Rejects options that do not exist: a misspelled limit would limit nothing. The value of an unknown option is not shown, as it may be
 * a misspelled key's. Options that many functions have are checked as well, by their names.
 *
 * @param field the option that has these options, if they are nested
 * @throws An {@link InvalidRequestError} if there is one, or a limit, a listener or a signal is something else
 */
export function checkOptions(
  subject: string,
  options: object,
  names: readonly string[],
  outcome?: string,
  field?: string,
): void {
  if (!isObject(options)) {
    throw invalidRequest(subject, field ?? "options", "wrongType", describeValue(options), "an object", outcome);
  }
  // The options of a class are inherited, or getters: they are none of its own properties.
  const issues = [...new Set([...Object.keys(options), ...names])].flatMap((name): Issue[] => {
    const value = options[name];
    if (value === undefined) return [];
    if (names.includes(name)) return typeIssues(name, value);
    const expected = `${names.length > 1 ? "one of " : ""}${names.join(", ")}`;
    const more = { suggestion: closestName(name, names), names };
    return [invalid(name, "unknownOption", "a value (not shown)", expected, more)];
  });
  rejectIssues(field ? `${subject}: ${field}` : subject, issues, outcome);
}

/** Names of options that are functions. */
const functions = /^(on[A-Z].*|fetch|beforeGenerate|classify|now|sleep|random)$/;
/** Names of options that are numbers: of at least 1 if they limit how many are in flight, otherwise of at least 0. */
const limits = /(Ms|InFlight)$|^(retries|maxBytes|generations|results)$/;

/** Returns what is wrong with an option, by what options of its name are. */
function typeIssues(name: string, value: unknown): Issue[] {
  const unless = (isValid: boolean, expected: string, code: IssueCode = "wrongType") =>
    isValid ? [] : [invalid(name, code, describeValue(value), expected)];
  if (name === "signal") return unless(value === null || (isObject(value) && "aborted" in value), "an AbortSignal");
  if (functions.test(name)) return unless(typeof value === "function", "a function");
  if (!limits.test(name)) return [];
  const least = name.endsWith("InFlight") ? 1 : 0;
  const isNumber = typeof value === "number";
  // Nothing is more than NaN, so that it would limit nothing.
  return unless(isNumber && value >= least, `a number of at least ${least}`, isNumber ? "outOfRange" : "wrongType");
}
