import type { IssueCode } from "../errors/issue.ts";
import type { Bounds } from "../spec/operation.ts";

/** A fault in one field, without a message. */
export interface Fault {
  readonly field: string;
  readonly code: IssueCode;
  readonly given: unknown;
  /** The violated bounds: those of the form if the fault is not about a single field. */
  readonly bounds: Bounds;
  /** A more precise reason: half of a surrogate pair, text in place of a file, an extra field. */
  readonly why?: "halfPair" | "reference" | "extra" | undefined;
}
