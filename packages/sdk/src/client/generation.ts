import { type ApiKey, ignoredWithKey, readHeaders } from "../call/headers.ts";
import { readOptions } from "../errors/options.ts";
import { invalidRequest, rejectIssues } from "../errors/errors.ts";
import { type IssueCode, mustBe, nothingWasSent } from "../errors/issue.ts";
import { checkFiles } from "../form/files.ts";
import { readForm, readUnchecked, resultCount, type WireFields } from "../form/form.ts";
import { findModel, type Form, type Model, uncheckedOperation } from "../form/model.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import type { RequestHeaders } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import { type GenerateOptions, generateOptions } from "./options.ts";
import type { TasksHost } from "./tasks.ts";

/** A generation as it was requested. Without a kind, it has that of its model. */
export interface RequestedGeneration {
  readonly kind: Kind | undefined;
  readonly model: Model;
  readonly form: Form<Model>;
  readonly options: GenerateOptions;
}

/** A generation whose form and options have been checked. */
export interface CheckedGeneration extends Pick<RequestedGeneration, "model" | "form"> {
  readonly kind: Kind;
  readonly operation: Operation;
  readonly wire: WireFields;
  /** The number of results that the form requests. */
  readonly resultCount: number;
  readonly idempotencyKey: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly headers: RequestHeaders;
}

/** Checks a generation and returns it as it is sent. */
export async function checkGeneration(
  { apiKey, ledger }: TasksHost,
  { kind: given, model, form, options: all }: RequestedGeneration,
): Promise<CheckedGeneration> {
  const kind = given ?? findModel(model).kind;
  const options = readOptions(model, all, generateOptions, nothingWasSent);
  const { idempotencyKey, signal } = options;
  if ("idempotencyKey" in all) checkKey(model, "idempotencyKey", idempotencyKey);
  if (idempotencyKey !== undefined && !ledger && apiKey !== undefined) {
    const advice = "Use a client with one: createMediaGen({ store }).";
    throw invalidRequest(model, "idempotencyKey", "notAllowed", "needs a store", advice, nothingWasSent);
  }
  const headers = headersOf(model, options, apiKey);
  const { operation, wire } = await orAbort(readFields(kind, model, form, options), signal);
  const count = resultCount(operation.body, wire);
  return { kind, model, form, operation, wire, resultCount: count, idempotencyKey, signal, headers };
}

/** Rejects a key that is present and undefined or blank: a mistyped `order.id` would be no key, and each run would be billed. */
function checkKey(model: Model, field: string, key: unknown): void {
  const reject = (code: IssueCode, problem: string, advice?: string) =>
    invalidRequest(model, field, code, problem, advice, nothingWasSent);
  const advice = "Pass a key: without one, each run is billed.";
  if (key === undefined || key === "") throw reject("missing", key === "" ? "is empty" : "is undefined", advice);
  if (typeof key !== "string" || key.trim() === "") throw reject("invalid", mustBe("text that is not blank", key));
}

/** Returns the headers of a generation. The idempotency key lets a server recognise what a browser or a proxy resends. */
function headersOf(model: Model, { headers, idempotencyKey }: GenerateOptions, apiKey: ApiKey): RequestHeaders {
  const given = readHeaders(model, headers, apiKey === undefined ? undefined : ignoredWithKey, nothingWasSent);
  if (apiKey !== undefined) return given;
  const name = "idempotency-key";
  if (idempotencyKey !== undefined && (given[name] ?? idempotencyKey) !== idempotencyKey) {
    const problem = "differs from the option idempotencyKey";
    throw invalidRequest(model, `headers.${name}`, "notAllowed", problem, "Use idempotencyKey alone.", nothingWasSent);
  }
  if (name in given) checkKey(model, `headers.${name}`, given[name]);
  // Pages over http have no randomUUID.
  const own = given[name] ?? idempotencyKey ?? crypto.randomUUID?.();
  return readHeaders(model, { ...given, [name]: own }, undefined, nothingWasSent);
}

/** Checks a form with its files, and returns it as it is sent. */
async function readFields(kind: Kind, model: Model, form: Form<Model>, { extraFields, unchecked }: GenerateOptions) {
  const subject = typeof model === "string" ? model : "generate";
  const operation = unchecked ? uncheckedOperation(kind, model) : findModel(model, kind).operation;
  const { wire, issues } = unchecked ? readUnchecked(form, extraFields) : readForm(operation.body, form, extraFields);
  rejectIssues(subject, issues, nothingWasSent);
  rejectIssues(subject, await checkFiles(operation.body, wire), nothingWasSent);
  return { operation, wire };
}
