import type { Bounds } from "./operation.ts";
import { isFile, isFlag, isNumericString, sizeSeparator } from "./schema.ts";

/** Returns whether the bounds are those of a file that is an image. */
export function isImage(bounds: Bounds): boolean {
  return isFile(bounds) && bounds.contentMediaType === "image/*";
}

/** Returns the values that the bounds list, and whether no others are valid. */
export function valuesOf(bounds: Bounds): {
  readonly values: readonly (string | number)[];
  readonly isFinite: boolean;
} {
  const alternatives = bounds.anyOf?.map(valuesOf);
  return {
    values: bounds.enum ?? alternatives?.flatMap(({ values }) => values) ?? [],
    isFinite: bounds.enum !== undefined || (alternatives?.every(({ isFinite }) => isFinite) ?? false),
  };
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

const plain: BoundsStyle = {
  value: (value) => JSON.stringify(value),
  pattern: (pattern) => pattern,
  number: String,
};

const described = new WeakMap<Bounds, string>();

/** Describes the valid values, in words that follow "Use". Cached, because a form may be checked at each keystroke. */
export function describe(bounds: Bounds): string {
  const known = described.get(bounds) ?? describeIn(plain, bounds);
  described.set(bounds, known);
  return known;
}

/** Describes the valid values in a style. */
export function describeIn(style: BoundsStyle, bounds: Bounds): string {
  if (bounds.anyOf) return describeAlternatives(style, bounds.anyOf);
  if (isFlag(bounds)) return listed([true, false, ...(bounds.enum ?? [])].map((value) => style.value(value)));
  if (bounds.enum) return listed(bounds.enum.map((value) => style.value(value)));
  if (isFile(bounds)) return isImage(bounds) ? "an image file" : "a file";
  if (isNumericString(bounds)) return `${describeText(style, bounds)} or a 32-bit whole number`;
  switch (bounds.type) {
    case "string":
      return describeText(style, bounds);
    case "integer":
      return withRange(style, "a whole number", bounds);
    case "number":
      return withRange(style, "a number", bounds);
    case "boolean":
      return `${style.value(true)} or ${style.value(false)}`;
    case "array":
      return describeList(style, bounds);
    default:
      return bounds.type === "object" ? "an object" : "any value";
  }
}

/** Describes alternatives. Those that list values become one list. */
function describeAlternatives(style: BoundsStyle, alternatives: readonly Bounds[]): string {
  const values = alternatives.flatMap((one) => (isFlag(one) ? [] : (one.enum ?? [])));
  const others = alternatives.filter((one) => isFlag(one) || !one.enum).map((one) => describeIn(style, one));
  return [...(values.length > 0 ? [listed(values.map((value) => style.value(value)))] : []), ...others].join("; or ");
}

/** The words for patterns. Without computed keys, which a bundler would keep in programs that need no words. */
const patternWords: Readonly<Record<string, string>> = {
  "\\S": "non-blank text",
  "^https?://\\S+$": "an http or https URL",
  "^https?://[^\\s,]+(,https?://[^\\s,]+)*$": "http or https URLs separated by commas",
};

function describeText(style: BoundsStyle, bounds: Bounds): string {
  const separator = sizeSeparator(bounds);
  const pixels = bounds["x-total-pixels"];
  if (separator !== undefined) {
    const size = style.pattern(`<width>${separator}<height>`);
    return pixels ? `${size} with ${range(style, pixels.minimum, pixels.maximum)} pixels in total` : size;
  }
  const { pattern, minLength, maxLength } = bounds;
  const text =
    pattern === undefined ? "text" : (patternWords[pattern] ?? `text that matches ${style.pattern(pattern)}`);
  const length = range(style, minLength, maxLength);
  return length ? `${text} of ${length} characters` : text;
}

function describeList(style: BoundsStyle, { items, minItems, maxItems }: Bounds): string {
  const count = range(style, minItems, maxItems);
  if (items && isFile(items)) {
    const files = isImage(items) ? "image files" : "files";
    return count ? `${count} ${files}` : `a list of ${files}`;
  }
  const list = count ? `a list of ${count} items` : "a list";
  return items ? `${list}, each ${describeIn(style, items)}` : list;
}

function withRange(style: BoundsStyle, type: string, { minimum, maximum }: Bounds): string {
  const limits = range(style, minimum, maximum);
  if (!limits) return type;
  return minimum !== undefined && maximum !== undefined ? `${type} from ${limits}` : `${type} of ${limits}`;
}

function range({ number }: BoundsStyle, least: number | undefined, most: number | undefined): string | undefined {
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
