import type { ApiKey } from "../call/api-key.ts";
import { ignoredWithKey, readHeaders } from "../call/headers.ts";
import { readOptions } from "../errors/read-options.ts";
import { invalidRequest, rejectIssues } from "../errors/errors.ts";
import { nothingWasSent } from "../errors/issue.ts";
import { readForm, resultCount, type WireFields } from "../form/form.ts";
import { type Form, type Model, operationOf } from "../form/model.ts";
import { isBlob } from "../spec/is-blob.ts";
import type { Bounds, Kind, Operation } from "../spec/operation.ts";
import type { RequestHeaders } from "../task/task.ts";
import { orAbort } from "../time/deadline.ts";
import type { CheckedGeneration } from "./generate.ts";
import type { GenerateOptions } from "./media-gen.ts";
import { generateOptionNames } from "./option-names.ts";
import { rejectFields } from "./reject-fields.ts";

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
    const received = "another key";
    throw invalidRequest(model, `headers.${name}`, "notAllowed", received, "idempotencyKey alone", nothingWasSent, {
      problem: "differs from the option idempotencyKey",
    });
  }
  if (name in given) rejectUndefined(model, `headers.${name}`, given[name]);
  // Pages over http have no randomUUID.
  const own = given[name] ?? idempotencyKey ?? crypto.randomUUID?.();
  return readHeaders(model, { ...given, [name]: own }, undefined, nothingWasSent);
}

/** Rejects a key that is present and empty or undefined: a mistyped `order.id` would be no key, and each run would be billed. */
function rejectUndefined(model: Model, field: string, key: unknown): void {
  if (key !== undefined && key !== "") return;
  const expected = "a key: without one, each run is billed";
  const more = { problem: key === "" ? "is empty" : "is undefined" };
  throw invalidRequest(model, field, "missing", "nothing", expected, nothingWasSent, more);
}

/** Checks a generation and returns it as it is sent. */
export async function prepare(
  kind: Kind,
  model: Model,
  form: Form<Model>,
  given: GenerateOptions,
  apiKey: ApiKey,
): Promise<CheckedGeneration> {
  const options = readOptions(model, given, generateOptionNames, nothingWasSent);
  const { idempotencyKey, signal } = options;
  if ("idempotencyKey" in given) rejectUndefined(model, "idempotencyKey", idempotencyKey);
  const headers = readGenerateHeaders(model, options, apiKey);
  const { operation, wire } = await orAbort(readFields(kind, model, form, options), signal);
  const count = resultCount(operation.body, wire);
  return { kind, model, form, operation, wire, resultCount: count, idempotencyKey, signal, headers };
}

/** Checks a form and returns it as it is sent. */
async function readFields(
  kind: Kind,
  model: Model,
  form: Form<Model>,
  { extraFields, unchecked }: GenerateOptions,
): Promise<{ readonly operation: Operation; readonly wire: WireFields }> {
  if (unchecked) {
    const { readUnchecked } = await import("../form/unchecked.ts");
    const { operation, wire, issues } = readUnchecked(kind, model, form, extraFields);
    rejectIssues(typeof model === "string" ? model : "generate", issues, nothingWasSent);
    return { operation, wire: await withFiles(model, {}, wire) };
  }
  const operation = operationOf(model, [kind]);
  const { wire, faults } = readForm(operation.body, form, extraFields);
  if (faults.length > 0) return rejectFields(model, faults);
  return { operation, wire: await withFiles(model, operation.body, wire) };
}

/** Rejects files with invalid bytes. */
async function withFiles(subject: string, bounds: Bounds, wire: WireFields): Promise<WireFields> {
  if (!Object.values(wire).flat().some(isBlob)) return wire;
  const { checkFiles } = await import("../form/check-files.ts");
  rejectIssues(subject, await checkFiles(bounds, wire), nothingWasSent);
  return wire;
}
