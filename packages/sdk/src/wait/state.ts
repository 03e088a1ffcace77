import { invalidRequest } from "../errors/errors.ts";
import type { PartialResult, State, TaskRecord } from "../task/task.ts";

const states: readonly State[] = ["pending", "succeeded", "failed"];

/** Options that say what the statuses of records mean. The service does not document it. */
export interface StateOptions {
  /** The meanings of statuses. A wait ends as soon as a record has a final one: `succeeded` or `failed`. */
  readonly statuses?:
    | {
        /** Statuses of tasks that have their results. */
        readonly succeeded?: readonly number[] | undefined;
        /**
         * Statuses of tasks that have failed. Without any, a wait for a failed task ends at its deadline.
         * @default MEDIAGEN_FAILED_STATUSES of the environment, such as "3,4"
         */
        readonly failed?: readonly number[] | undefined;
      }
    | undefined;
  /** The function that returns a record's state, or undefined to leave it to `statuses` and the documented fields. */
  readonly classify?: ((record: TaskRecord) => State | undefined) | undefined;
}

/** The number of checks in a row with equally many results after which fewer than requested count as all. */
const checksOfPartialResult = 3;

/** The interpretation of a record. */
interface Reading {
  readonly state: State;
  readonly partial: PartialResult | undefined;
}

/** Returns a record's state: as the caller reads it, or else by the only documented sign, its result URLs. */
export function readState(
  record: TaskRecord,
  status: number | undefined,
  results: number,
  partial: PartialResult | undefined,
  { statuses, classify }: StateOptions,
): Reading {
  const count = record.url.length;
  const checks = partial?.count === count ? partial.checks + 1 : 1;
  const next = count > 0 && count < results ? { count, checks } : undefined;
  const known = classify?.(record) ?? fromStatus(status, statuses);
  if (known !== undefined && !states.includes(known)) {
    // A rejection that nobody handles would end the process.
    Promise.resolve(known).catch(() => undefined);
    // A classify that returns something else, such as a promise, must not end the wait for a paid task.
    const expected = `${states.join(", ")} or undefined, not a promise`;
    throw invalidRequest(
      "createMediaGen",
      "classify",
      "invalid",
      `must return ${expected}`,
      "",
      "The task is not lost.",
    );
  }
  if (known !== undefined) return { state: known, partial: next };
  const done = count >= results || (count > 0 && checks >= checksOfPartialResult);
  return { state: done ? "succeeded" : "pending", partial: next };
}

function fromStatus(status: number | undefined, statuses: StateOptions["statuses"]): State | undefined {
  if (status === undefined) return undefined;
  if (statuses?.failed?.includes(status)) return "failed";
  return statuses?.succeeded?.includes(status) ? "succeeded" : undefined;
}
