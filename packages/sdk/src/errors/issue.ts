/** The kind of mistake of an issue, for programs. `notAllowed` is valid elsewhere; all that a program need not tell apart is `invalid`. */
export type IssueCode = "missing" | "unknown" | "invalid" | "notAllowed" | "alreadyExists";

/** A mistake in one field or option. */
export interface Issue {
  /** The field or option, such as `duration`, `sourceImage[1]` or `baseUrl`. */
  readonly field: string;
  /** The kind of mistake. */
  readonly code: IssueCode;
  /** What is wrong, what to use instead and what you may have meant, in sentences that begin with the field. */
  readonly message: string;
}

/** The outcome in an `InvalidRequestError` of a request that was checked before sending. */
export const nothingWasSent = "Nothing was sent.";

/** The description of a task, in words that follow "must be". */
export const returnedTask = "what generate or media.task returned";

/**
 * Creates an issue.
 *
 * @param problem what is wrong, in words that follow the field. It shows values as `describeValue` does, and none that may be a key
 * @param advice sentences on what to use instead
 */
export function issueOf(field: string, code: IssueCode, problem: string, ...advice: readonly string[]): Issue {
  const name = shorten(field);
  return { field: name, code, message: joined(`${name} ${problem}.`, ...advice) };
}

/** Returns a problem: the value is something else than it must be. */
export function mustBe(expected: string, value: unknown): string {
  return `must be ${expected}, not ${describeValue(value)}`;
}

/** Creates the issue of a file that can no longer be read. */
export function hasChanged(field: string): Issue {
  return issueOf(field, "invalid", "has changed since it was given, or is gone", "Pass the file again.");
}

/** Creates the issue of a name that does not exist. A list of all names would hide the one that was meant. */
export function unknownName(name: string, what: "field" | "option", names: readonly string[]): Issue {
  const meant = closestName(name, names);
  const list = `Use ${names.length > 1 ? "one of " : ""}${names.join(", ")}.`;
  return issueOf(name, "unknown", `is not a known ${what}`, meant === undefined ? list : `Did you mean ${meant}?`);
}

/** Joins sentences; some may be missing. */
export function joined(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter(Boolean).join(" ");
}

/** Returns a value in words, shortened; never the bytes of a file. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") {
    return value.length > 60
      ? `${JSON.stringify(value.slice(0, 60))}... (${countCharacters(value)} characters)`
      : JSON.stringify(value);
  }
  if (value instanceof Blob)
    return value.size === 0 ? "an empty file" : `a file (${value.type || "no type"}, ${value.size} bytes)`;
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

/** Returns the candidate that is closest to a mistyped word, or undefined if none is close. */
export function closestName(word: string, candidates: Iterable<string>): string | undefined {
  const most = Math.max(word.length < 4 ? 1 : 2, Math.floor(word.length / 3));
  // The distance is at least the difference in length, and a file that was pasted as a word takes minutes to compare.
  const near = [...candidates].filter(({ length }) => Math.abs(length - word.length) <= most);
  const distances = near.map((name) => editDistance(word.toLowerCase(), name.toLowerCase()));
  const least = Math.min(...distances, most);
  return near.find((_, index) => distances[index] === least);
}

/** Returns how many letters must be added, removed or changed to turn one word into the other (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(changed, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
  }
  return row[b.length] ?? 0;
}

/** Returns a duration in words, such as `30 minutes`. */
export function describeDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  const [count, unit] = ms % 60_000 === 0 ? [ms / 60_000, "minute"] : [ms / 1_000, "second"];
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
