import { type Issue, issueOf, mustBe, unknownName } from "../errors/issue.ts";
import { isObject } from "../spec/is-object.ts";
import type { FormFields } from "../spec/operation.ts";
import { checkField, toSent } from "./field.ts";

/** Fields as they are sent, by the names of their parts or JSON keys. */
export type WireFields = Readonly<Record<string, unknown>>;

/** The result of reading fields: how they are sent, and their issues. */
export interface ReadFields {
  readonly wire: WireFields;
  readonly issues: readonly Issue[];
}

/** Reads a model's form: converts booleans and numbers to text, and assigns files to their parts. */
export function readForm(body: FormFields, form: unknown): ReadFields {
  return readFields(body, form, true);
}

/** Reads a JSON body. */
export function readBody(body: FormFields, fields: unknown): ReadFields {
  return readFields(body, fields, false);
}

function readFields({ fields, needs = [] }: FormFields, given: unknown, isForm: boolean): ReadFields {
  const wire: Record<string, unknown> = {};
  const issues: Issue[] = [];
  if (!isObjectOfFields(given)) return { wire, issues: [noFields("form", given)] };
  for (const name of Object.keys(given)) {
    const value = copied(given[name]);
    if (value === undefined) continue;
    const field = fields.find((one) => one.field === name);
    if (!field) {
      const names = fields.map((one) => one.field);
      issues.push(unknownName(name, "field", names));
      continue;
    }
    const sent = isForm ? toSent(field, value) : value;
    wire[(typeof sent !== "string" && field.part) || name] = sent;
    checkField(field, sent, value, issues);
  }
  const missing = needs.filter((group) => group.every((name) => given[name] === undefined));
  for (const [name = "", ...others] of missing)
    if (others.length === 0)
      issues.push(
        issueOf(name, "missing", "is missing", `Pass ${fields.find((one) => one.field === name)?.expected}.`),
      );
  const group = missing.find(({ length }) => length > 1);
  if (group && issues.length === 0)
    issues.push(issueOf("form", "missing", `has neither ${group.join(" nor ")}`, `Pass ${group.join(" or ")}.`));
  return { wire, issues };
}

/** Returns a copy of a list, so that the checked list is sent even if the caller changes the original. */
export function copied(value: unknown): unknown {
  return Array.isArray(value) ? [...value] : value;
}

/** Returns whether a value is an object of fields. */
export function isObjectOfFields(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Blob);
}

/** Returns the issue of a value that is no object of fields. */
export function noFields(name: string, given: unknown): Issue {
  return issueOf(name, "invalid", mustBe("an object of fields", given));
}

/** Returns the number of results that a form requests: the documented default if it does not say, or else 1. */
export function resultCount({ fields }: FormFields, wire: WireFields): number {
  const field = fields.find(({ countsResults }) => countsResults);
  const count = Number(field && (wire[field.field] ?? field.default));
  // A form without bounds accepts any number or text. In any case, a task has at least one result.
  return Number.isSafeInteger(count) ? Math.max(1, count) : 1;
}
