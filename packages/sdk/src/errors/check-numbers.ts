import { InvalidRequestError } from "./errors.ts";
import { describeValue } from "./issue.ts";

/**
 * Makes sure that what limits something is a number: nothing is more than `NaN`, so that it would limit nothing.
 *
 * @throws {@link InvalidRequestError} one is not
 */
export function checkNumbers(subject: string, given: object, names: readonly string[]): void {
  const issues = Object.entries(given)
    .filter(
      ([name, value]) => names.includes(name) && value !== undefined && !(typeof value === "number" && value >= 0),
    )
    .map(([field, value]) => ({ field, got: describeValue(value), allowed: "a number, 0 or more" }));
  if (issues.length > 0) throw new InvalidRequestError(subject, issues);
}
