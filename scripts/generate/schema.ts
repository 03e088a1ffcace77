import type { SpecSchema } from "../spec.ts";

/** Returns whether a schema is that of a file. */
export function isFile(schema: SpecSchema): boolean {
  return schema.format === "binary";
}

/** Returns whether a schema is that of a flag: a string, "0" or "1". */
export function isFlag({ enum: values }: SpecSchema): boolean {
  return values?.length === 2 && values.includes("0") && values.includes("1");
}

/** Returns whether a schema is that of a string that holds a whole number. */
export function isNumericString({ type, format }: SpecSchema): boolean {
  return type === "string" && format === "int32";
}

const sizePattern = /^\^\[1-9\]\[0-9\]\*(.+)\[1-9\]\[0-9\]\*\$$/;

/** Returns the separator of width and height if a schema is that of an explicit size. */
export function sizeSeparator({ pattern }: SpecSchema): string | undefined {
  return pattern && sizePattern.exec(pattern)?.[1]?.replace("\\", "");
}

/** The keywords that bound a value of a type. */
export const bounds = "enum pattern minLength maxLength minimum maximum minItems maxItems".split(
  " ",
);

/** Returns whether a schema contains more bounds than a type. */
export function isBounded(schema: SpecSchema): boolean {
  return ["anyOf", ...bounds].some((name) => Object.hasOwn(schema, name));
}
