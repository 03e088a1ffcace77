import { closestName, countCharacters, describeValue, type Issue, issueOf, mustBe } from "../errors/issue.ts";
import type { Field } from "../spec/operation.ts";

/** What is wrong with a value. */
type Fault = "wrongType" | "is not valid" | "is empty" | "is too short" | "is too long";

/** The maximum number of characters of any text. It would take seconds to convert the line breaks of a text of many megabytes. */
const textLimit = 1_000_000;

/** The pattern of text that is not blank. */
export const notBlank = "\\S";

/** Matches a lone surrogate. With the flag `u`, a complete pair is one character. */
const halfPair = /[\uD800-\uDFFF]/u;

/** Reads a text of an HTML form, a table or a command line as the value of a field. A text that is none stays, and is rejected later. */
export function readText(given: unknown, takes: Field["takes"] | undefined): unknown {
  if (typeof given !== "string") return given;
  if (takes === "number" && /^-?\d+(\.\d+)?$/.test(given)) return Number(given);
  return takes === "flag" && /^(on|off|true|false)$/i.test(given) ? /^(on|true)$/i.test(given) : given;
}

/** Returns how a form sends a value: as text, and one file as a list. A text that is too long stays: it is rejected. */
export function toSent({ takes, values, isWhole, many }: Field, given: unknown): unknown {
  if (typeof given === "string") return isTooLong(given) ? given : toCRLF(given);
  if (typeof given === "boolean" && takes === "flag" && values) return given ? "1" : "0";
  if (typeof given === "number" && takes === "text" && isWhole && given === (given | 0)) return String(given);
  return many && given instanceof Blob ? [given] : given;
}

/** Converts line breaks to CRLF, as forms send them, so that lengths are measured as sent. */
export function toCRLF(text: string): string {
  // Most texts have no line breaks, and `includes` is faster than a pattern.
  return text.includes("\n") || text.includes("\r") ? text.replace(/\r\n?|\n/g, "\r\n") : text;
}

/** Adds the issues of a field's value. `given` is what the caller passed for the value that is sent. */
export function checkField(field: Field, sent: unknown, given: unknown, issues: Issue[]): void {
  const { field: name, takes, many, item = "", min = 0, max = Infinity } = field;
  if (takes === "file" && typeof sent === "string") {
    if (reference.test(sent)) return void issues.push(referenceIssue(name, sent));
    if (field.acceptsText) return checkOne(textField(name), sent, given, issues);
  }
  if (!many) return checkOne(field, sent, given, issues);
  const isList = Array.isArray(sent);
  if (!isList || sent.length < min || sent.length > max) issues.push(issueOfValue(field, "wrongType", given));
  // An index loop, because `forEach` would skip the holes of an array, which are missing values.
  for (let i = 0; isList && i < sent.length; i++)
    checkOne({ ...field, field: `${name}[${i}]`, expected: item }, sent[i], sent[i], issues);
}

/** Returns a field that accepts any text. */
export function textField(name: string): Field {
  return { field: name, takes: "text", expected: "text" };
}

function checkOne(field: Field, sent: unknown, given: unknown, issues: Issue[]): void {
  const fault = faultOf(field, sent);
  if (fault) issues.push(issueOfValue(field, fault, given));
  else if (typeof sent === "string" && halfPair.test(sent))
    issues.push(issueOf(field.field, "invalid", "contains half of a surrogate pair", "Use well-formed text."));
}

function faultOf(field: Field, value: unknown): Fault | undefined {
  const { takes, values, pattern, isWhole, min = -Infinity, max = Infinity } = field;
  const isOfType = {
    // An empty file would be billed without its content.
    file: value instanceof Blob && value.size > 0,
    flag: typeof value === (values ? "string" : "boolean"),
    number: isWhole ? Number.isSafeInteger(value) : Number.isFinite(value),
    text: typeof value === "string",
  };
  if (!isOfType[takes]) return "wrongType";
  // The cast: any given value is compared with the listed ones.
  if (values?.includes(value as string)) return undefined;
  if (values && pattern === undefined) return "is not valid";
  if (typeof value === "string") return faultInText(field, value);
  return typeof value !== "number" || (value >= min && value <= max) ? undefined : "is not valid";
}

function faultInText({ pattern = "", pixels, min = 0, max }: Field, value: string): Fault | undefined {
  if (isTooLong(value, max)) return "is too long";
  if (min > 0 && countCharacters(value) < min) return "is too short";
  if (!new RegExp(pattern, "u").test(value)) return pattern === notBlank ? "is empty" : "is not valid";
  if (!pixels) return undefined;
  const [width = 0n, height = 0n] = value.split(/\D+/).map(BigInt);
  return width * height >= pixels[0] && width * height <= pixels[1] ? undefined : "is not valid";
}

/** Returns whether a text has more characters than this. It has at most as many code points as code units. */
function isTooLong(value: string, limit: number = textLimit): boolean {
  return value.length > limit && countCharacters(value) > limit;
}

/** Creates the issue of a value that violates its bounds. */
function issueOfValue({ field, expected, values = [], max }: Field, fault: Fault, given: unknown): Issue {
  let valid = expected;
  if (fault === "is too long" && max === undefined) valid += ` of at most ${textLimit} characters`;
  if (max === undefined && Number.isInteger(given) && !Number.isSafeInteger(given))
    valid += ` of at most ${Number.MAX_SAFE_INTEGER}`;
  if (typeof given !== "string") return issueOf(field, "invalid", mustBe(valid, given));
  const meant = closestValue(given, values);
  const suggestion = meant === undefined ? "" : `Did you mean ${JSON.stringify(meant)}?`;
  if (fault === "wrongType") return issueOf(field, "invalid", mustBe(valid, given), suggestion);
  return issueOf(field, "invalid", `${describeValue(given)} ${fault}`, `Use ${valid}.`, suggestion);
}

/** Returns the value that is closest to a mistyped one. A value with other digits is not a typo of it. */
function closestValue(given: string, values: readonly (string | number)[]): string | number | undefined {
  const digitsOf = (value: string | number) => String(value).replace(/\D+/g, "");
  const alike = values.filter((value) => digitsOf(value) === digitsOf(given));
  const meant = closestName(given, alike.map(String));
  return alike.find((value) => String(value) === meant);
}

/** Matches a path, a URL or a data URI in place of a file. A blank text is a missing file, and Base64 an encoded one. */
const reference =
  /^(\s*$|[\w+/=-]{64,}$|[a-z][a-z\d+.-]*:\S|[~/\\]|\.\.?[/\\])|\.(png|jpe?g|webp|gif|bmp|tiff?|heic|avif)$/i;

/** Returns the issue for text in place of a file. */
function referenceIssue(field: string, value: string): Issue {
  const advice =
    "Use a file: pass await fileFrom(...), or a Blob. Text would be sent as it is, and billed without its image.";
  return issueOf(field, "invalid", `${describeValue(value)} is text, not a file`, advice);
}
