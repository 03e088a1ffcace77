import type { CallEntry } from "./calls.ts";
import type { Context } from "./context.ts";
import type { Charge } from "./state.ts";

/** What an emulator has seen since it was created or reset: for the end of a test run. */
export interface Report {
  /** The number of calls by operation; calls of results are `download`. */
  readonly calls: Readonly<Record<string, number>>;
  /** The number of calls with violations. */
  readonly violatingCalls: number;
  /** The latest calls with violations, as many as the setting `callsKept` says. */
  readonly violations: readonly CallEntry[];
  /** The sum of all charges, in credits. */
  readonly credits: number;
  /** One entry for each paid task. */
  readonly charges: readonly Charge[];
}

/** Returns the report of an emulator. */
export function reportOf({ calls, state }: Context): Report {
  const { charges } = state;
  const counted = calls.count();
  return {
    calls: counted.calls,
    violatingCalls: counted.blamed,
    violations: calls.blamed(),
    credits: charges.reduce((sum, { credits }) => sum + credits, 0),
    charges: [...charges],
  };
}
