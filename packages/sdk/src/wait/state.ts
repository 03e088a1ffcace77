import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue } from "../errors/issue.ts";
import type { PartialResult, State, TaskRecord } from "../task/task.ts";

const states: readonly State[] = ["pending", "succeeded", "failed"];

/** What the caller knows about statuses; the service does not document them. */
export interface StateOptions {
  /** Statuses that are final: a wait ends at once when a record has one of them. */
  readonly statuses?:
    | {
        /** Statuses of tasks whose results are there. */
        readonly succeeded?: readonly number[] | undefined;
        /** Statuses of tasks that have failed. */
        readonly failed?: readonly number[] | undefined;
      }
    | undefined;
  /** Reads a record; undefined leaves it to `statuses` and to the documented fields. */
  readonly classify?: ((record: TaskRecord) => State | undefined) | undefined;
}

/** How many checks in a row must show the same, too small count of results before they are taken for all. */
const checksOfPartialResult = 3;

/** Reads a record's state, by what the caller knows, else by the only documented sign: its result addresses. */
export function readState(
  record: TaskRecord,
  status: number | undefined,
  results: number,
  partial: PartialResult | undefined,
  { statuses, classify }: StateOptions,
): { readonly state: State; readonly partial: PartialResult | undefined } {
  const count = record.url.length;
  const checks = partial?.count === count ? partial.checks + 1 : 1;
  const next = count > 0 && count < results ? { count, checks } : undefined;
  const known = classify?.(record) ?? fromStatus(status, statuses);
  if (known !== undefined && !states.includes(known)) {
    // Whatever else it is, it must not count as the end of a task that is paid.
    const issue = { field: "classify", got: describeValue(known), allowed: `${states.join(", ")} or undefined` };
    throw new InvalidRequestError("the record was not read", [issue]);
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
