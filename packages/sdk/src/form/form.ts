import { describeValue, invalid, type Issue, shorten } from "../errors/issue.ts";
import { describe } from "../spec/describe.ts";
import { isBlob } from "../spec/file.ts";
import type { Bounds } from "../spec/operation.ts";
import { fieldOf, isFlag, isNumericString } from "../spec/schema.ts";
import { checkValue, isRecord } from "./bounds.ts";
import { closestName } from "../errors/closest-name.ts";
import { referenceIssue } from "./file-reference.ts";

/** Fields as they go on the wire, by the names of their parts or JSON keys. */
export type WireFields = Readonly<Record<string, unknown>>;

/** What was read from given fields: how they go on the wire, and what is wrong with them. */
export interface ReadFields {
  readonly wire: WireFields;
  readonly issues: readonly Issue[];
}

/** Reads a model's form: booleans and numbers as their text, files under their part's name, text as it is sent. */
export function readForm(body: Bounds, form: unknown, extra?: unknown): ReadFields {
  return readFields(body, form, extra, formValue);
}

/** Reads a JSON body. */
export function readBody(body: Bounds, fields: unknown): ReadFields {
  return readFields(body, fields, undefined, (_, value) => value);
}

type ToWire = (bounds: Bounds, value: unknown) => unknown;

/** One field of a body: the part that its text goes to, and the one that its files go to; it has one of them at least. */
export interface Field {
  readonly name: string;
  text?: Part;
  files?: Part;
}

export interface Part {
  readonly name: string;
  readonly bounds: Bounds;
}

const tables = new WeakMap<Bounds, ReadonlyMap<string, Field>>();

/** The fields of a body by their names, in the order of the service's description; made once. */
export function fieldsIn(body: Bounds): ReadonlyMap<string, Field> {
  const known = tables.get(body);
  if (known) return known;
  const fields = new Map<string, Field>();
  for (const [name, bounds] of Object.entries(body.properties ?? {})) {
    const field = fields.get(fieldOf(name)) ?? { name: fieldOf(name) };
    // By the service's rule, files of the field X go into the part `X.items`, and a string into the text part X.
    field[name === field.name ? "text" : "files"] = { name, bounds };
    fields.set(field.name, field);
  }
  tables.set(body, fields);
  return fields;
}

function readFields(body: Bounds, given: unknown, extra: unknown, toWire: ToWire): ReadFields {
  const fields = fieldsIn(body);
  const wire: Record<string, unknown> = {};
  const issues: Issue[] = [];
  let count = 0;
  if (!isRecord(given)) issues.push(invalid("form", "wrongType", describeValue(given), "an object of fields"));
  else {
    for (const field of Object.keys(given)) {
      const value = given[field];
      if (value === undefined) continue;
      // A list of our own: what is checked is what is sent, whatever the caller has put into theirs by then.
      const one: unknown = Array.isArray(value) ? [...value] : value;
      const known = fields.get(field);
      const part = known?.files && !(known.text && typeof one === "string") ? known.files : known?.text;
      if (!part) {
        issues.push(unknownField(field, one, fields));
        continue;
      }
      count++;
      const sent = toWire(part.bounds, one);
      wire[part.name] = sent;
      checkValue(part.bounds, sent, one, field, issues);
      const reference = known?.files && typeof one === "string" && referenceIssue(field, one);
      if (reference) issues.push(reference);
    }
  }
  for (const part of body.required ?? []) {
    const field = fieldOf(part);
    const missing = wire[part] === undefined && !issues.some((issue) => issue.field === field);
    if (missing) issues.push(invalid(field, "missing", "nothing", describe(body.properties?.[part] ?? {})));
  }
  if (isRecord(extra)) count += readExtra(extra, body, toWire, wire, issues);
  else if (extra !== undefined)
    issues.push(invalid("extraFields", "wrongType", describeValue(extra), "an object of fields"));
  if (issues.length === 0 && count < (body.minProperties ?? 0)) {
    const names = [...fields.keys()];
    const expected = `at least ${body.minProperties} of ${names.join(", ")}`;
    issues.push(invalid("form", "tooFew", "no field", expected, { names, problem: "is empty" }));
  }
  return { wire, issues };
}

/** Reads fields that the description does not show, and returns how many there are. */
function readExtra(
  extra: Readonly<Record<string, unknown>>,
  { properties = {} }: Bounds,
  toWire: ToWire,
  wire: Record<string, unknown>,
  issues: Issue[],
): number {
  let count = 0;
  for (const [name, given] of Object.entries(extra)) {
    const field = `extraFields.${name}`;
    const value = toWire({}, given);
    if (Object.hasOwn(properties, name))
      issues.push(
        invalid(field, "notAllowed", describeValue(given), "the form for it", { problem: "is a field of the form" }),
      );
    else if (isText(value) || isBlob(value)) {
      count++;
      // As a key of its own, whatever its name: `__proto__` is a field like any other here.
      Object.defineProperty(wire, name, {
        value: typeof value === "object" ? value : String(value),
        enumerable: true,
        configurable: true,
        writable: true,
      });
      const bounds = isBlob(value) ? { format: "binary" } : {};
      checkValue(bounds, wire[name], given, field, issues);
    } else if (given !== undefined)
      issues.push(invalid(field, "wrongType", describeValue(given), "a string, a number, a boolean or a file"));
  }
  return count;
}

function formValue(bounds: Bounds, given: unknown): unknown {
  // FormData sends every line break as CRLF: what is measured is what is sent.
  if (typeof given === "string") return /[\r\n]/.test(given) ? given.replace(/\r\n?|\n/g, "\r\n") : given;
  if (typeof given === "boolean" && isFlag(bounds)) return given ? "1" : "0";
  if (typeof given === "number" && isNumericString(bounds) && given === (given | 0)) return String(given);
  if (bounds.type === "array" && isBlob(given)) return [given];
  return given;
}

function unknownField(field: string, given: unknown, fields: ReadonlyMap<string, Field>): Issue {
  const names = [...fields.keys()];
  const meant = closestName(fieldOf(field), names);
  const more = meant === undefined ? { names } : { names, suggestion: meant };
  return invalid(shorten(field), "unknownField", describeValue(given), `one of ${names.join(", ")}`, more);
}

/** The result count that a form asks for; 1 where it does not say. */
export function resultCount(body: Bounds, wire: WireFields): number {
  const field = Object.entries(body.properties ?? {}).find(([, bounds]) => bounds["x-result-count"])?.[0];
  const count = field === undefined ? undefined : wire[field];
  // A form without bounds takes any number or text; whatever the model makes of it, a task has at least one result.
  return Number.isSafeInteger(Number(count)) ? Math.max(1, Number(count)) : 1;
}

function isText(value: unknown): value is string | number | boolean {
  return typeof value === "string" || Number.isFinite(value) || typeof value === "boolean";
}
