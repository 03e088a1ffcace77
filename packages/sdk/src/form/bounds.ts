import { countCharacters, describeValue, invalid, type Issue, type IssueCode } from "../errors/issue.ts";
import { isObject } from "../spec/is-object.ts";
import { describe } from "../spec/describe.ts";
import { isBlob } from "../spec/file.ts";
import type { Bounds } from "../spec/operation.ts";
import { isFile, sizeSeparator, valuesOf } from "../spec/schema.ts";
import { closestValue } from "../errors/closest-name.ts";

/** Half of a surrogate pair: of complete ones, this reads both as one. */
const halfPair = /[\uD800-\uDFFF]/u;

/** Adds what is wrong with one value. `value` is what would be sent, `given` what the caller passed. */
export function checkValue(bounds: Bounds, value: unknown, given: unknown, field: string, issues: Issue[]): void {
  const fail = (code: IssueCode, expected?: string) =>
    void issues.push(valueIssue(bounds, code, given, field, expected));
  if (bounds.type === "array") {
    const { items, minItems = 0, maxItems = Infinity } = bounds;
    if (!Array.isArray(value)) return fail(items && isFile(items) ? "notAFile" : "wrongType");
    if (value.length < minItems) fail("tooFew");
    else if (value.length > maxItems) fail("tooMany");
    // An index loop, because a hole in a list is a missing value and forEach would pass over it.
    for (let i = 0; items && i < value.length; i++) checkValue(items, value[i], value[i], `${field}[${i}]`, issues);
    return;
  }
  const fault = faultOf(bounds, value);
  if (fault) return fail(fault, Number.isInteger(value) && fault === "outOfRange" ? exactly(bounds) : undefined);
  if (typeof value === "string" && halfPair.test(value)) {
    fail("wrongFormat", "well-formed text (this contains half of a surrogate pair)");
  }
}

/** What is expected of a whole number: one without bounds fails only where JavaScript cannot hold it. */
function exactly(bounds: Bounds): string {
  const isBounded = bounds.minimum !== undefined || bounds.maximum !== undefined;
  return isBounded || bounds.format ? describe(bounds) : `${describe(bounds)} of at most ${Number.MAX_SAFE_INTEGER}`;
}

function valueIssue(bounds: Bounds, code: IssueCode, given: unknown, field: string, expected?: string): Issue {
  const { values, isFinite } = valuesOf(bounds);
  const names = isFinite ? values.map(String) : undefined;
  const suggestion = typeof given === "string" ? closestValue(given, values) : undefined;
  return invalid(field, code, describeValue(given), expected ?? describe(bounds), {
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(names && { names }),
  });
}

/** Faults from the vaguest to the most telling: of several alternatives, the one that came closest is reported. */
const ranking: readonly IssueCode[] = ["wrongType", "wrongFormat", "notOneOf"];

/** What is wrong with a value that is not a list; undefined if nothing is. */
function faultOf(bounds: Bounds, value: unknown): IssueCode | undefined {
  if (bounds.anyOf) {
    let closest: IssueCode | undefined;
    for (const one of bounds.anyOf) {
      const fault = faultOf(one, value);
      if (!fault) return undefined;
      if (!closest || rankOf(fault) > rankOf(closest)) closest = fault;
    }
    return closest;
  }
  if (isFile(bounds)) return faultOfFile(value);
  const fault = faultOfType(bounds.type, value);
  if (fault) return fault;
  // The cast: what the description lists is compared with whatever was given.
  if (bounds.enum && !(bounds.enum as readonly unknown[]).includes(value)) return "notOneOf";
  if (typeof value === "string") return faultOfText(bounds, value);
  return typeof value === "number" ? faultOfNumber(bounds, value) : undefined;
}

/** An empty file would be sent, and billed without what it should hold. */
function faultOfFile(value: unknown): IssueCode | undefined {
  if (!isBlob(value)) return "notAFile";
  return value.size === 0 ? "empty" : undefined;
}

function rankOf(fault: IssueCode): number {
  const rank = ranking.indexOf(fault);
  return rank < 0 ? ranking.length : rank;
}

function faultOfType(type: Bounds["type"], value: unknown): IssueCode | undefined {
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
      return isRecord(value) ? undefined : "wrongType";
    default:
      return value === null ? "wrongType" : undefined;
  }
}

function faultOfNumber({ minimum = -Infinity, maximum = Infinity }: Bounds, value: number): IssueCode | undefined {
  return value >= minimum && value <= maximum ? undefined : "outOfRange";
}

function faultOfText(bounds: Bounds, value: string): IssueCode | undefined {
  const { minLength = 0, maxLength = Infinity, pattern } = bounds;
  // A string has at most as many code points as it has code units, and at least half as many.
  if (value.length > maxLength || value.length < 2 * minLength) {
    const length = countCharacters(value);
    if (length > maxLength) return "tooLong";
    if (length < minLength) return "tooShort";
  }
  if (pattern !== undefined && !compiled(pattern).test(value)) return "wrongFormat";
  const pixels = bounds["x-total-pixels"];
  if (!pixels) return undefined;
  const [width, height] = value.split(sizeSeparator(bounds) ?? "x").map(BigInt);
  const total = (width ?? 0n) * (height ?? 0n);
  return total >= pixels.minimum && total <= pixels.maximum ? undefined : "outOfRange";
}

const patterns = new Map<string, RegExp>();

/** A pattern of the description, compiled once. */
function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern) ?? new RegExp(pattern, "u");
  patterns.set(pattern, known);
  return known;
}

/** Returns whether a value is an object of fields. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !isBlob(value);
}
