import { isBlob } from "../spec/is-blob.ts";
import { isObjectOfFields } from "./bounds.ts";
import type { FieldInfo } from "./field-info.ts";

/**
 * Converts texts and files to a form: FormData, URLSearchParams, or an object of texts, files and lists of them. A text that
 * cannot be converted to the type of its field stays, and is rejected later.
 */
export function readText(given: unknown, fields: readonly FieldInfo[]): unknown {
  if (!isObjectOfFields(given)) return given;
  // The cast: iterable objects of fields yield pairs.
  const pairs = Symbol.iterator in given ? (given as Iterable<[string, unknown]>) : Object.entries(given);
  const values = new Map<string, unknown[]>();
  for (const [name, value] of pairs) {
    const takes = fields.find(({ field }) => field === name)?.takes;
    const read = (isList(value) ? [...value] : [value]).filter(isGiven).map((one) => readOne(one, takes));
    values.set(name, [...(values.get(name) ?? []), ...read]);
  }
  const entries = [...values].filter(([, { length }]) => length > 0);
  return Object.fromEntries(entries.map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}

/** Whether a value is a list, such as a FileList. */
function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value && !ArrayBuffer.isView(value);
}

/** Whether a value was given. A file input without a file yields an empty file without a name. */
function isGiven(value: unknown): boolean {
  const isNoFile = isBlob(value) && value.size === 0 && "name" in value && value.name === "";
  return value !== "" && value !== undefined && value !== null && !isNoFile;
}

const flags: Readonly<Record<string, boolean>> = { on: true, true: true, off: false, false: false };

function readOne(value: unknown, takes: FieldInfo["takes"] | undefined): unknown {
  if (typeof value !== "string") return value;
  if (takes === "number" && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return Number(value);
  return takes === "flag" && Object.hasOwn(flags, value) ? flags[value] : value;
}
