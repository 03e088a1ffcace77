import type { ApiKey } from "../call/api-key.ts";
import { ignoredWithKey, readHeaders } from "../call/headers.ts";
import { readOptions } from "../errors/options.ts";
import { invalidRequest, rejectIssues } from "../errors/errors.ts";
import { nothingWasSent } from "../errors/issue.ts";
import { checkFiles } from "../form/files.ts";
import { readForm, readUnchecked, resultCount, type WireFields } from "../form/form.ts";
import { findModel, type Form, type Model } from "../form/model.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import type { RequestHeaders } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import type { CheckedGeneration } from "./generate.ts";
import { type GenerateOptions, generateOptions } from "./media-gen.ts";

/** Checks a generation and returns it as it is sent. */
export async function prepare(
  kind: Kind,
  model: Model,
  form: Form<Model>,
  given: GenerateOptions,
  apiKey: ApiKey,
): Promise<CheckedGeneration> {
  const options = readOptions(model, given, generateOptions, nothingWasSent);
  const { idempotencyKey, signal } = options;
  if ("idempotencyKey" in given) rejectNoKey(model, "idempotencyKey", idempotencyKey);
  const headers = readGenerateHeaders(model, options, apiKey);
  const { operation, wire } = await orAbort(readFields(kind, model, form, options), signal);
  const count = resultCount(operation.body, wire);
  return { kind, model, form, operation, wire, resultCount: count, idempotencyKey, signal, headers };
}

/** Rejects a key that is present and empty or undefined: a mistyped `order.id` would be no key, and each run would be billed. */
function rejectNoKey(model: Model, field: string, key: unknown): void {
  if (key !== undefined && key !== "") return;
  const problem = key === "" ? "is empty" : "is undefined";
  const advice = "Pass a key: without one, each run is billed.";
  throw invalidRequest(model, field, "missing", problem, advice, nothingWasSent);
}

/** Returns the headers of a generation. The idempotency key lets a server recognise what a browser or a proxy resends. */
function readGenerateHeaders(
  model: Model,
  { headers, idempotencyKey }: GenerateOptions,
  apiKey: ApiKey,
): RequestHeaders {
  const given = readHeaders(model, headers, apiKey === undefined ? undefined : ignoredWithKey, nothingWasSent);
  if (apiKey !== undefined) return given;
  const name = "idempotency-key";
  if (idempotencyKey !== undefined && (given[name] ?? idempotencyKey) !== idempotencyKey) {
    const problem = "differs from the option idempotencyKey";
    throw invalidRequest(model, `headers.${name}`, "notAllowed", problem, "Use idempotencyKey alone.", nothingWasSent);
  }
  if (name in given) rejectNoKey(model, `headers.${name}`, given[name]);
  // Pages over http have no randomUUID.
  const own = given[name] ?? idempotencyKey ?? crypto.randomUUID?.();
  return readHeaders(model, { ...given, [name]: own }, undefined, nothingWasSent);
}

/** Checks a form with its files, and returns it as it is sent. */
async function readFields(
  kind: Kind,
  model: Model,
  form: Form<Model>,
  { extraFields, unchecked }: GenerateOptions,
): Promise<{ readonly operation: Operation; readonly wire: WireFields }> {
  const subject = typeof model === "string" ? model : "generate";
  const known = unchecked ? undefined : findModel(model, [kind]).operation;
  const { operation, wire, issues } = known
    ? { operation: known, ...readForm(known.body, form, extraFields) }
    : readUnchecked(kind, model, form, extraFields);
  rejectIssues(subject, issues, nothingWasSent);
  rejectIssues(subject, await checkFiles(operation.body, wire), nothingWasSent);
  return { operation, wire };
}
