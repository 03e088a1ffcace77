import { closestName } from "./closest-name.ts";
import { InvalidRequestError } from "./errors.ts";
import { invalid } from "./issue.ts";

/**
 * Rejects options that do not exist: a misspelled limit would limit nothing. No value is shown, as it may be a misspelled key's.
 *
 * @throws {@link InvalidRequestError} there is one
 */
export function checkOptions(subject: string, options: object, names: readonly string[], outcome?: string): void {
  const issues = Object.entries(options)
    .filter(([name, value]) => value !== undefined && !names.includes(name))
    .map(([name]) => {
      const suggestion = closestName(name, names);
      const expected = names.length > 1 ? `one of ${names.join(", ")}` : names.join("");
      return invalid(name, "unknownOption", "a value (not shown)", expected, {
        ...(suggestion && { suggestion }),
        names,
      });
    });
  if (issues.length > 0) throw new InvalidRequestError(subject, issues, outcome);
}
