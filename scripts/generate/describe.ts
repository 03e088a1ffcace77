import type { SpecSchema } from "../spec.ts";
import { isFile, isFlag, isNumericString, sizeSeparator } from "./schema.ts";

/** Returns whether a schema is that of an image file. */
export function isImage(schema: SpecSchema): boolean {
  return isFile(schema) && schema.contentMediaType === "image/*";
}

/** The format of the parts of a sentence, such as for a message or a Markdown table. */
export interface BoundsStyle {
  /** Formats a valid value. */
  value(value: string | number | boolean): string;
  /** Formats a pattern. */
  pattern(pattern: string): string;
  /** Formats a limit. */
  number(value: number): string;
}

/** The format of messages. */
export const plain: BoundsStyle = {
  value: (value) => JSON.stringify(value),
  pattern: (pattern) => pattern,
  number: String,
};

/** Describes the valid values, in words that follow "Use". */
export function describe(schema: SpecSchema, style: BoundsStyle = plain): string {
  if (schema.anyOf) return describeAlternatives(style, schema.anyOf);
  if (isFlag(schema))
    return listed([true, false, ...(schema.enum ?? [])].map((value) => style.value(value)));
  if (schema.enum) return listed(schema.enum.map((value) => style.value(value)));
  if (isFile(schema)) return isImage(schema) ? "an image file" : "a file";
  if (isNumericString(schema)) return `${describeText(style, schema)} or a 32-bit whole number`;
  switch (schema.type) {
    case "string":
      return describeText(style, schema);
    case "integer":
      return withRange(style, "a whole number", schema);
    case "number":
      return withRange(style, "a number", schema);
    case "boolean":
      return `${style.value(true)} or ${style.value(false)}`;
    case "array":
      return describeList(style, schema);
    default:
      return schema.type === "object" ? "an object" : "any value";
  }
}

/** Describes alternatives. Those that list values become one list. */
function describeAlternatives(style: BoundsStyle, alternatives: readonly SpecSchema[]): string {
  const values = alternatives.flatMap((one) => (isFlag(one) ? [] : (one.enum ?? [])));
  const others = alternatives
    .filter((one) => isFlag(one) || !one.enum)
    .map((one) => describe(one, style));
  return [
    ...(values.length > 0 ? [listed(values.map((value) => style.value(value)))] : []),
    ...others,
  ].join("; or ");
}

/** The words for patterns. */
const patternWords: Readonly<Record<string, string>> = {
  "\\S": "non-blank text",
  "^https?://\\S+$": "an http or https URL",
  "^https?://[^\\s,]+(,https?://[^\\s,]+)*$": "http or https URLs separated by commas",
};

function describeText(style: BoundsStyle, schema: SpecSchema): string {
  const separator = sizeSeparator(schema);
  const pixels = schema["x-total-pixels"];
  if (separator !== undefined) {
    const size = style.pattern(`<width>${separator}<height>`);
    return pixels
      ? `${size} with ${range(style, pixels.minimum, pixels.maximum)} pixels in total`
      : size;
  }
  const { pattern, minLength, maxLength } = schema;
  const text =
    pattern === undefined
      ? "text"
      : (patternWords[pattern] ?? `text that matches ${style.pattern(pattern)}`);
  const length = range(style, minLength, maxLength);
  return length ? `${text} of ${length} characters` : text;
}

function describeList(style: BoundsStyle, { items, minItems, maxItems }: SpecSchema): string {
  const count = range(style, minItems, maxItems);
  if (items && isFile(items)) {
    const files = isImage(items) ? "image files" : "files";
    return count ? `${count} ${files}` : `a list of ${files}`;
  }
  const list = count ? `a list of ${count} items` : "a list";
  return items ? `${list}, each ${describe(items, style)}` : list;
}

function withRange(style: BoundsStyle, type: string, { minimum, maximum }: SpecSchema): string {
  const limits = range(style, minimum, maximum);
  if (!limits) return type;
  return minimum !== undefined && maximum !== undefined
    ? `${type} from ${limits}`
    : `${type} of ${limits}`;
}

function range(
  { number }: BoundsStyle,
  least: number | undefined,
  most: number | undefined,
): string | undefined {
  if (least !== undefined && most !== undefined)
    return least === most ? number(least) : `${number(least)} to ${number(most)}`;
  if (least !== undefined) return `at least ${number(least)}`;
  return most === undefined ? undefined : `at most ${number(most)}`;
}

function listed(values: readonly string[]): string {
  const first = values.slice(0, -1);
  const last = values.at(-1) ?? "";
  if (first.length === 0) return last;
  return `${first.length > 1 ? "one of " : ""}${first.join(", ")} or ${last}`;
}
