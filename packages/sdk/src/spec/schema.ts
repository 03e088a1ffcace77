import type { Bounds } from "./operation.ts";

/** The suffix of the part that carries the files of a form's field, by the service's rule. */
export const filePartSuffix = ".items";

/** Returns the field of a part. */
export function fieldOf(part: string): string {
  return part.endsWith(filePartSuffix) ? part.slice(0, -filePartSuffix.length) : part;
}

/** Returns whether the bounds are those of a file. */
export function isFile(bounds: Bounds): boolean {
  return bounds.format === "binary";
}

/** Returns whether the bounds are those of a flag: a string, "0" or "1". */
export function isFlag({ enum: values }: Bounds): boolean {
  return values?.length === 2 && values.includes("0") && values.includes("1");
}

/** Returns whether the bounds are those of a string that holds a whole number. */
export function isNumericString({ type, format }: Bounds): boolean {
  return type === "string" && format === "int32";
}

/** The pattern of text that is not blank. */
export const notBlank = "\\S";

const sizePattern = /^\^\[1-9\]\[0-9\]\*(.+)\[1-9\]\[0-9\]\*\$$/;

/** Returns the separator of width and height if the bounds are those of an explicit size. */
export function sizeSeparator({ pattern }: Bounds): string | undefined {
  return pattern && sizePattern.exec(pattern)?.[1]?.replace("\\", "");
}

/** Returns whether the bounds contain more than a type. */
export function isBounded(bounds: Bounds): boolean {
  const { anyOf, enum: values, pattern, minLength, maxLength, minItems, maxItems, minimum, maximum } = bounds;
  return [anyOf, values, pattern, minLength, maxLength, minItems, maxItems, minimum, maximum].some(
    (bound) => bound !== undefined,
  );
}
