import type { TaskRecord } from "../task/task.ts";
import { shorten } from "./issue.ts";

/** The last record that a wait has seen. */
export interface LastRecord {
  readonly record: TaskRecord;
  /** The raw status; undefined if the record has none. */
  readonly status: number | undefined;
  /** Whether the task may have failed: its status is undeclared and, like its message, has not changed over several checks. */
  readonly mayHaveFailed?: boolean;
}

/** Returns what a record says, or an empty text if it has no status. */
export function describeLast(last: LastRecord | undefined): string {
  if (last?.status === undefined) return "";
  const { record, status, mayHaveFailed = false } = last;
  const message = messageIn(record);
  const said = message === "" ? "" : ` and the message ${JSON.stringify(shorten(message))}`;
  return `Its last record has status ${status}${said}. ${mayHaveFailed ? `${adviceOn(status)} ` : ""}`;
}

/** Returns how to declare that a status means a failure. */
export function adviceOn(status: number): string {
  return `If ${status} means that it has failed, add it to the option statuses.failed or to MEDIAGEN_FAILED_STATUSES.`;
}

/** Returns a record's message, or an empty text if it has none. */
export function messageIn(record: TaskRecord): string {
  const message: unknown = "message" in record ? record.message : undefined;
  return typeof message === "string" ? message : "";
}
