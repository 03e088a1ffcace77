import fc from "fast-check";
import type { SpecSchema } from "../../scripts/spec.ts";
import { models } from "../contract/cases.ts";
import { onTheWire, type Part } from "./form-parts.ts";
import * as samples from "./form-samples.ts";
import { files, oddFiles, valid, type Sample } from "./form-samples.ts";

/** What a generated request is about, and what becomes of those requests where nobody errs, the SDK apart. */
export const classes = {
  valid: "taken",
  atBounds: "taken",
  beyondBounds: "rejected",
  wrongTypes: "rejected",
  wrongTypesUnseen: "taken",
  inexactNumbers: "taken",
  oddUnicode: "both",
  loneSurrogates: "taken",
  emptyText: "rejected",
  oddFileNames: "taken",
  emptyFiles: "taken",
  noContentType: "taken",
  fileCounts: "both",
  missingRequired: "rejected",
  emptyForms: "rejected",
  unknownFields: "taken",
  partNames: "both",
  extraFields: "taken",
  several: "rejected",
} as const;

/** The name of a class. */
export type RequestClass = keyof typeof classes;

/** A form for a model, as the SDK is given it and as its parts go on the wire. */
export interface FormRequest {
  readonly class: RequestClass;
  readonly model: string;
  /** The field that the request is about; empty where it is about none. */
  readonly field: string;
  readonly form: Readonly<Record<string, unknown>>;
  readonly extraFields: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
  /** Whether the SDK refuses what nobody can see on the wire, or what the description does not forbid. */
  readonly onlySdkRefuses: boolean;
}

type Model = (typeof models)[number];
type Field = { readonly model: Model; readonly part: string; readonly schema: SpecSchema };
type Requests = fc.Arbitrary<FormRequest>;

const suffix = ".items";
/** The SDK's name for a part: a field's files have a part of their own. */
const fieldOf = (part: string) => part.replace(suffix, "");
const isFile = ({ format, items }: SpecSchema) => format === "binary" || items?.format === "binary";

const fields: readonly Field[] = models.flatMap((model) =>
  Object.entries(model.form.properties ?? {}).map(([part, schema]) => ({ model, part, schema })),
);

/** Names of fields that no model has, odd ones first of all. */
const oddNames =
  '|x|Prompt|prompt |duration[]|__proto__|toString|constructor|hasOwnProperty|length|提示|🦊|a"b|a\nb'.split("|");

/** Every class with the requests that it is made of, a choice for each place of the spec that it fits. */
const requestsOf: Readonly<Record<RequestClass, readonly Requests[]>> = {
  valid: models.map((model) => request("valid", model, "", fc.constant([]))),
  atBounds: aboutFields("atBounds", ({ schema }) => samples.atBounds(schema)),
  beyondBounds: aboutFields("beyondBounds", ({ schema }) => samples.beyondBounds(schema)),
  wrongTypes: aboutFields("wrongTypes", ({ model, part, schema }) =>
    samples.wrongTypes(schema, Object.hasOwn(model.form.properties ?? {}, part + suffix)),
  ),
  wrongTypesUnseen: aboutFields("wrongTypesUnseen", ({ schema }) => samples.wrongTypesUnseen(schema)),
  inexactNumbers: aboutFields("inexactNumbers", ({ schema }) => samples.inexact(schema)),
  oddUnicode: aboutFields("oddUnicode", ({ schema }) => samples.oddUnicode(schema)),
  loneSurrogates: aboutFields("loneSurrogates", ({ schema }) => samples.loneSurrogates(schema)),
  // A text in place of a file may be anything: see `withoutReference`.
  emptyText: aboutFields("emptyText", ({ model, part, schema }) =>
    isFile(schema) || Object.hasOwn(model.form.properties ?? {}, part + suffix)
      ? []
      : [fc.constant({ given: "", sent: [""] })],
  ),
  oddFileNames: aboutFields("oddFileNames", oneOddFile("oddFileNames")),
  emptyFiles: aboutFields("emptyFiles", oneOddFile("emptyFiles")),
  noContentType: aboutFields("noContentType", oneOddFile("noContentType")),
  fileCounts: aboutFields("fileCounts", ({ schema }) => (isFile(schema) ? [fileCounts(schema)] : [])),
  missingRequired: models.flatMap((model) =>
    (model.form.required ?? []).map((field) => request("missingRequired", model, field, fc.constant([]))),
  ),
  emptyForms: models.map((model) => fc.constant({ ...about("emptyForms", model, ""), form: {}, parts: [] })),
  unknownFields: models.map((model) => request("unknownFields", model, "", unknownField(model))),
  partNames: aboutFields(
    "partNames",
    ({ part, schema }) =>
      part.endsWith(suffix)
        ? [
            valid(schema).map((sample) => ({ ...sample, onlySdkSees: true })),
            fc.constant({ given: "text", sent: ["text"] }),
          ]
        : [],
    (part) => part,
  ),
  extraFields: models.map((model) => extraField(model)),
  several: models.map(severalBad),
};

/** Requests of all classes in equal shares. */
export const formRequests: Requests = fc.oneof(...Object.values(requestsOf).map((choices) => fc.oneof(...choices)));

/** Requests about one field, all others as they should be; `nameOf` is what the SDK is given the field under. */
function aboutFields(
  name: RequestClass,
  samplesOf: (field: Field) => fc.Arbitrary<Sample>[],
  nameOf = fieldOf,
): Requests[] {
  return fields.flatMap((field) =>
    samplesOf(field).map((sample) =>
      request(
        name,
        field.model,
        fieldOf(field.part),
        sample.map((one) => [[nameOf(field.part), field.part, one] as const]),
      ),
    ),
  );
}

