import { isBlob } from "../spec/is-blob.ts";
import { withoutUndefined } from "../spec/without-undefined.ts";

/** The kind of mistake of an issue, for programs. */
export type IssueCode =
  | "missing"
  | "unknownField"
  | "unknownOption"
  | "wrongType"
  | "notOneOf"
  | "outOfRange"
  | "tooLong"
  | "tooShort"
  | "empty"
  | "tooMany"
  | "tooFew"
  | "wrongFormat"
  | "notAFile"
  | "notFound"
  | "duplicate"
  | "alreadyExists"
  | "changed"
  | "notAllowed";

/** A mistake in one field or option. */
export interface Issue {
  /** The field or option, such as `duration`, `sourceImage[1]` or `baseUrl`. */
  readonly field: string;
  /** The kind of mistake. */
  readonly code: IssueCode;
  /** The value that was received, in words and shortened: `"16x9"`, `nothing`, `a file (image/png, 12 bytes)`. */
  readonly received: string;
  /** The valid values, in words that follow "Use", or "Pass" if the field is missing. */
  readonly expected: string;
  /** The fault, in words that follow the field, if `code` and `received` do not say it: `needs a store`. */
  readonly problem?: string;
  /** The field or value that you may have meant. For `notAllowed`, the option that allows it. */
  readonly suggestion?: string;
  /** The valid fields or values, if their number is finite. */
  readonly names?: readonly string[];
}

/** The outcome in an `InvalidRequestError` of a request that was checked before sending. */
export const nothingWasSent = "Nothing was sent.";

/** The optional fields of an issue. */
export interface MoreOfIssue {
  readonly problem?: string | undefined;
  readonly suggestion?: string | undefined;
  readonly names?: readonly string[];
}

/** Creates an issue. */
export function invalid(
  field: string,
  code: IssueCode,
  received: string,
  expected: string,
  more: MoreOfIssue = {},
): Issue {
  return { field, code, received, expected, ...withoutUndefined(more) };
}

/** The words for a code after the field and the received value. Values with other codes are "not valid". */
const verdicts: Partial<Record<IssueCode, string>> = {
  tooLong: "is too long",
  tooShort: "is too short",
  empty: "is empty",
  tooMany: "is too long",
  tooFew: "is too short",
  notFound: "was not found",
  duplicate: "is used twice",
  alreadyExists: "already exists",
  changed: "has changed since it was given",
};

/** Codes whose `expected` says what to pass, not what to use instead of the received value. */
const passed = new Set<IssueCode>(["missing", "alreadyExists", "changed"]);
/** Codes of a value that is something else than it must be. */
const wrongTypes = new Set<IssueCode>(["wrongType", "notAFile"]);

/** The description of a task, in words that follow "must be". */
export const returnedTask = "what generate or media.task returned";

/**
 * Describes an issue in sentences: what is wrong, and what to use or what you may have meant.
 *
 * @returns The sentences, as `InvalidRequestError` has them in its message.
 * @example
 * describeIssue(issue); // ratio "16x9" is not valid. Use one of "16:9", "4:3" or "1:1". Did you mean "16:9"?
 */
export function describeIssue(issue: Issue): string {
  return describeWith(issue);
}

/** Describes an issue, with a sentence on what it means for the money after what is wrong. */
export function describeWith(issue: Issue, outcome?: string): string {
  const { field, code, expected, problem, suggestion } = issue;
  // A list of all names would hide the one that was meant. A field may follow the line of a batch.
  const isMeant = suggestion !== undefined && (code.startsWith("unknown") || field.endsWith("model"));
  const isSaid = isMeant || (!problem && wrongTypes.has(code));
  const advice = isSaid ? "" : `${passed.has(code) ? "Pass" : "Use"} ${expected}.`;
  return joined(describeFault(issue), outcome, advice, describeSuggestion(issue));
}

/** Joins sentences; some may be missing. */
export function joined(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter(Boolean).join(" ");
}

function describeFault({ field, code, received, expected, problem }: Issue): string {
  if (problem) return `${field} ${problem}.`;
  if (wrongTypes.has(code)) return `${field} must be ${expected}, not ${received}.`;
  if (code === "missing") return `${field} is missing.`;
  if (code === "unknownField") return `${field} is not a known field.`;
  if (code === "unknownOption") return `${field} is not a known option.`;
  // The description of a value that is not shown says what is wrong with it.
  if (received.endsWith("(not shown)")) return `${field} has ${received}.`;
  // A quoted value reads as a name of the field's, anything else as words.
  const value = received.startsWith('"') ? ` ${received}` : `: ${received}`;
  return `${field}${value} ${verdicts[code] ?? "is not valid"}.`;
}

function describeSuggestion({ code, suggestion }: Issue): string {
  if (suggestion === undefined) return "";
  if (code === "notAllowed") return `Pass { ${suggestion}: true } to allow it.`;
  // The suggestion for a wrong type is a number, and that for an unknown field is a name.
  return `Did you mean ${/^(unknown|wrongType)/.test(code) ? suggestion : JSON.stringify(suggestion)}?`;
}

/** Returns a value in words, shortened; never the bytes of a file. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") {
    return value.length > 60
      ? `${JSON.stringify(value.slice(0, 60))}... (${countCharacters(value)} characters)`
      : JSON.stringify(value);
  }
  if (isBlob(value)) return `a file (${value.type || "no type"}, ${value.size} bytes)`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Promise) return "a promise (is an await missing?)";
  if (value instanceof Uint8Array) return "bytes (pass a Blob, or use fileFrom)";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "function" ? "a function" : String(value);
}

/** Counts code points, as the service's bounds do. A list of them would take gigabytes for a file that was pasted as text. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; count++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return count;
}

/** Returns the start of a text that is too long to be shown completely. */
export function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}... (${text.length} characters)` : text;
}
