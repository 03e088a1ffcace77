import { describeValue, invalid, type Issue, shorten } from "../errors/issue.ts";
import { describe, valuesOf } from "../spec/describe.ts";
import type { Bounds } from "../spec/operation.ts";
import { fieldOf } from "../spec/schema.ts";
import { closestName } from "../errors/closest-name.ts";
import { textLimit } from "./bounds.ts";
import type { Fault } from "./faults.ts";
import { fieldsIn } from "./form.ts";

/** Returns issues with messages for faults. A client imports this file only if there are faults. */
export function issuesOf(faults: readonly Fault[]): readonly Issue[] {
  return faults.map(issueOf);
}

function issueOf(fault: Fault): Issue {
  const { field, code, given, bounds, why } = fault;
  const received = describeValue(given);
  if (why === "extra") {
    return code === "notAllowed"
      ? invalid(field, code, received, "the form for it", { problem: "is a field of the form" })
      : invalid(field, code, received, "a string, a number, a boolean or a file");
  }
  if (why === "reference") return referenceIssue(field, String(given));
  if (bounds.properties) return issueOfForm(fault);
  return code === "missing" ? invalid(field, code, "nothing", describe(bounds)) : issueOfValue(fault, received);
}

/** Returns the issue for text in place of a file. */
export function referenceIssue(field: string, text: string): Issue {
  const expected =
    "a file: pass await fileFrom(...), or a Blob. Text would be sent as it is, and billed without its image";
  const received = describeValue(text);
  return invalid(field, "notAFile", received, expected, { problem: `${received} is text, not a file` });
}

function issueOfForm({ field, code, given, bounds }: Fault): Issue {
  const names = [...fieldsIn(bounds).keys()];
  if (code === "wrongType") return invalid(field, code, describeValue(given), "an object of fields");
  if (code === "missing") {
    const needed = [...new Set(bounds.anyOf?.flatMap(({ required = [] }) => required.map(fieldOf)))];
    const problem = `has neither ${needed.join(" nor ")}`;
    return invalid(field, code, "nothing", needed.join(" or "), { names: needed, problem });
  }
  const suggestion = closestName(fieldOf(field), names);
  return invalid(shorten(field), code, describeValue(given), `one of ${names.join(", ")}`, { names, suggestion });
}

function issueOfValue({ field, code, given, bounds, why }: Fault, received: string): Issue {
  const words = wordsOf(bounds);
  let { expected } = words;
  if (why) expected = "well-formed text (this contains half of a surrogate pair)";
  else if (code === "tooLong") expected = describe({ type: "string", maxLength: textLimit, ...bounds });
  // A whole number without bounds is out of range only if it is not a safe integer.
  else if (code === "outOfRange" && isUnbounded(bounds) && Number.isInteger(given))
    expected += ` of at most ${Number.MAX_SAFE_INTEGER}`;
  const issue: Writable<Issue> = { field, code, received, expected };
  const suggestion = typeof given === "string" ? closestValue(given, words.values) : undefined;
  if (suggestion !== undefined) issue.suggestion = suggestion;
  if (words.names) issue.names = words.names;
  return issue;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function isUnbounded({ minimum, maximum, format }: Bounds): boolean {
  return minimum === undefined && maximum === undefined && !format;
}

/** A valid value as text, with its digits if it is a string. A value with other digits is not a typo of it. */
type Value = readonly [text: string, digits: string | undefined];

interface BoundsWords {
  readonly expected: string;
  readonly values: readonly Value[];
  /** The valid values, if the list is complete. */
  readonly names: readonly string[] | undefined;
}

const known = new WeakMap<Bounds, BoundsWords>();

/** Returns the words for bounds. Cached, because a form may be checked at each keystroke. */
function wordsOf(bounds: Bounds): BoundsWords {
  const made = known.get(bounds);
  if (made) return made;
  const { values, isFinite } = valuesOf(bounds);
  const words = {
    expected: describe(bounds),
    values: values.map((one): Value => [String(one), typeof one === "string" ? digitsOf(one) : undefined]),
    names: isFinite ? values.map(String) : undefined,
  };
  known.set(bounds, words);
  return words;
}

/** Returns the value that is closest to a mistyped one, as text. */
function closestValue(given: string, values: readonly Value[]): string | undefined {
  if (values.length === 0) return undefined;
  const digits = digitsOf(given);
  const candidates: string[] = [];
  for (const [text, own] of values) {
    if (text === given) return given;
    if (own === digits) candidates.push(text);
  }
  return closestName(given, candidates);
}

function digitsOf(text: string): string {
  return text.replace(/\D+/g, "");
}
