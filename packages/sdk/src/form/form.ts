import { describeValue, type Issue } from "../errors/issue.ts";
import { isObject } from "../is-object.ts";
import { fileParts, isFileInput } from "../spec/file-input.ts";
import type { Bounds } from "../spec/operation.ts";
import { describe, fieldOf, isFile, isFlag, isNumericString, sizeSeparator } from "./bounds.ts";
import { nearest } from "./nearest.ts";

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
  if (!isRecord(given)) issues.push({ field: "(all)", got: describeValue(given), allowed: "an object of fields" });
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
      if (known?.files && isPath(one)) {
        issues.push({
          field,
          got: describeValue(one),
          allowed: "a file: a path would be sent as text and paid for without its image (fileFrom reads one)",
        });
      }
    }
  }
  for (const part of body.required ?? []) {
    const field = fieldOf(part);
    const missing = wire[part] === undefined && !issues.some((issue) => issue.field === field);
    if (missing)
      issues.push({ field, got: "nothing", allowed: `${describe(body.properties?.[part] ?? {})} (required)` });
  }
  if (isRecord(extra)) count += readExtra(extra, body, toWire, wire, issues);
  else if (extra !== undefined)
    issues.push({ field: "extraFields", got: describeValue(extra), allowed: "an object of fields" });
  if (issues.length === 0 && count < (body.minProperties ?? 0)) {
    issues.push({
      field: "(all)",
      got: "no field",
      allowed: `at least ${body.minProperties} of ${[...fields.keys()].join(", ")}`,
    });
  }
  return { wire, issues };
}

/** Reads fields that the description does not show, and answers how many there are. */
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
      issues.push({
        field,
        got: describeValue(given),
        allowed: "a field that the model does not know: this one belongs into the form",
      });
    else if (isText(value) || isFileInput(value)) {
      count++;
      // As a key of its own, whatever its name: `__proto__` is a field like any other here.
      Object.defineProperty(wire, name, {
        value: typeof value === "object" ? value : String(value),
        enumerable: true,
        configurable: true,
        writable: true,
      });
      checkValue({}, wire[name], given, field, issues);
    } else if (given !== undefined)
      issues.push({ field, got: describeValue(given), allowed: "a string, a number, a boolean or a file" });
  }
  return count;
}

/** Whether a value reads as the path of an image on this machine. */
function isPath(value: unknown): boolean {
  if (typeof value !== "string" || /^https?:/i.test(value)) return false;
  return /^(file:|~\/|\.\.?\/|[a-z]:\\)|\.(png|jpe?g|webp|gif|bmp|tiff?|heic|avif)$/i.test(value);
}

function formValue(bounds: Bounds, given: unknown): unknown {
  // FormData sends every line break as CRLF: what is measured is what is sent.
  if (typeof given === "string") return /[\r\n]/.test(given) ? given.replace(/\r\n?|\n/g, "\r\n") : given;
  if (typeof given === "boolean" && isFlag(bounds)) return given ? "1" : "0";
  if (typeof given === "number" && isNumericString(bounds) && given === (given | 0)) return String(given);
  if (bounds.type === "array" && isFileInput(given)) return [given];
  return given;
}

/** Half of a surrogate pair: of whole ones, this reads both as one. */
const halfPair = /[\uD800-\uDFFF]/u;

/** Adds what is wrong with one value: `value` as it would be sent, `given` as the caller knows it. */
function checkValue(bounds: Bounds, value: unknown, given: unknown, field: string, issues: Issue[]): void {
  const fail = () => void issues.push({ field, got: describeValue(given), allowed: describe(bounds) });
  if (bounds.type === "array") {
    if (!Array.isArray(value)) return fail();
    if (value.length < (bounds.minItems ?? 0) || value.length > (bounds.maxItems ?? Infinity)) fail();
    const { items } = bounds;
    // An index loop, because a hole in a list is a missing value and forEach would pass over it.
    for (let i = 0; items && i < value.length; i++) checkValue(items, value[i], value[i], `${field}[${i}]`, issues);
    return;
  }
  if (!holds(bounds, value)) return fail();
  if (typeof value === "string" && halfPair.test(value)) {
    issues.push({ field, got: describeValue(given), allowed: "well-formed text (this has half of a surrogate pair)" });
  }
}

