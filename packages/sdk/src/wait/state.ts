import { invalidRequest } from "../errors/errors.ts";
import { describeValue, notLost } from "../errors/issue.ts";
import type { State, TaskJSON, TaskRecord } from "../task/task.ts";

const states: readonly State[] = ["pending", "succeeded", "failed"];

/** Options that say what the statuses of records mean. The service does not document it. */
export interface StateOptions {
  /** The meanings of statuses. A wait ends as soon as a record has a final one: `succeeded` or `failed`. */
  readonly statuses?:
    | {
        /** Statuses of tasks that have their results. */
        readonly succeeded?: readonly number[] | undefined;
        /** Statuses of tasks that have failed. Without any, a wait for a failed task ends at its deadline. */
        readonly failed?: readonly number[] | undefined;
      }
    | undefined;
  /** The function that returns a record's state, or undefined to leave it to `statuses` and the documented fields. */
  readonly classify?: ((record: TaskRecord) => State | undefined) | undefined;
}

/** The number of checks in a row with equally many results after which fewer than requested count as all. */
const checksOfPartialResult = 3;

/** Returns a record's state: as the caller reads it, or else by the only documented sign, its result URLs. */
export function readState(
  record: TaskRecord,
  status: number | undefined,
  results: number,
  partial: TaskJSON["partial"],
  { statuses, classify }: StateOptions,
): { readonly state: State; readonly partial: TaskJSON["partial"] } {
  const count = record.url.length;
  const checks = partial?.count === count ? partial.checks + 1 : 1;
  const isDone = count >= results || (count > 0 && checks >= checksOfPartialResult);
  // The cast: undefined is in no list of numbers.
  const isIn = (list: readonly number[] = []) => list.includes(status as number);
  const byStatus = isIn(statuses?.failed) ? "failed" : isIn(statuses?.succeeded) ? "succeeded" : undefined;
  const state = classify?.(record) ?? byStatus ?? (isDone ? "succeeded" : "pending");
  if (!states.includes(state)) {
    // A rejection that nobody handles would end the process.
    Promise.resolve(state).catch(() => undefined);
    // A classify that returns something else, such as a promise, must not end the wait for a paid task.
    const problem = `must return ${states.join(", ")} or undefined, not ${describeValue(state)}`;
    throw invalidRequest("createMediaGen", "classify", "invalid", problem, "", notLost);
  }
  return { state, partial: count > 0 && count < results ? { count, checks } : undefined };
}
