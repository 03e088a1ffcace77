import {
  closestName,
  countCharacters,
  describeValue,
  type Issue,
  issueOf,
  mustBe,
} from "../errors/issue.ts";
import type { Field, FormFields } from "../spec/operation.ts";

/**
 * The maximum number of characters of any text: converting the line breaks of many megabytes takes
 * seconds.
 */
const textLimit = 1_000_000;

/**
 * Matches a path, a URL or a data URI in place of a file. A blank text is a missing file, and
 * Base64 an encoded one.
 */
const reference =
  /^(\s*$|[\w+/=-]{64,}$|[a-z][a-z\d+.-]*:\S|[~/\\]|\.\.?[/\\])|\.(png|jpe?g|webp|gif|bmp|tiff?|heic|avif)$/i;

/**
 * Whether a value is an object with fields of its own, which a FormData, a Map, a Blob and a stream
 * are not.
 */
export function isObjectOfFields(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/**
 * Returns how a form sends a value: as text, and one file as a list. A text that is too long stays:
 * it is rejected.
 */
export function toSent({ takes, values, isWhole, many }: Field, given: unknown): unknown {
  if (typeof given === "string") return isTooLong(given) ? given : toCRLF(given);
  if (typeof given === "boolean" && takes === "flag" && values) return given ? "1" : "0";
  if (typeof given === "number" && takes === "text" && isWhole && given === (given | 0))
    return String(given);
  return many && given instanceof Blob ? [given] : given;
}

/** Converts line breaks to CRLF, as forms send them, so that lengths are measured as sent. */
export function toCRLF(text: string): string {
  return /[\r\n]/.test(text) ? text.replace(/\r\n?|\n/g, "\r\n") : text;
}

/**
 * Adds the issues of a field's value. `given` is what the caller passed for the value that is sent.
 */
export function checkField(field: Field, sent: unknown, given: unknown, issues: Issue[]): void {
  const { field: name, takes, many, item = "", acceptsText, min = 1, max = Infinity } = field;
  if (takes === "file" && typeof sent === "string" && reference.test(sent)) {
    const advice = "Pass await fileFrom(...) or a Blob. Text would be billed without its image.";
    issues.push(issueOf(name, "invalid", `${describeValue(sent)} is text, not a file`, advice));
  } else if (many && Array.isArray(sent) && sent.length >= min && sent.length <= max) {
    const one = { ...field, many: false, acceptsText: false, expected: item };
    // An index loop, because `forEach` would skip the holes of an array, which are missing values.
    for (let i = 0; i < sent.length; i++)
      checkField({ ...one, field: `${name}[${i}]` }, sent[i], sent[i], issues);
  } else if (many ? !acceptsText || !isText(sent, {}) : !isValid(field, sent))
    issues.push(issueOfValue(field, given));
}

function isValid(field: Field, value: unknown): boolean {
  const { takes, values, pattern, isWhole, acceptsText, min = -Infinity, max = Infinity } = field;
  // The cast: any given value is compared with the listed ones.
  if (values && (pattern === undefined || values.includes(value as string)))
    return values.includes(value as string);
  if (takes === "flag") return typeof value === "boolean";
  if (typeof value === "number" && takes === "number")
    return (
      (isWhole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
      value >= min &&
      value <= max
    );
  // An empty file would be billed without its content.
  if (takes === "file" && value instanceof Blob) return value.size > 0;
  return (takes === "text" || (takes === "file" && acceptsText === true)) && isText(value, field);
}

/** By pattern: to create one takes longer than all other checks of a field. */
const expressions = new Map<string, RegExp>();

function isText(value: unknown, { pattern = "", pixels, min = 0, max }: Partial<Field>): boolean {
  // Half of a surrogate pair cannot be sent. With the flag `u`, a complete pair is one character.
  if (typeof value !== "string" || isTooLong(value, max) || /[\uD800-\uDFFF]/u.test(value))
    return false;
  const expression = expressions.get(pattern) ?? new RegExp(pattern, "u");
  expressions.set(pattern, expression);
  if (countCharacters(value) < min || !expression.test(value)) return false;
  const [width = 0n, height = 0n] = pixels ? value.split(/\D+/).map(BigInt) : [];
  return !pixels || (width * height >= pixels[0] && width * height <= pixels[1]);
}

/**
 * Returns whether a text has more characters than this. A character is one code unit or two, so
 * that the rest of a very long text need not be counted.
 */
function isTooLong(value: unknown, limit: number = textLimit): boolean {
  return typeof value === "string" && countCharacters(value.slice(0, limit * 2 + 1)) > limit;
}

function issueOfValue({ field, expected, values = [], max }: Field, given: unknown): Issue {
  const limit = max === undefined && isTooLong(given) ? ` of at most ${textLimit} characters` : "";
  const texts = values.filter((value) => typeof value === "string");
  const meant = typeof given === "string" ? closestName(given, texts) : undefined;
  return issueOf(
    field,
    "invalid",
    mustBe(expected + limit, given),
    meant && `Did you mean "${meant}"?`,
  );
}

/**
 * Reads the texts of an HTML form, a table or a command line as values of fields. A text that is
 * none stays, and is rejected later.
 */
export function readTexts(
  { fields }: FormFields,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const takes = new Map(fields.map((one) => [one.field, one.takes]));
  return Object.fromEntries(
    Object.entries(given).map(([field, value]) => [field, readText(value, takes.get(field))]),
  );
}

function readText(given: unknown, takes: Field["takes"] | undefined): unknown {
  if (Array.isArray(given)) return given.map((one) => readText(one, takes));
  if (typeof given !== "string") return given;
  if (takes === "number" && /^-?\d+(\.\d+)?$/.test(given)) return Number(given);
  return takes === "flag" && /^(on|off|true|false)$/i.test(given)
    ? /^(on|true)$/i.test(given)
    : given;
}
