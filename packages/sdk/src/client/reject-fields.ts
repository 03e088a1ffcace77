import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue, invalid, type Issue, nothingWasSent, shorten } from "../errors/issue.ts";
import type { Fault } from "../form/faults.ts";

/**
 * Rejects fields that are not valid. The words are loaded here, because valid fields need none.
 *
 * @throws An {@link InvalidRequestError}
 */
export async function rejectFields(
  subject: string,
  faults: readonly Fault[],
  others: readonly Issue[] = [],
): Promise<never> {
  const { issuesOf } = await import("../form/words.ts").catch(() => ({ issuesOf: withoutWords(subject) }));
  throw new InvalidRequestError(subject, [...others, ...issuesOf(faults)], nothingWasSent);
}

/** Creates plain issues if the words cannot be loaded, as in a page that has gone offline. */
function withoutWords(subject: string): (faults: readonly Fault[]) => readonly Issue[] {
  return (faults) =>
    faults.map(({ field, code, given }) =>
      invalid(shorten(field), code, describeValue(given), `what the reference of ${subject} lists`),
    );
}
