import type { IssueCode } from "../errors/issue.ts";
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
