import { describeValue, type Issue, issueOf, mustBe, unknownName } from "../errors/issue.ts";
import { isObject } from "../spec/values.ts";
import { type Field, fieldOf, filePartSuffix, type FormFields, type Kind, type Operation } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import { checkField, notBlank, textField, toSent } from "./field.ts";

/** Fields as they are sent, by the names of their parts or JSON keys. */
export type WireFields = Readonly<Record<string, unknown>>;

/** The result of reading fields: how they are sent, and their issues. */
export interface ReadFields {
  readonly wire: WireFields;
  readonly issues: readonly Issue[];
}

/** Reads a model's form, and extra fields that the service's description does not contain. */
export function readForm(body: FormFields, form: unknown, extra?: unknown): ReadFields {
  const read = readFields(body, form, toSent);
  return extra === undefined ? read : readOpen("extraFields", extra, read, body.fields);
}

/** Reads a JSON body. */
export function readBody(body: FormFields, fields: unknown): ReadFields {
  return readFields(body, fields, (_, value) => value);
}

/**
 * Reads a form without any bounds, by what the known forms have in common. The model is the last segment of the path. Fields that set
 * the number of results of other models do so here.
 */
export function readUnchecked(
  kind: Kind,
  model: unknown,
  form: unknown,
  extra: unknown = {},
): ReadFields & { readonly operation: Operation } {
  const { generate, query, delete: deletion } = operations[kind];
  const name = typeof model === "string" ? model : "";
  const [path = ""] = Object.values(generate).map((known) => known.path.replace(/[^/]*$/, () => name));
  const isValid = /^[\w-][\w.-]*$/.test(name) && path !== query.path && path !== deletion.path;
  const problem = `${describeValue(model)} is not valid`;
  const issues = isValid ? [] : [issueOf("model", "invalid", problem, "Use the last segment of the model's path.")];
  const counts = knownFields().filter(({ countsResults }) => countsResults);
  // Without their defaults, which are those of other models.
  const fields = counts.map(({ default: _, ...field }) => field);
  const id = `generate${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const read = readOpen("extraFields", extra, readOpen("form", form, { wire: {}, issues }));
  return { ...read, operation: { id, path, body: { fields } } };
}

/** Reads the fields of a table: converts booleans and numbers to text, and assigns files to their parts. */
function readFields({ fields, needs = [] }: FormFields, given: unknown, convert: typeof toSent): ReadFields {
  const wire: Record<string, unknown> = {};
  if (!isObjectOfFields(given)) return { wire, issues: [noFields("form", given)] };
  const issues: Issue[] = [];
  const names = fields.map(({ field }) => field);
  const named = (name: string) => fields.find(({ field }) => field === name);
  for (const [name, value] of valuesOf(given)) {
    const field = named(name);
    if (field) {
      const sent = convert(field, value);
      wire[(typeof sent !== "string" && field.part) || name] = sent;
      checkField(field, sent, value, issues);
    } else issues.push(unknownName(name, "field", names));
  }
  for (const group of needs.filter((group) => group.every((name) => given[name] === undefined))) {
    const [name = "", ...others] = group;
    if (others.length === 0) issues.push(issueOf(name, "missing", "is missing", `Pass ${named(name)?.expected}.`));
    else if (issues.length === 0)
      issues.push(issueOf("form", "missing", `has neither ${group.join(" nor ")}`, `Pass ${group.join(" or ")}.`));
  }
  return { wire, issues };
}

/** Adds fields without bounds. Those of the source "form" carry files in the part `X.items`; extra fields have the names of parts. */
function readOpen(source: string, given: unknown, read: ReadFields, checked?: readonly Field[]): ReadFields {
  const issues = [...read.issues];
  if (!isObjectOfFields(given)) return { ...read, issues: [...issues, noFields(source, given)] };
  const parts = new Map(Object.entries(read.wire));
  for (const [name, value] of valuesOf(given)) {
    const field = source === "form" ? name : `${source}.${name}`;
    const part = source === "form" && typeof value === "object" ? name + filePartSuffix : name;
    // The texts of an unchecked form get their CRLF when they are encoded, because its digest is that of what was given.
    const text = checked ? toSent(textField(field), value) : value;
    const sent = typeof value === "boolean" ? (value ? "1" : "0") : text;
    if (parts.has(part) || checked?.some((one) => one.field === fieldOf(name)))
      issues.push(issueOf(field, "notAllowed", "is a field of the form", "Use the form for it."));
    else checkField(openField(name, field, sent), sent, value, issues);
    parts.set(part, sent);
  }
  return { wire: Object.fromEntries(parts), issues };
}

/** Returns a field for a value without bounds, by what the known fields of its name have in common. */
function openField(name: string, field: string, value: unknown): Field {
  const files = [value].flat();
  if (files.length > 0 && files.every((file) => file instanceof Blob))
    return { field, takes: "file", expected: "a file", item: "a file", many: Array.isArray(value) };
  if (typeof value !== "string")
    return { field, takes: "number", expected: "a string, a number, a boolean, a file or a list of files" };
  const known = knownFields().filter((one) => one.field === name);
  const takes = known.some((one) => one.takes === "file") ? "file" : "text";
  const isBlank = known.some(({ pattern }) => pattern === notBlank);
  return { ...textField(field), takes, acceptsText: true, ...(isBlank && { pattern: notBlank }) };
}

/** Returns the fields of all known forms. */
function knownFields(): readonly Field[] {
  const forms = Object.values(operations).flatMap(({ generate }) => Object.values(generate));
  return forms.flatMap(({ body }) => body.fields);
}

/** Returns the fields that have a value. Lists are copied, so that the checked list is sent even if the caller changes the original. */
function valuesOf(given: object): readonly (readonly [string, unknown])[] {
  const values = Object.entries(given).filter(([, value]) => value !== undefined);
  return values.map(([name, value]) => [name, Array.isArray(value) ? [...(value as unknown[])] : value]);
}

/** Returns whether a value is an object of fields. */
export function isObjectOfFields(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Blob);
}

function noFields(name: string, given: unknown): Issue {
  return issueOf(name, "invalid", mustBe("an object of fields", given));
}

/** Returns the number of results that a form requests: the documented default if it does not say, or else 1. */
export function resultCount({ fields }: FormFields, wire: WireFields): number {
  const field = fields.find(({ countsResults }) => countsResults);
  const count = Number(field && (wire[field.field] ?? field.default));
  // A form without bounds accepts any number or text. In any case, a task has at least one result.
  return Number.isSafeInteger(count) ? Math.max(1, count) : 1;
}
