import { countCharacters, type IssueCode } from "../errors/issue.ts";
import type { Bounds } from "../spec/operation.ts";
import { isFile, notBlank } from "../spec/schema.ts";
import { isBlob } from "../spec/is-blob.ts";
import { isObject } from "../spec/is-object.ts";
import type { Fault } from "./faults.ts";

/** Adds the faults of one value. `value` is sent, `given` is what the caller passed. */
export type Check = (value: unknown, given: unknown, field: string, faults: Fault[]) => void;

/** The maximum number of characters of any text. It would take seconds to convert the line breaks of a text of many megabytes. */
export const textLimit = 1_000_000;

/** Matches a lone surrogate. With the flag `u`, a complete pair is one character. */
const halfPair = /[\uD800-\uDFFF]/u;

/** Creates the check of a value. It looks the bounds up once. */
export function checkOf(bounds: Bounds): Check {
  const { type, items, minItems = 0, maxItems = Infinity } = bounds;
  if (type === "array") {
    const checkItem = items && checkOf(items);
    const noList = items && isFile(items) ? "notAFile" : "wrongType";
    return (value, given, field, faults) => {
      const fail = (code: IssueCode) => void faults.push({ field, code, given, bounds });
      if (!Array.isArray(value)) return fail(noList);
      if (value.length < minItems) fail("tooFew");
      else if (value.length > maxItems) fail("tooMany");
      // An index loop, because `forEach` would skip the holes of an array, which are missing values.
      for (let i = 0; checkItem && i < value.length; i++) checkItem(value[i], value[i], `${field}[${i}]`, faults);
    };
  }
  const codeOf = codeIn(bounds);
  return (value, given, field, faults) => {
    const code = codeOf(value);
    if (code) faults.push({ field, code, given, bounds });
    else if (typeof value === "string" && halfPair.test(value))
      faults.push({ field, code: "wrongFormat", given, bounds, why: "halfPair" });
  };
}

/** Returns the fault of a value that is not a list; undefined if it is valid. */
type CodeOf = (value: unknown) => IssueCode | undefined;

function codeIn(bounds: Bounds): CodeOf {
  const { anyOf, type, minimum = -Infinity, maximum = Infinity } = bounds;
  if (anyOf) return codeOfClosest(anyOf.map(codeIn));
  if (isFile(bounds)) return codeOfFile;
  // Typed as unknown, because any given value is compared with the listed ones.
  const values: readonly unknown[] | undefined = bounds.enum;
  const codeOfText = codeInText(bounds);
  return (value) => {
    const code = codeOfType(type, value);
    if (code) return code;
    if (values && !values.includes(value)) return "notOneOf";
    if (typeof value === "string") return codeOfText(value);
    return typeof value !== "number" || (value >= minimum && value <= maximum) ? undefined : "outOfRange";
  };
}

/** Faults by increasing precision. Of several alternatives, the fault of the closest one is reported. */
const ranking: readonly IssueCode[] = ["wrongType", "wrongFormat", "notOneOf"];

function codeOfClosest(alternatives: readonly CodeOf[]): CodeOf {
  return (value) => {
    let closest: IssueCode | undefined;
    for (const codeOf of alternatives) {
      const code = codeOf(value);
      if (!code) return undefined;
      // As an unsigned number, -1 is the highest rank.
      if (!closest || ranking.indexOf(code) >>> 0 > ranking.indexOf(closest) >>> 0) closest = code;
    }
    return closest;
  };
}

/** Returns the fault of a file. An empty one is a fault, because it would be billed without its content. */
function codeOfFile(value: unknown): IssueCode | undefined {
  if (!isBlob(value)) return "notAFile";
  return value.size === 0 ? "empty" : undefined;
}

function codeOfType(type: Bounds["type"], value: unknown): IssueCode | undefined {
  switch (type) {
    case "string":
      // Valid numbers have been converted to text before, so a number that is left is not valid.
      return typeof value === "string" ? undefined : "wrongType";
    case "integer":
      if (Number.isSafeInteger(value)) return undefined;
      return Number.isInteger(value) ? "outOfRange" : "wrongType";
    case "number":
      return Number.isFinite(value) ? undefined : "wrongType";
    case "boolean":
      return typeof value === "boolean" ? undefined : "wrongType";
    case "object":
      return isObjectOfFields(value) ? undefined : "wrongType";
    default:
      return value === null ? "wrongType" : undefined;
  }
}

function codeInText(bounds: Bounds): (value: string) => IssueCode | undefined {
  const { minLength, maxLength, pattern, "x-total-pixels": pixels } = bounds;
  const regex = pattern === undefined ? undefined : new RegExp(pattern, "u");
  return (value) => {
    if (isTooLong(value, maxLength)) return "tooLong";
    if (minLength && countCharacters(value) < minLength) return "tooShort";
    if (regex && !regex.test(value)) return pattern === notBlank ? "empty" : "wrongFormat";
    if (!pixels) return undefined;
    const [width, height] = value.split(/\D+/).map(BigInt);
    const total = (width ?? 0n) * (height ?? 0n);
    return total >= pixels.minimum && total <= pixels.maximum ? undefined : "outOfRange";
  };
}

/** Returns whether a text has more characters than this. It has at most as many code points as code units. */
export function isTooLong(text: string, limit: number = textLimit): boolean {
  return text.length > limit && countCharacters(text) > limit;
}

/** Returns whether a value is an object of fields. */
export function isObjectOfFields(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Blob);
}
