import fc from "fast-check";
import type { SpecSchema } from "../../scripts/spec.ts";
import { separatorOf } from "../contract/cases.ts";
import { onTheWire, type FilePart } from "./form-parts.ts";

/** A value for one field: what the SDK receives, and what the parts of the field carry when it is sent. */
export interface Sample {
  readonly given: unknown;
  readonly sent: readonly (string | FilePart)[];
  /** Whether only the SDK rejects it. */
  readonly onlySdkSees?: boolean;
}

/** Values of one kind. */
export type Samples = fc.Arbitrary<Sample>;

const text = (given: string): Sample => ({ given, sent: [onTheWire(given)] });
/** A value that is no string, and the text that FormData makes of it. */
const asText = (given: unknown): Sample => ({ given, sent: [String(given)] });
const oneOf = (samples: readonly Sample[]): Samples[] => (samples.length > 0 ? [fc.constantFrom(...samples)] : []);
const file = ({ fileName, type, content }: FilePart) =>
  new File([content], fileName, type === undefined ? {} : { type });

/** Files as a form sends them: one as it is, several as a list. */
function files(parts: readonly FilePart[], given: unknown = parts.map(file)): Sample {
  return { given, sent: parts };
}

function filePart(fileName: string, content = "GIF89a", type?: string): FilePart {
  return { fileName, content, ...(type === undefined ? {} : { type }) };
}

const aFile = fc.constantFrom("first.png", "last.jpg").map((name) => filePart(name, "GIF89a", "image/png"));
const shortText = fc.string({ maxLength: 12 });

/** Whether a schema bounds only the length of a text, or that it is not blank. */
function isFreeText({ type, format, enum: values, pattern = notBlank }: SpecSchema): boolean {
  return type === "string" && format !== "binary" && !values && pattern === notBlank;
}

const notBlank = "\\S";
/** Texts that are blank only if the schema accepts that. */
const matching = (texts: fc.Arbitrary<string>, { pattern }: SpecSchema) =>
  texts.filter((one) => pattern !== notBlank || one.trim() !== "");

const isFlag = ({ enum: values }: SpecSchema) => values?.join() === "0,1";
const isNumeric = ({ type, format }: SpecSchema) => type === "string" && format === "int32";

/** Values that a schema accepts. */
export function valid(schema: SpecSchema): Samples {
  const { type, format, enum: values, anyOf, items, pattern, minimum, maximum } = schema;
  const { minItems = 0, maxItems = 3, minLength = 0, maxLength } = schema;
  if (anyOf) return fc.oneof(...anyOf.map(valid));
  if (format === "binary") return aFile.map((part) => files([part], file(part)));
  if (type === "array" && items?.format === "binary")
    return fc.array(aFile, { minLength: Math.max(1, minItems), maxLength: maxItems }).map((parts) => files(parts));
  const flags = [true, false].map((given): Sample => ({ given, sent: [given ? "1" : "0"] }));
  if (values) return fc.constantFrom(...values.map(sampleOfEnum), ...(isFlag(schema) ? flags : []));
  if (type === "integer") return fc.maxSafeInteger().map((n) => asText(clamp(n, minimum, maximum)));
  if (separatorOf(schema)) return sizes(schema).map(text);
  if (isNumeric(schema))
    return fc.oneof(
      fc.integer().map((n) => asText(n)),
      matching(shortText, schema).map(text),
    );
  if (isFreeText(schema)) {
    const texts = fc.string({ minLength, maxLength: Math.min(minLength + 30, maxLength ?? Infinity) });
    return matching(texts, schema).map(text);
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern, "u")).map(text);
  throw new Error(`there is no rule that makes values for ${JSON.stringify(schema)}`);
}

/** The last values that a schema accepts. */
function atBounds(schema: SpecSchema): Samples[] {
  const { enum: values = [], anyOf = [], minimum, maximum, minLength, maxLength, minItems, maxItems } = schema;
  const pixels = schema["x-total-pixels"];
  return [
    ...anyOf.flatMap(atBounds),
    ...oneOf(values.map(sampleOfEnum)),
    ...oneOf([minimum, maximum].filter((bound) => bound !== undefined).map((bound) => asText(bound))),
    ...[minLength, maxLength].filter((bound) => bound !== undefined).map(textsOfLength),
    ...[minItems, maxItems].filter((bound) => bound !== undefined).map(filesOf),
    ...(pixels ? [fc.constantFrom(pixels.minimum, pixels.maximum).chain(sizesOf(schema))] : []),
  ];
}

