import fc from "fast-check";
import { models } from "../contract/cases.ts";
import { onTheWire, type Part } from "./form-parts.ts";
import { samplesOf, valid, type Sample } from "./form-samples.ts";

/** A form for a model, as the SDK receives it and as its parts go on the wire. */
export interface FormRequest {
  readonly model: string;
  /** The field that the request is about; empty if it is about none. */
  readonly field: string;
  readonly form: Readonly<Record<string, unknown>>;
  readonly extraFields: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
  /** Whether the SDK rejects what nobody can see on the wire, or what the description allows. */
  readonly onlySdkRejects: boolean;
}

type Model = (typeof models)[number];
type Requests = fc.Arbitrary<FormRequest>;
/** A field as the SDK receives it, the part that carries it, and what both hold. */
type Chosen = readonly (readonly [given: string, part: string, sample: Sample])[];

const suffix = ".items";
/** The SDK's name for a part: the files of a field have a part of their own. */
const fieldOf = (part: string) => part.replace(suffix, "");

const fields = models.flatMap((model) =>
  Object.entries(model.form.properties ?? {}).map(([part, schema]) => ({ model, part, schema })),
);
const hasFiles = ({ form }: Model, part: string) => Object.hasOwn(form.properties ?? {}, part + suffix);

/** Names that no model has as fields. */
const oddNames =
  '|x|Prompt|prompt |duration[]|__proto__|toString|constructor|hasOwnProperty|length|提示|🦊|a"b|a\nb'.split("|");

/** Valid forms, forms with one odd field, and forms that lack a field or have one more. */
export const formRequests: Requests = fc.oneof(
  ...models.flatMap((model) => [
    request(model, "", fc.constant([])),
    fc.constant(build(model, "", [])),
    ...(model.form.required ?? []).map((field) => request(model, field, fc.constant([]))),
    request(model, "", unknownField(model)),
    extraField(model),
  ]),
  ...fields.flatMap(({ model, part, schema }) =>
    samplesOf(schema, hasFiles(model, part)).map((sample) =>
      request(
        model,
        fieldOf(part),
        sample.map((one) => [[fieldOf(part), part, one] as const]),
      ),
    ),
  ),
);

/** Requests with what is chosen, and good values in any of the fields but the one that they are about. */
function request(model: Model, field: string, chosen: fc.Arbitrary<Chosen>): Requests {
  return fc.tuple(goodFields(model, field), chosen).map(([good, rest]) => build(model, field, [...rest, ...good]));
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

function build({ model }: Model, field: string, given: Chosen): FormRequest {
  const chosen = given.map((one) => withoutReference(model, one));
  return {
    model,
    field,
    extraFields: {},
    form: Object.fromEntries(chosen.map(([given, , sample]) => [given, sample.given])),
    parts: chosen.flatMap(([, name, { sent }]) => sent.map((value) => ({ name, value }))),
    onlySdkRejects: chosen.some(([, , { onlySdkSees }]) => onlySdkSees),
  };
}

/** Changes text in place of a file so that it reads as no path and no URL, which only the SDK rejects. */
function withoutReference(model: string, [given, part, sample]: Chosen[number]): Chosen[number] {
  const isBesideFiles = fields.some((field) => field.model.model === model && field.part === part + suffix);
  if (!isBesideFiles || typeof sample.given !== "string") return [given, part, sample];
  const prefixed = (text: unknown) => `a ${String(text)}`;
  return [given, part, { ...sample, given: prefixed(sample.given), sent: sample.sent.map(prefixed) }];
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
  return fc.tuple(request(model, "", fc.constant([])), unknown).map(([good, [one]]) => ({
    ...good,
    extraFields: Object.fromEntries(one ? [[one[0], (one[2].given as string[])[0] ?? ""]] : []),
    parts: [...good.parts, ...(one ? one[2].sent.map((value) => ({ name: one[1], value })) : [])],
  }));
}
