import { countCharacters, type IssueCode } from "../errors/issue.ts";
import type { Bounds } from "../spec/operation.ts";
import { isFile, sizeSeparator } from "../spec/schema.ts";
import { isBlob } from "../spec/is-blob.ts";
import { isObject } from "../spec/is-object.ts";
import type { Fault } from "./faults.ts";

/** Adds what is wrong with one value. `value` is what would be sent, `given` what the caller passed. */
export type Check = (value: unknown, given: unknown, field: string, faults: Fault[]) => void;

/** Half of a surrogate pair: of complete ones, this reads both as one. */
const halfPair = /[\uD800-\uDFFF]/u;

/** Creates the check of a value, in which the bounds are looked up already. */
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
      // An index loop, because a hole in a list is a missing value and forEach would pass over it.
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

/** Returns what is wrong with a value that is not a list; undefined if nothing is. */
type CodeOf = (value: unknown) => IssueCode | undefined;

function codeIn(bounds: Bounds): CodeOf {
  const { anyOf, type, minimum = -Infinity, maximum = Infinity } = bounds;
  if (anyOf) return codeOfClosest(anyOf.map(codeIn));
  if (isFile(bounds)) return codeOfFile;
  // What the description lists is compared with whatever was given.
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

/** Faults from the vaguest to the most telling: of several alternatives, the one that came closest is reported. */
const ranking: readonly IssueCode[] = ["wrongType", "wrongFormat", "notOneOf"];

function codeOfClosest(alternatives: readonly CodeOf[]): CodeOf {
  return (value) => {
    let closest: IssueCode | undefined;
    for (const codeOf of alternatives) {
      const code = codeOf(value);
      if (!code) return undefined;
      if (!closest || rankOf(code) > rankOf(closest)) closest = code;
    }
    return closest;
  };
}

function rankOf(code: IssueCode): number {
  const rank = ranking.indexOf(code);
  return rank < 0 ? ranking.length : rank;
}

/** An empty file would be sent, and billed without what it should hold. */
function codeOfFile(value: unknown): IssueCode | undefined {
  if (!isBlob(value)) return "notAFile";
  return value.size === 0 ? "empty" : undefined;
}

function codeOfType(type: Bounds["type"], value: unknown): IssueCode | undefined {
  switch (type) {
    case "string":
      // A number that reads as a field's text was turned into it before: one that is left does not fit.
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
  const { minLength = 0, maxLength = Infinity, pattern, "x-total-pixels": pixels } = bounds;
  const regex = pattern === undefined ? undefined : new RegExp(pattern, "u");
  const separator = sizeSeparator(bounds) ?? "x";
  return (value) => {
    // A string has at most as many code points as it has code units, and at least half as many.
    if (value.length > maxLength || value.length < 2 * minLength) {
      const length = countCharacters(value);
      if (length > maxLength) return "tooLong";
      if (length < minLength) return "tooShort";
    }
    if (regex && !regex.test(value)) return "wrongFormat";
    if (!pixels) return undefined;
    const [width, height] = value.split(separator).map(BigInt);
    const total = (width ?? 0n) * (height ?? 0n);
    return total >= pixels.minimum && total <= pixels.maximum ? undefined : "outOfRange";
  };
}

/** Returns whether a value is an object of fields. */
export function isObjectOfFields(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !(value instanceof Blob);
}