const blank = fc.constantFrom("", " ", "\t\r\n", "\u3000", "\u{feff}").map(text);

/** The first values that a schema rejects. */
function beyondBounds(schema: SpecSchema): Samples[] {
  const { enum: values = [], anyOf, minimum, maximum, minLength = 0, maxLength, maxItems } = schema;
  const pixels = schema["x-total-pixels"];
  // Another branch may accept what one rejects, except for bounds on the product of sizes.
  if (anyOf)
    return [
      ...anyOf.filter((branch) => branch["x-total-pixels"]).flatMap(beyondBounds),
      fc.constant(text("none of these")),
    ];
  const near = values.flatMap((value): (string | number)[] =>
    typeof value === "number"
      ? [value - 1, value + 1]
      : [`${value}0`, value.slice(1), value.toLowerCase(), value.toUpperCase()],
  );
  return [
    ...oneOf(near.filter((value) => !values.includes(value)).map(sampleOfEnum)),
    ...(minimum === undefined ? [] : [fc.constant(asText(minimum - 1))]),
    ...(maximum === undefined ? [] : [fc.constant(asText(maximum + 1))]),
    ...(minLength > 0 ? [textsOfLength(minLength - 1)] : []),
    ...(maxLength === undefined ? [] : [textsOfLength(maxLength + 1)]),
    ...(maxItems === undefined ? [] : [filesOf(maxItems + 1)]),
    ...(pixels ? [fc.constantFrom(pixels.minimum - 1, pixels.maximum + 1).chain(sizesOf(schema))] : []),
    ...(separatorOf(schema) ? [badSizes(schema)] : schema.pattern === undefined ? [] : [blank]),
  ];
}

/** Values of another type than the schema's, also on the wire. */
function wrongTypes(schema: SpecSchema, takesFiles: boolean): Samples[] {
  const { type, format, items } = schema;
  if (format === "binary" || items?.format === "binary") return [];
  const aList = fc
    .tuple(valid(schema), valid(schema))
    .map(([one, two]) => ({ given: [one.given, two.given], sent: [...one.sent, ...two.sent] }));
  const aFileForText = aFile.map((part) => files([part], file(part)));
  const unlike = [null, Number.NaN, {}, true, Infinity].map((given) => asText(given));
  const numbers = ["", `1${"0".repeat(400)}`, ..." 5|5 |+5|007|5.0|1e1|0x10|٥|５|5n|--5".split("|")].map(text);
  const isChoice = schema.enum || separatorOf(schema) || schema.anyOf;
  const fractions = fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true }).map((n) => asText(n));
  return [
    aList,
    // Files of this name have a part of their own.
    ...(takesFiles ? [] : [aFileForText]),
    ...(type === "integer" ? [fc.constantFrom(...numbers, ...unlike), fractions] : []),
    ...(type === "string" && isChoice && !isFlag(schema) ? [fc.constantFrom(...unlike)] : []),
  ];
}

const odd = '\r|\n|\r\n|\n\r|\u2028|\0|\u{feff}|e\u0301|\u200d|👩‍👩‍👧|\u{10ffff}|\uffff|ﷺ|%0D%0A|"|\\'.split("|");

/** Text that editors, parsers and counters of characters often get wrong. */
function oddUnicode(schema: SpecSchema): Samples[] {
  const { type, format, items } = schema;
  if (format === "binary" || items) return [];
  const oddity = fc.oneof(fc.constantFrom(...odd), fc.string({ unit: "binary", minLength: 1, maxLength: 4 }));
  const pieces = fc.array(fc.oneof(oddity, shortText), { minLength: 1, maxLength: 6 });
  if (isFreeText(schema)) return [pieces.map((texts) => text(texts.join("")))];
  const around = fc
    .tuple(valid(schema), oddity, fc.boolean())
    .map(([{ sent }, one, isBefore]) => text(isBefore ? one + String(sent[0]) : String(sent[0]) + one));
  // Digits around a number or a size may make another good one; that is not what this is about.
  return type === "integer" || schema.pattern || schema.anyOf
    ? [around.filter(({ given }) => /[^\d*x-]/i.test(String(given)))]
    : [around];
}

