import { isObject } from "../spec/is-object.ts";
import { closestName } from "./closest-name.ts";
import { InvalidRequestError, invalidRequest } from "./errors.ts";
import { describeValue, invalid, type Issue } from "./issue.ts";

/**
 * Rejects options that do not exist: a misspelled limit would limit nothing. No value is shown, as it may be a misspelled key's.
 *
 * @param field the option that has these options, if they are nested
 * @throws An {@link InvalidRequestError} if there is one, or a listener or a signal is something else
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
  const issues = Object.entries(options).flatMap(([name, value]): Issue[] => {
    if (value === undefined) return [];
    if (names.includes(name)) return typeIssues(name, value);
    const suggestion = closestName(name, names);
    const expected = names.length > 1 ? `one of ${names.join(", ")}` : names.join("");
    const more = { ...(suggestion && { suggestion }), names };
    return [invalid(name, "unknownOption", "a value (not shown)", expected, more)];
  });
  if (issues.length > 0) throw new InvalidRequestError(field ? `${subject}: ${field}` : subject, issues, outcome);
}

/** What is wrong with the types that options of many functions share. */
function typeIssues(name: string, value: unknown): Issue[] {
  const isSignal = value === null || (isObject(value) && "aborted" in value);
  const [isValid, expected] =
    name === "signal"
      ? [isSignal, "an AbortSignal"]
      : [!/^on[A-Z]/.test(name) || typeof value === "function", "a function"];
  return isValid ? [] : [invalid(name, "wrongType", describeValue(value), expected)];
}
