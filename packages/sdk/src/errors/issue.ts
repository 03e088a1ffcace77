/**
 * The kind of mistake of an issue, for programs. `notAllowed` is valid elsewhere; all that a
 * program need not tell apart is `invalid`.
 */
export type IssueCode = "missing" | "unknown" | "invalid" | "notAllowed" | "alreadyExists";

/** A mistake in one field or option. */
export interface Issue {
  /** The field or option, such as `duration`, `sourceImage[1]` or `baseUrl`. */
  readonly field: string;
  readonly code: IssueCode;
  /**
   * What is wrong, what to use instead and what you may have meant, in sentences that begin with
   * the field.
   */
  readonly message: string;
}

export const nothingWasSent = "Nothing was sent.";
export const notLost = "The task is not lost.";

/** The description of a task, in words that follow "must be". */
export const returnedTask = "what generate or media.task returned";

/**
 * Creates an issue of words that follow the field, and sentences on what to use instead. None shows
 * a value that may be a key.
 */
export function issueOf(
  field: string,
  code: IssueCode,
  problem: string,
  ...advice: Parameters<typeof joined>
): Issue {
  const name = shorten(field);
  return { field: name, code, message: joined(`${name} ${problem}.`, ...advice) };
}

export function mustBe(expected: string, value: unknown): string {
  return `must be ${expected}, not ${describeValue(value)}`;
}

export function hasChanged(field: string): Issue {
  return issueOf(
    field,
    "invalid",
    "has changed since it was given, or is gone",
    "Pass the file again.",
  );
}

/**
 * Creates the issue of a name that does not exist. A list of all names would hide the one that was
 * meant.
 */
export function unknownName(name: string, what: string, names: readonly string[]): Issue {
  const word = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
  const similar = names
    .filter((one) => word.length > 2 && one.toLowerCase().includes(word))
    .join(" or ");
  const meant = closestName(word, names) ?? similar;
  const advice = meant ? `Did you mean ${meant}?` : `Use one of ${names.join(", ")}.`;
  return issueOf(name, "unknown", `is not a known ${what}`, advice);
}

export function joined(...sentences: (string | false | undefined)[]): string {
  return sentences.filter(Boolean).join(" ");
}

/** Returns a value in words, shortened; never the bytes of a file. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(shorten(value, 60));
  if (value instanceof Blob) return `a file (${value.type || "no type"}, ${value.size} bytes)`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value instanceof Promise) return "a promise (is an await missing?)";
  const type = Object.prototype.toString.call(value).slice(8, -1);
  return Object(value) === value ? `a value of type ${type}` : String(value);
}

/**
 * Counts code points, as the service's bounds do. A list of them would take gigabytes for a file
 * that was pasted as text.
 */
export function countCharacters(text: string): number {
  // The characters of two code units.
  return text.replace(/[^\0-\uffff]/gu, "x").length;
}

export function shorten(text: string, limit = 200): string {
  return text.length > limit ? `${text.slice(0, limit)}... (${text.length} characters)` : text;
}

export function closestName(word: string, candidates: Iterable<string>): string | undefined {
  const given = word.toLowerCase();
  const names = [...candidates];
  const mostEdits = Math.min(3, Math.ceil(given.length / 4));
  for (let edits = 0; edits <= mostEdits; edits++) {
    const closest = names.find((name) => isWithin(edits, given, name.toLowerCase()));
    if (closest !== undefined) return closest;
  }
  return undefined;
}

/**
 * Returns whether at most so many letters must be added, removed or changed to turn one word into
 * the other.
 */
function isWithin(edits: number, one: string, two: string): boolean {
  if (one === two || edits === 0 || Math.abs(one.length - two.length) > edits) return one === two;
  let at = 0;
  while (one[at] === two[at]) at++;
  const isNear = (skip: number, skipTwo: number) =>
    isWithin(edits - 1, one.slice(at + skip), two.slice(at + skipTwo));
  return isNear(1, 0) || isNear(0, 1) || isNear(1, 1);
}

/** Returns a duration in words, such as `30 min`. */
export function describeDuration(ms: number): string {
  return ms > 0 && ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`;
}
