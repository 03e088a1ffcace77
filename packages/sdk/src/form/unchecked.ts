import { describeValue, invalid, type Issue } from "../errors/issue.ts";
import { isFileInput } from "../spec/file-input.ts";
import type { Kind, Operation } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import { filePartSuffix } from "../spec/schema.ts";
import { isRecord } from "./bounds.ts";
import type { ReadFields } from "./form.ts";

/** A form of a model that the service's description may not have, and how it is sent. */
export interface UncheckedFields extends ReadFields {
  readonly operation: Operation;
}

/**
 * Reads a form without any bounds, by what the forms of the description have in common: the model is the last segment of the path,
 * files go into the part `X.items`, a flag is "0" or "1", and what counts the results of other models counts those of this one.
 */
export function readUnchecked(kind: Kind, model: unknown, form: unknown, extra: unknown = {}): UncheckedFields {
  const known = Object.values(operations[kind].generate);
  const [{ path } = { path: "/" }] = known;
  const name = String(model);
  const counts = known.flatMap(({ body }) =>
    Object.entries(body.properties ?? {}).filter(([, bounds]) => bounds["x-result-count"]),
  );
  const operation = {
    id: `generate${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    path: path.slice(0, path.lastIndexOf("/") + 1) + name,
    body: { properties: Object.fromEntries(counts) },
  };
  const wire: Record<string, unknown> = {};
  const issues: Issue[] = [];
  if (typeof model !== "string" || !/^[\w-][\w.-]*$/.test(model))
    issues.push(invalid("model", "wrongFormat", describeValue(model), "the last segment of the model's path"));
  for (const [given, isExtra] of [
    [form, false],
    [extra, true],
  ] as const) {
    if (!isRecord(given)) issues.push(invalid("form", "wrongType", describeValue(given), "an object of fields"));
    else for (const [field, value] of Object.entries(given)) readField(field, value, isExtra, wire, issues);
  }
  return { operation, wire, issues };
}

function readField(
  field: string,
  value: unknown,
  isExtra: boolean,
  wire: Record<string, unknown>,
  issues: Issue[],
): void {
  if (value === undefined) return;
  const isList = Array.isArray(value) && value.length > 0;
  const isFiles = (isList ? value : [value]).every(isFileInput);
  const isText = typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  if (!isFiles && !isText) {
    const expected = "a string, a number, a boolean, a file or a list of files";
    issues.push(invalid(field, "wrongType", describeValue(value), expected));
    return;
  }
  const part = isFiles && !isExtra ? field + filePartSuffix : field;
  // As a key of its own, whatever its name: `__proto__` is a field like any other here.
  Object.defineProperty(wire, part, {
    value: typeof value === "boolean" ? (value ? "1" : "0") : value,
    enumerable: true,
  });
}
