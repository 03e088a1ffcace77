import { call, type CallHost } from "../call/call.ts";
import { isSuccess, taskidIn } from "../call/answer.ts";
import { type ApiKey, ignoredWithKey, readHeaders } from "../call/headers.ts";
import type { Subject } from "../errors/events.ts";
import { type OptionTypes, readOptions, valuesOf } from "../errors/options.ts";
import { invalidRequest, rejectIssues, ServiceError } from "../errors/errors.ts";
import { issueOf, mustBe, nothingWasSent } from "../errors/issue.ts";
import { readBody } from "../form/form.ts";
import { isObject } from "../spec/values.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import { codes, operations } from "../spec/operations.gen.ts";
import type { Ledger } from "../store/ledger.ts";
import type { DeleteFields, Deletions, Records, RequestOptions, TaskRecord } from "../task/task.ts";
import type { QueryFields } from "../spec/types.gen.ts";

/** Dependencies of queries and deletions. */
export interface TasksHost extends CallHost {
  /** Loads the ledger of the store, if there is one. */
  readonly ledger: (() => Promise<Ledger>) | undefined;
}

/** Queries a task's record. */
export async function queryTask<K extends Kind>(
  host: TasksHost,
  subject: Subject & { readonly kind: K; readonly taskid: string },
  options: QueryFields[K] & RequestOptions,
  pollTimeoutMs?: number,
): Promise<{ readonly record: Records[K]; readonly requestId: string | undefined }> {
  const { kind, taskid } = subject;
  const { query } = operations[kind];
  const request = readRequest(query, { taskid }, options, host.apiKey);
  const { data, response } = await call(host, query, request.wire, { ...request, subject, pollTimeoutMs });
  const record = { ...data, taskid: taskidIn(data) ?? taskid, url: urlsIn(data["url"]) };
  // The cast: the service documents the record; only what the SDK itself needs of it is ensured here.
  return { record: record as TaskRecord as Records[K], requestId: response.requestId };
}

/** Returns whether the service knows a task. */
export async function isKnown(
  host: TasksHost,
  kind: Kind,
  taskid: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await queryTask(host, { kind, taskid }, { signal });
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status, code } = error;
    const isNotFound = status === 404 && (code === undefined || code === codes.failure);
    // Any other rejection says nothing about the task. A person who believed that there is none would pay again.
    if (isNotFound || (isSuccess(status) && code === codes.failure)) return false;
    throw error;
  }
}

/** Deletes tasks, and records that they have ended. */
export async function deleteTasks<K extends Kind>(
  host: TasksHost,
  kind: K,
  taskids: readonly string[],
  options: DeleteFields[K] & RequestOptions,
): Promise<Deletions[K]> {
  const operation = operations[kind].delete;
  if (!Array.isArray(taskids) || taskids.length === 0)
    throw invalidRequest(operation.id, "taskids", "invalid", mustBe("a list of task ids", taskids), "", nothingWasSent);
  const request = readRequest(operation, { taskids }, options, host.apiKey);
  const { data } = await call(host, operation, request.wire, { ...request, subject: { kind } });
  const ledger = await host.ledger?.();
  await ledger?.end({ kind, taskids, outcome: "deleted" }, request.signal);
  // The cast: the service documents the response to a deletion.
  return data as object as Deletions[K];
}

const requestOptions: OptionTypes<RequestOptions> = { signal: "signal", headers: "any" };

/** Returns the body and the options of one call, or rejects them if they are not valid. The options must not repeat the first argument. */
function readRequest(operation: Operation, first: object, given: RequestOptions, apiKey: ApiKey) {
  // Always throws, because it is not an object.
  if (!isObject(given)) readOptions(operation.id, given, requestOptions, nothingWasSent);
  const { signal, headers, ...further } = Object.fromEntries(valuesOf(given, Object.keys(requestOptions)));
  const twice = Object.keys(further).filter((field) => field in first);
  const repeated = twice.map((field) =>
    issueOf(`options.${field}`, "invalid", "is a second value", "Use only the method's first argument."),
  );
  const { wire, issues } = readBody(operation.body, { ...further, ...first });
  rejectIssues(operation.id, [...repeated, ...issues], nothingWasSent);
  // The cast: `readOptions` checks the signal, and `readHeaders` the headers.
  const options = readOptions(operation.id, { signal, headers } as RequestOptions, requestOptions, nothingWasSent);
  if (options.headers === undefined) return { ...options, wire };
  const ignored = apiKey === undefined ? undefined : ignoredWithKey;
  return { ...options, wire, headers: readHeaders(operation.id, options.headers, ignored, nothingWasSent) };
}

/** Returns the result URLs of a record. Some models may return a single one without a list. */
function urlsIn(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one): one is string => typeof one === "string" && one !== "");
}
