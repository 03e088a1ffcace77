import { call } from "../call/call.ts";
import { saysUnknownTask, taskidIn } from "../money/response.ts";
import { type ApiKey, ignoredWithKey, readHeaders } from "../call/headers.ts";
import type { Subject } from "../errors/events.ts";
import { type OptionTypes, readOptions, valuesOf } from "../errors/options.ts";
import { rejectIssues, ServiceError } from "../errors/errors.ts";
import { nothingWasSent, shorten } from "../errors/issue.ts";
import { readBody } from "../form/form.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { QueryFields } from "../spec/types.gen.ts";
import type { DeleteFields, Deletions, Records, RequestOptions, TaskRecord } from "../task/task.ts";
import type { Poll } from "../wait/wait.ts";
import type { Host } from "./host.ts";

export async function queryTask<K extends Kind>(
  host: Host,
  subject: Subject & { readonly kind: K; readonly taskid: string },
  options: QueryFields[K] & RequestOptions,
  poll?: Poll,
): Promise<{ readonly record: Records[K]; readonly requestId: string | undefined }> {
  const { kind, taskid } = subject;
  const { query } = operations[kind];
  const request = poll
    ? { ...poll, wire: { taskid } }
    : readRequest(query, { taskid }, options, host.apiKey);
  const { data, response } = await call(host, query, request.wire, { ...request, subject });
  const named = taskidIn(data);
  if (named !== undefined && named !== taskid) {
    // A mix-up at the service, or a cache in front of it: the results are another customer's.
    const advice = "It is safe to retry.";
    const what = `the record names another task (${shorten(named)})`;
    throw new ServiceError(what, query.id, response, { isRetryable: true, advice });
  }
  // Some models may return a single URL without a list.
  const given = data["url"];
  const url = (Array.isArray(given) ? given : [given]).filter(
    (one) => typeof one === "string" && one !== "",
  );
  const record = { ...data, taskid, url };
  // The cast: the service documents the record; only what the SDK itself needs of it is ensured
  // here.
  return { record: record as TaskRecord as Records[K], requestId: response.requestId };
}

export async function isKnown(
  host: Host,
  kind: Kind,
  taskid: string,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    await queryTask(host, { kind, taskid }, { signal });
    return true;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const isNotFound = error.status === 404 && error.code === undefined;
    // A person who believed that there is none would pay again.
    if (isNotFound || saysUnknownTask(error)) return false;
    throw error;
  }
}

export async function deleteTasks<K extends Kind>(
  host: Host,
  kind: K,
  taskids: readonly string[],
  options: DeleteFields[K] & RequestOptions,
): Promise<Deletions[K]> {
  const operation = operations[kind].delete;
  const request = readRequest(operation, { taskids }, options, host.apiKey);
  const { data } = await call(host, operation, request.wire, { ...request, subject: { kind } });
  const ledger = await host.ledger?.();
  await ledger?.end({ kind, taskids, outcome: "deleted" }, request.signal);
  // The cast: the service documents the response to a deletion.
  return data as object as Deletions[K];
}

const requestOptions: OptionTypes<RequestOptions> = { signal: "signal", headers: "any" };

/** Returns the body and the options of one call. Other options are further fields of the body. */
function readRequest(
  { id, body }: Operation,
  first: object,
  given: RequestOptions,
  apiKey: ApiKey,
) {
  const { signal, headers, ...further } = valuesOf(Object(given), requestOptions);
  // The cast: they are checked here. An argument that is no object is rejected as such.
  const own = (given instanceof Object ? { signal, headers } : given) as RequestOptions;
  const options = readOptions(id, own, requestOptions, nothingWasSent);
  const { wire, issues } = readBody(body, { ...further, ...first });
  rejectIssues(id, issues, nothingWasSent);
  const ignored = apiKey === undefined ? undefined : ignoredWithKey;
  return { ...options, wire, headers: readHeaders(id, options.headers, ignored, nothingWasSent) };
}