function holds(bounds: Bounds, value: unknown): boolean {
  if (bounds.anyOf && !bounds.anyOf.some((one) => holds(one, value))) return false;
  if (isFile(bounds)) return isFileInput(value);
  // The cast: what the description lists is compared with whatever was given.
  if (bounds.enum && !(bounds.enum as readonly unknown[]).includes(value)) return false;
  switch (bounds.type) {
    case "string":
      return typeof value === "string" && holdsText(bounds, value);
    case "integer":
      return Number.isSafeInteger(value) && holdsNumber(bounds, value as number);
    case "number":
      return Number.isFinite(value) && holdsNumber(bounds, value as number);
    case "boolean":
      return typeof value === "boolean";
    case "object":
      return isRecord(value);
    default:
      return value !== null;
  }
}

function holdsNumber({ minimum = -Infinity, maximum = Infinity }: Bounds, value: number): boolean {
  return value >= minimum && value <= maximum;
}

function holdsText(bounds: Bounds, value: string): boolean {
  const { minLength = 0, maxLength = Infinity, pattern } = bounds;
  // A string has at most as many code points as it has code units, and at least half as many.
  if (value.length > maxLength || value.length < 2 * minLength) {
    const length = [...value].length;
    if (length > maxLength || length < minLength) return false;
  }
  if (pattern !== undefined && !compiled(pattern).test(value)) return false;
  const pixels = bounds["x-total-pixels"];
  if (!pixels) return true;
  const [width, height] = value.split(sizeSeparator(bounds) ?? "x").map(BigInt);
  const total = (width ?? 0n) * (height ?? 0n);
  return total >= pixels.minimum && total <= pixels.maximum;
}

const patterns = new Map<string, RegExp>();

/** A pattern of the description, compiled once. */
function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, "u");
  patterns.set(pattern, known);
  return known;
}

function unknownField(field: string, given: unknown, fields: ReadonlyMap<string, Field>): Issue {
  const names = [...fields.keys()];
  const meant = nearest(fieldOf(field), names);
  const issue = { field, got: describeValue(given), allowed: `one of the fields ${names.join(", ")}` };
  return meant === undefined ? issue : { ...issue, hint: meant };
}

/** The result count that a form asks for; 1 where it does not say. */
export function resultCount(body: Bounds, wire: WireFields): number {
  const field = Object.entries(body.properties ?? {}).find(([, bounds]) => bounds["x-result-count"])?.[0];
  const count = field === undefined ? undefined : wire[field];
  // A model without bounds takes any number; whatever it makes of it, a task has at least one result.
  return typeof count === "number" ? Math.max(1, count) : 1;
}

/** One part of a form: a text, or a file with the name to send it under. */
export type FormPart = readonly [name: string, value: string] | readonly [name: string, file: Blob, fileName: string];

/** A form's fields as the parts of multipart/form-data, in their order. */
export function* formParts(wire: WireFields): Generator<FormPart, void, undefined> {
  for (const [name, value] of Object.entries(wire)) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const [index, one] of values.entries()) {
      if (isFileInput(one)) {
        const { blob, name: fileName } = fileParts(one, `${fieldOf(name)}-${index + 1}`);
        yield [name, blob, fileName];
      } else if (one !== undefined) yield [name, String(one)];
    }
  }
}

/** A form's fields as FormData. */
export function toFormData(wire: WireFields): FormData {
  const form = new FormData();
  for (const [name, value, fileName] of formParts(wire)) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, fileName);
  }
  return form;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !isFileInput(value);
}

function isText(value: unknown): value is string | number | boolean {
  return typeof value === "string" || Number.isFinite(value) || typeof value === "boolean";
}