/** A field as the SDK is given it, the part that carries it, and what both hold. */
type Chosen = readonly (readonly [given: string, part: string, sample: Sample])[];

/** Requests for a model with what is chosen, and good values in any of the fields but the one that it is about. */
function request(name: RequestClass, model: Model, field: string, chosen: fc.Arbitrary<Chosen>): Requests {
  return fc
    .tuple(goodFields(model, field), chosen)
    .map(([good, rest]) => build(about(name, model, field), [...rest, ...good]));
}

/** Good values in all required fields of a model, in one of those of which it needs one, and in any of the others, except one. */
function goodFields({ form }: Model, except: string): fc.Arbitrary<Chosen> {
  const byField = Map.groupBy(Object.entries(form.properties ?? {}), ([part]) => fieldOf(part));
  byField.delete(except);
  const choices = [...byField].map(([field, parts]) => [
    field,
    fc.oneof(...parts.map(([part, schema]) => valid(schema).map((sample) => [field, part, sample] as const))),
  ]);
  const required = (form.required ?? []).filter((field) => field !== except);
  const needed = form.anyOf?.flatMap(({ required: one = [] }) => one.map(fieldOf)) ?? [except];
  return fc.constantFrom(...needed).chain((one) => {
    const requiredKeys = needed.includes(except) ? required : [...required, one];
    return fc
      .record(Object.fromEntries(choices) as Record<string, fc.Arbitrary<Chosen[number]>>, { requiredKeys })
      .map((record) => Object.values(record));
  });
}

function about(name: RequestClass, { model }: Model, field: string) {
  return { class: name, model, field, extraFields: {}, onlySdkRefuses: false };
}

function build(subject: ReturnType<typeof about>, given: Chosen): FormRequest {
  const chosen = given.map((one) => withoutReference(subject.model, one));
  return {
    ...subject,
    form: Object.fromEntries(chosen.map(([given, , sample]) => [given, sample.given])),
    parts: chosen.flatMap(([, name, { sent }]) => sent.map((value) => ({ name, value }))),
    onlySdkRefuses: chosen.some(([, , { onlySdkSees }]) => onlySdkSees),
  };
}

/** A text in place of a file that may read as a path or a URL, which only the SDK refuses, is made to read as none. */
function withoutReference(model: string, [given, part, sample]: Chosen[number]): Chosen[number] {
  const isBesideFiles = fields.some((field) => field.model.model === model && field.part === part + suffix);
  if (!isBesideFiles || typeof sample.given !== "string") return [given, part, sample];
  const prefix = "a ";
  return [
    given,
    part,
    { ...sample, given: prefix + sample.given, sent: sample.sent.map((text) => prefix + String(text)) },
  ];
}

function oneOddFile(oddity: keyof typeof oddFiles): (field: Field) => fc.Arbitrary<Sample>[] {
  return ({ schema }) => {
    if (!isFile(schema)) return [];
    // The SDK is given a Blob or File, whose own name and type are those of the part.
    return [
      oddFiles[oddity].map((part) => ({
        ...files([part], new File([part.content], part.fileName, { type: part.type ?? "" })),
        // No bound of the description forbids an empty file, but it is billed like another.
        onlySdkSees: part.content === "",
      })),
    ];
  };
}

function fileCounts(schema: SpecSchema): fc.Arbitrary<Sample> {
  return fc.array(fc.constant(samples.filePart("first.png")), { maxLength: 4 }).map((parts) => ({
    ...files(parts),
    // An empty list is no part at all, and where one file is taken a list of one looks like it.
    onlySdkSees: parts.length === 0 || (schema.type !== "array" && parts.length === 1),
  }));
}

function unknownField({ form }: Model): fc.Arbitrary<Chosen> {
  const near = Object.keys(form.properties ?? {}).flatMap((name) => [`${name}x`, name.slice(1), name.toUpperCase()]);
  const name = fc
    .constantFrom(...near, ...oddNames)
    .filter((one) => !Object.hasOwn(form.properties ?? {}, one) && !Object.hasOwn(form.properties ?? {}, one + suffix));
  const oneOrTwo = fc.array(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 2 });
  return fc
    .tuple(name, oneOrTwo)
    .map(([field, texts]): Chosen => [[field, field, { given: texts, sent: texts.map(onTheWire), onlySdkSees: true }]]);
}

function extraField(model: Model): Requests {
  const unknown = unknownField(model).filter(([one]) => one?.[2].sent.length === 1);
  return fc.tuple(request("extraFields", model, "", fc.constant([])), unknown).map(([good, [one]]) => ({
    ...good,
    extraFields: Object.fromEntries(one ? [[one[0], (one[2].given as string[])[0] ?? ""]] : []),
    parts: [...good.parts, ...(one ? one[2].sent.map((value) => ({ name: one[1], value })) : [])],
  }));
}

/** Values beyond bounds or of a wrong type in several fields of a form at once. */
function severalBad(model: Model): Requests {
  const choices = Object.entries(model.form.properties ?? {}).flatMap(([part, schema]) => {
    const bad = [...samples.beyondBounds(schema), ...samples.wrongTypes(schema, true)];
    return bad.length > 0
      ? [[fieldOf(part), fc.oneof(...bad).map((sample) => [fieldOf(part), part, sample] as const)] as const]
      : [];
  });
  const all: Record<string, fc.Arbitrary<Chosen[number]>> = Object.fromEntries(choices);
  return fc.record(all, { requiredKeys: [] }).map((record) =>
    build(
      about("several", model, ""),
      Object.values(record).filter((one) => one !== undefined),
    ),
  );
}
