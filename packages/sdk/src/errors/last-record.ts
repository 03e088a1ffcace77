import type { TaskRecord } from "../task/task.ts";
import { shorten } from "./issue.ts";

/** The last record that a wait has seen. */
export interface LastRecord {
  readonly record: TaskRecord;
  /** The raw status; undefined if the record has none. */
  readonly status: number | undefined;
}

/** Returns what a record says and how to declare that its status means a failure, or an empty text if it has no status. */
export function describeLast(last: LastRecord | undefined): string {
  if (last?.status === undefined) return "";
  const { record, status } = last;
  return `${describeRecord("Its last record", status, messageIn(record))} `;
}

/** Returns in sentences what a record says, and how to declare that its status means a failure. */
export function describeRecord(record: string, status: number, message: string): string {
  const said = message === "" ? "" : ` and the message ${JSON.stringify(shorten(message))}`;
  return (
    `${record} has status ${status}${said}. If ${status} means that it has failed, ` +
    `pass { statuses: { failed: [${status}] } } or set MEDIAGEN_FAILED_STATUSES=${status}.`
  );
}

/** Returns a record's message, or an empty text if it has none. */
export function messageIn(record: TaskRecord): string {
  const message: unknown = "message" in record ? record.message : undefined;
  return typeof message === "string" ? message : "";
}
