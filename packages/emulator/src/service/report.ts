import type { CallEntry, Calls } from "./calls.ts";
import type { Charge } from "./state.ts";

/** A summary of the calls and charges since the emulator was created or reset. */
export interface Report {
  /** The number of calls by operation. Downloads of results are `download`. */
  readonly calls: Readonly<Record<string, number>>;
  /** The number of calls with violations. */
  readonly violatingCalls: number;
  /** The latest calls with violations, at most 1,000. */
  readonly violations: readonly CallEntry[];
  /** The sum of all charges, in credits. */
  readonly credits: number;
  /** One entry for each paid task. */
  readonly charges: readonly Charge[];
}

/** Returns the report of these calls and charges. */
export function reportOf(calls: Calls, charges: readonly Charge[]): Report {
  const counted = calls.count();
  return {
    calls: counted.calls,
    violatingCalls: counted.blamed,
    violations: calls.blamed(),
    credits: charges.reduce((sum, { credits }) => sum + credits, 0),
    charges: [...charges],
  };
}
