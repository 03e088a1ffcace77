import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue, invalid, type Issue, type IssueCode, nothingWasSent, shorten } from "../errors/issue.ts";
import type { Bounds } from "../spec/operation.ts";

/** What is wrong with one field, before it is put into words. */
export interface Fault {
  readonly field: string;
  readonly code: IssueCode;
  readonly given: unknown;
  /** The bounds that the value breaks: those of the form if it is about no single field. */
  readonly bounds: Bounds;
  /** What code and bounds do not say: half of a surrogate pair, a text that stands for a file, an extra field. */
  readonly why?: "halfPair" | "reference" | "extra" | undefined;
}

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
  const { issuesOf } = await import("./words.ts").catch(() => ({ issuesOf: withoutWords }));
  throw new InvalidRequestError(subject, [...others, ...issuesOf(faults)], nothingWasSent);
}

/** What is left to say if the words cannot be loaded, as in a page that has gone offline. */
function withoutWords(faults: readonly Fault[]): readonly Issue[] {
  return faults.map(({ field, code, given }) =>
    invalid(shorten(field), code, describeValue(given), "what the service's description allows"),
  );
}
