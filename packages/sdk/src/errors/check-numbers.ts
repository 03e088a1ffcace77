import { InvalidRequestError } from "./errors.ts";
import { describeValue, invalid } from "./issue.ts";

/**
 * Makes sure that what limits something is a number: nothing is more than `NaN`, so that it would limit nothing.
 *
 * @throws An {@link InvalidRequestError} if one is not
 */
export function checkNumbers(subject: string, given: object, names: readonly string[]): void {
  const issues = Object.entries(given)
    .filter(
      ([name, value]) => names.includes(name) && value !== undefined && !(typeof value === "number" && value >= 0),
    )
    .map(([field, value]) => {
      const code = typeof value === "number" ? "outOfRange" : "wrongType";
      return invalid(field, code, describeValue(value), "a number of at least 0");
    });
  if (issues.length > 0) throw new InvalidRequestError(subject, issues);
}
