import type { Bounds } from "../spec/operation.ts";
import { fieldOf, isFlag, isNumericString } from "../spec/schema.ts";
import { isBlob } from "../spec/is-blob.ts";
import { type Check, checkOf, isObjectOfFields, isTooLong } from "./bounds.ts";
import type { Fault } from "./faults.ts";
import { isReference } from "./file-reference.ts";
import { toCRLF } from "./line-breaks.ts";

/** Fields as they are sent, by the names of their parts or JSON keys. */
export type WireFields = Readonly<Record<string, unknown>>;

/** The result of reading fields: how they are sent, and their faults. */
interface ReadFields {
  readonly wire: WireFields;
  readonly faults: readonly Fault[];
}

/** Reads a model's form: converts booleans and numbers to text, and assigns files to their parts. */
export function readForm(body: Bounds, form: unknown, extra?: unknown): ReadFields {
  return readFields(body, form, extra, true);
}

/** Reads a JSON body. */
export function readBody(body: Bounds, fields: unknown): ReadFields {
  return readFields(body, fields, undefined, false);
}

/** One field of a body: the part for its text and the part for its files. It has at least one of them. */
export interface Field {
  readonly name: string;
  text?: Part;
  files?: Part;
}

interface Part {
  readonly name: string;
  readonly bounds: Bounds;
  readonly check: Check;
}

const tables = new WeakMap<Bounds, ReadonlyMap<string, Field>>();

/** Returns the fields of a body by name, in the order of the service's description. Cached. */
export function fieldsIn(body: Bounds): ReadonlyMap<string, Field> {
  const known = tables.get(body);
  if (known) return known;
  const fields = new Map<string, Field>();
  for (const [name, bounds] of Object.entries(body.properties ?? {})) {
    const field = fields.get(fieldOf(name)) ?? { name: fieldOf(name) };
    // By the service's rule, files of the field X go into the part `X.items`, and a string into the text part X.
    const part = { name, bounds, check: checkOf(bounds) };
    field[name === field.name ? "text" : "files"] = part;
    fields.set(field.name, field);
  }
  tables.set(body, fields);
  return fields;
}

function readFields(body: Bounds, given: unknown, extra: unknown, isForm: boolean): ReadFields {
  const fields = fieldsIn(body);
  const wire: Record<string, unknown> = {};
  const faults: Fault[] = [];
  if (!isObjectOfFields(given)) faults.push({ field: "form", code: "wrongType", given, bounds: body });
  else {
    for (const field of Object.keys(given)) {
      const value = given[field];
      if (value === undefined) continue;
      // A copy, so that the checked list is sent even if the caller changes the original.
      const one: unknown = Array.isArray(value) ? [...value] : value;
      const known = fields.get(field);
      const part = (typeof one === "string" && known?.text) || (known?.files ?? known?.text);
      if (!part) {
        faults.push({ field, code: "unknownField", given: one, bounds: body });
        continue;
      }
      const sent = isForm ? toText(part.bounds, one) : one;
      wire[part.name] = sent;
      part.check(sent, one, field, faults);
      if (known?.files && typeof one === "string" && isReference(one))
        faults.push({ field, code: "notAFile", given: one, bounds: part.bounds, why: "reference" });
    }
  }
  for (const part of body.required ?? []) {
    const field = fieldOf(part);
    const missing = wire[part] === undefined && !faults.some((fault) => fault.field === field);
    if (missing) faults.push({ field, code: "missing", given: undefined, bounds: body.properties?.[part] ?? {} });
  }
  if (isObjectOfFields(extra)) readExtra(extra, body, wire, faults);
  else if (extra !== undefined) faults.push({ field: "extraFields", code: "wrongType", given: extra, bounds: body });
  const isGiven = ({ required }: Bounds) => required?.every((part) => part in wire);
  if (faults.length === 0 && body.anyOf?.some(isGiven) === false)
    faults.push({ field: "form", code: "missing", given, bounds: body });
  return { wire, faults };
}

const anything: Bounds = {};
const anyFile: Bounds = { format: "binary" };

/** Reads fields that are not in the service's description. */
function readExtra(
  extra: Readonly<Record<string, unknown>>,
  { properties = {} }: Bounds,
  wire: Record<string, unknown>,
  faults: Fault[],
): void {
  for (const [name, given] of Object.entries(extra)) {
    const field = `extraFields.${name}`;
    const fail = (code: Fault["code"]) => void faults.push({ field, code, given, bounds: anything, why: "extra" });
    const value = toText(anything, given);
    if (Object.hasOwn(properties, name)) fail("notAllowed");
    else if (isText(value) || isBlob(value)) {
      // An assignment to `__proto__` would not add a field.
      Object.defineProperty(wire, name, { value: isBlob(value) ? value : String(value), enumerable: true });
      checkOf(isBlob(value) ? anyFile : anything)(wire[name], given, field, faults);
    } else if (given !== undefined) fail("wrongType");
  }
}

/** Converts a value to its text in a form, and one file to a list. A text that is too long stays: it is rejected. */
function toText(bounds: Bounds, given: unknown): unknown {
  if (typeof given === "string") return isTooLong(given) ? given : toCRLF(given);
  if (typeof given === "boolean" && isFlag(bounds)) return given ? "1" : "0";
  if (typeof given === "number" && given === (given | 0) && isNumericString(bounds)) return String(given);
  return bounds.type === "array" && isBlob(given) ? [given] : given;
}

/** Returns the number of results that a form requests: the documented default if it does not say, or else 1. */
export function resultCount(body: Bounds, wire: WireFields): number {
  const [field, bounds] = Object.entries(body.properties ?? {}).find(([, one]) => one["x-result-count"]) ?? [];
  const count = Number(field && (wire[field] ?? bounds?.default));
  // A form without bounds accepts any number or text. In any case, a task has at least one result.
  return Number.isSafeInteger(count) ? Math.max(1, count) : 1;
}

function isText(value: unknown): value is string | number | boolean {
  return typeof value === "string" || Number.isFinite(value) || typeof value === "boolean";
}