const oddNames = [
  "a".repeat(300),
  ...'| |.|..|a;b=c.png|quo"te.png|back\\slash.png|C:\\fakepath\\a.png|../../etc/passwd|zwei\r\nzeilen.png|猫🦊.png|e\u0301.png|%22.png|name*=x|no-extension'.split(
    "|",
  ),
];

/** Files with odd names, without bytes, and without a type. */
function oddFiles(schema: SpecSchema): Samples[] {
  if (schema.format !== "binary" && schema.items?.format !== "binary") return [];
  const named = fc
    .oneof(fc.constantFrom(...oddNames), fc.string({ unit: "grapheme", maxLength: 20 }))
    .filter((name) => !/\p{Cc}/u.test(name));
  const one = fc.oneof(
    named.map((name) => filePart(name, "GIF89a", "image/png")),
    fc.constantFrom("empty.png", "").map((name) => filePart(name, "", "image/png")),
    fc.constantFrom("first.png", "").map((name) => filePart(name)),
  );
  return [
    one.map((part) => ({
      // The SDK receives a File, whose own name and type are those of the part.
      ...files([part], new File([part.content], part.fileName, { type: part.type ?? "" })),
      // No bound forbids an empty file, but it is billed like another.
      onlySdkSees: part.content === "",
    })),
  ];
}

/** Values for a field, each kind by itself: good ones, those at its bounds, and odd ones. The field may have files in another part. */
export function samplesOf(schema: SpecSchema, hasFiles: boolean): Samples[] {
  const isFile = schema.format === "binary" || schema.items?.format === "binary";
  const kinds = [atBounds, beyondBounds, oddUnicode, oddFiles];
  const empty = isFile || hasFiles ? [] : [fc.constant({ given: "", sent: [""] })];
  return [
    valid(schema),
    valid(schema),
    ...kinds.flatMap((kind) => kind(schema)),
    ...wrongTypes(schema, hasFiles),
    ...empty,
  ];
}

function sampleOfEnum(value: string | number): Sample {
  return typeof value === "string" ? text(value) : asText(value);
}

function filesOf(count: number): Samples {
  return fc.array(aFile, { minLength: count, maxLength: count }).map((parts) => files(parts));
}

/** Texts of so many characters on the wire: of one character, or filled up after something odd. */
function textsOfLength(length: number): Samples {
  const units = fc.constantFrom("x", "🦊", "é", "\u0301").map((unit) => unit.repeat(length));
  const filled = fc
    .oneof(fc.constantFrom(...odd), shortText)
    .map((start) => start + "x".repeat(Math.max(0, length - [...onTheWire(start)].length)));
  return fc
    .oneof(
      units,
      filled.filter((one) => [...onTheWire(one)].length === length),
    )
    .map(text);
}

/** Sizes that hold the pattern and the bounds of a schema. */
function sizes(schema: SpecSchema): fc.Arbitrary<string> {
  const { minimum, maximum } = schema["x-total-pixels"] ?? { minimum: 1, maximum: 4096 * 4096 };
  return fc
    .integer({ min: 1, max: Math.floor(Math.sqrt(maximum)) })
    .chain((width) =>
      fc
        .integer({ min: Math.ceil(minimum / width), max: Math.floor(maximum / width) })
        .map((height) => `${width}${separatorOf(schema)}${height}`),
    );
}

/** Sizes of exactly so many pixels. */
function sizesOf(schema: SpecSchema): (pixels: number) => Samples {
  return (pixels) => {
    const widths = Array.from({ length: 5000 }, (_, index) => index + 1).filter((width) => pixels % width === 0);
    return fc.constantFrom(...widths).map((width) => text(`${width}${separatorOf(schema)}${pixels / width}`));
  };
}

function badSizes(schema: SpecSchema): Samples {
  const separator = separatorOf(schema) ?? "";
  const sizes = "02048x2048|2048x|-2048x2048|2048x2048x1|2048 x 2048|0x2048|2048x2048.0".replaceAll("x", separator);
  return fc.constantFrom(`2048${separator === "x" ? "*" : "x"}2048`, ...sizes.split("|")).map(text);
}

function clamp(n: number, least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER): number {
  return n >= least && n <= most ? n : least + (Math.abs(n) % (most - least + 1));
}
