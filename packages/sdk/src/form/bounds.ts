import type { Bounds } from "../spec/operation.ts";

/** The part that carries the files of a form's field: by the service's rule, the field's name with this ending. */
export const filePartSuffix = ".items";

/** The field that a part belongs to. */
export function fieldOf(part: string): string {
  return part.endsWith(filePartSuffix) ? part.slice(0, -filePartSuffix.length) : part;
}

/** Whether the bounds are those of a file. */
export function isFile(bounds: Bounds): boolean {
  return bounds.format === "binary";
}

/** Whether the bounds are those of a flag: a string, "0" or "1". */
export function isFlag({ enum: values }: Bounds): boolean {
  return values?.length === 2 && values.includes("0") && values.includes("1");
}

/** Whether the bounds are those of a string that holds a whole number. */
export function isNumericString({ type, format }: Bounds): boolean {
  return type === "string" && format === "int32";
}

const sizePattern = /^\^\[1-9\]\[0-9\]\*(.+)\[1-9\]\[0-9\]\*\$$/;

/** What stands between width and height where the bounds are those of an explicit size, else undefined. */
export function sizeSeparator({ pattern }: Bounds): string | undefined {
  return pattern && sizePattern.exec(pattern)?.[1]?.replace("\\", "");
}

/** The bounds in words, such as `5, 10 or 15`; undefined where nothing is bounded but the type. */
export function describeLimits(bounds: Bounds): string | undefined {
  if (bounds.anyOf) return bounds.anyOf.map((one) => describe(one)).join("; or ");
  if (bounds.enum) {
    const values = bounds.enum.map((value) => JSON.stringify(value));
    const last = values.pop() ?? "";
    return values.length > 0 ? `${values.join(", ")} or ${last}` : last;
  }
  const separator = sizeSeparator(bounds);
  const pixels = bounds["x-total-pixels"];
  if (separator !== undefined) {
    const size = `<width>${separator}<height>`;
    return pixels ? `${size} with ${range(pixels.minimum, pixels.maximum)} pixels in all` : size;
  }
  if (bounds.pattern) return `text that matches ${bounds.pattern}`;
  const length = range(bounds.minLength, bounds.maxLength);
  if (length) return `${length} characters`;
  const count = range(bounds.minItems, bounds.maxItems);
  if (count) return `${count} ${bounds.items && isFile(bounds.items) ? "files" : "items"}`;
  return range(bounds.minimum, bounds.maximum);
}

const described = new WeakMap<Bounds, string>();

/** The bounds in words, or the type where nothing else is bounded; made once, for a form is checked at each keystroke. */
export function describe(bounds: Bounds): string {
  const known = described.get(bounds) ?? inWords(bounds);
  described.set(bounds, known);
  return known;
}

function inWords(bounds: Bounds): string {
  const limits = describeLimits(bounds);
  if (isFlag(bounds)) return `${limits}, true or false`;
  if (limits) return bounds.type === "integer" && !bounds.enum ? `a whole number, ${limits}` : limits;
  if (isFile(bounds)) return "a file";
  if (isNumericString(bounds)) return "a whole number or a string";
  if (bounds.type === "integer") return "a whole number";
  if (bounds.type === "array") return "a list";
  return bounds.type === undefined ? "any value" : `a ${bounds.type}`;
}

function range(least: number | undefined, most: number | undefined): string | undefined {
  if (least !== undefined && most !== undefined) return `${least} to ${most}`;
  if (least !== undefined) return `at least ${least}`;
  return most === undefined ? undefined : `at most ${most}`;
}
