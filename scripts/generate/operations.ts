import {
  type Field,
  fieldOf,
  filePartSuffix,
  type FormFields,
  type KindOperations,
  type Operation,
} from "../../packages/sdk/src/spec/operation.ts";
import { withoutUndefined } from "../../packages/sdk/src/spec/values.ts";
import {
  bodyOf,
  byKind,
  dataOf,
  type PlacedOperation,
  type Spec,
  type SpecSchema,
} from "../spec.ts";
import { print } from "./print.ts";
import { describe, isImage } from "./describe.ts";
import { bounds, isBounded, isFile, isFlag, isNumericString, sizeSeparator } from "./schema.ts";

// The keywords that the SDK uses, and those that are only documentation. Any other keyword in a
// body's schema would be a bound that the SDK does not check, so it stops the generation.
const kept =
  "type format contentMediaType items anyOf required properties default x-total-pixels x-result-count";
const dropped = "title description example examples deprecated x-assumption";
const keywords = [...bounds, ...`${kept} ${dropped}`.split(" ")];

/** Returns the table of operations, which the SDK serialises and checks by at run time. */
export function operationsFile(spec: Spec): string {
  const table = Object.fromEntries(
    byKind(spec).map(({ kind, generate, query, delete: deletion }) => {
      rejectUnknownCounts(generate);
      return [
        kind,
        {
          generate: Object.fromEntries(
            [...generate].map(([model, one]) => [model, operation(one)]),
          ),
          query: operation(query),
          delete: operation(deletion),
          statusField: statusField(query),
        } satisfies KindOperations,
      ];
    }),
  );
  return [
    'import type { KindOperations } from "./operation.ts";\nimport type { Kind } from "./types.gen.ts";',
    `/** Every kind. */\nexport const kinds: readonly Kind[] = ${print(Object.keys(table))};`,
    `/** The codes of the envelope. */\nexport const codes = ${print(codesOf(spec))} as const;`,
    `/** Every operation of the service, by kind. */\nexport const operations: Readonly<Record<Kind, KindOperations>> = ${print(table)};\n`,
  ].join("\n\n");
}

function operation(placed: PlacedOperation): Operation {
  return {
    id: placed.operationId,
    path: placed.path,
    body: formFields(bodyOf(placed), placed.operationId),
  };
}

/**
 * If a form of a kind has a result count, each integer in that kind's forms must say whether it is
 * one. If a wait did not know a count, it would end at the first result.
 */
function rejectUnknownCounts(forms: ReadonlyMap<string, PlacedOperation>): void {
  const fields = [...forms.values()].flatMap((form) =>
    Object.entries(bodyOf(form).properties ?? {}).map(([name, schema]) => ({
      form: form.operationId,
      where: `${form.operationId}.${name}`,
      ...schema,
    })),
  );
  const counts = fields.filter((field) => field["x-result-count"]);
  for (const { where, type, form } of counts) {
    if (type !== "integer") throw new Error(`${where}: a result count is an integer`);
    if (counts.filter((other) => other.form === form).length > 1)
      throw new Error(`${form}: two fields have x-result-count, and a form has one result count`);
  }
  if (counts.length === 0) return;
  const silent = fields.find(
    (field) => field.type === "integer" && field["x-result-count"] === undefined,
  );
  if (silent)
    throw new Error(
      `${silent.where}: does it say how many results are requested? Write "x-result-count: true" or "x-result-count: false"`,
    );
}

function formFields(body: SpecSchema, where: string): FormFields {
  const { properties = {}, required = [], anyOf = [] } = body;
  rejectKeywords(body, where);
  const requiresOne = ({ required: names = [], ...others }: SpecSchema) =>
    names.length === 1 &&
    Object.hasOwn(properties, names.join()) &&
    Object.keys(others).length === 0;
  if (!anyOf.every(requiresOne))
    reject("anyOf of a form, unless each branch requires one of its fields", where);
  const parts = Object.entries(properties).filter(
    ([name]) => !Object.hasOwn(properties, `${name}${filePartSuffix}`),
  );
  const fields = parts.map(([part, schema]) => {
    const text = part === fieldOf(part) ? undefined : properties[fieldOf(part)];
    if (text && isBounded(text))
      reject("the bounds of a text in place of a file", `${where}.${fieldOf(part)}`);
    const isRequired = required.some((name) => fieldOf(name) === fieldOf(part));
    return field(part, schema, {
      isRequired,
      acceptsText: text !== undefined,
      where: `${where}.${part}`,
    });
  });
  const one = new Set(anyOf.flatMap(({ required: names = [] }) => names.map(fieldOf)));
  const needs = [...required.map((name) => [fieldOf(name)]), ...(one.size > 0 ? [[...one]] : [])];
  return { ...(needs.length > 0 && { needs }), fields };
}

/** What the form says of a property, and where that is. */
interface FieldContext {
  readonly isRequired: boolean;
  /** Whether a text field stands in for a file. */
  readonly acceptsText: boolean;
  readonly where: string;
}

function field(
  property: string,
  schema: SpecSchema,
  { isRequired, acceptsText, where }: FieldContext,
): Field {
  rejectKeywords(schema, where);
  const { items, minItems, maxItems, "x-result-count": countsResults } = schema;
  const one = items ?? schema;
  const all = one.anyOf ?? [one];
  for (const inner of new Set([one, ...all])) rejectWhatIsNotChecked(inner, schema, where);
  const values = all.flatMap((schema) => schema.enum ?? []);
  const [pattern] = all.filter((schema) => schema.pattern !== undefined);
  const pixels = pattern?.["x-total-pixels"];
  // The cast: the service's defaults are texts and numbers.
  const fallback = schema.default as Field["default"];
  return {
    field: fieldOf(property),
    ...(property !== fieldOf(property) && { part: property }),
    takes: takenBy(all[0] ?? one),
    expected: describe(schema),
    ...(isRequired && { required: true }),
    ...(items && { many: true, item: describe(items) }),
    ...(values.length > 0 && { values }),
    ...withoutUndefined({
      pattern: pattern?.pattern,
      min: minItems ?? one.minimum ?? one.minLength,
      max: maxItems ?? one.maximum ?? one.maxLength,
      default: fallback,
    }),
    ...(pixels && { pixels: [pixels.minimum, pixels.maximum] }),
    ...((all[0]?.type === "integer" || isNumericString(one)) && { isWhole: true }),
    ...(isImage(one) && { isImage: true }),
    ...(acceptsText && { acceptsText }),
    ...(countsResults && { countsResults }),
  };
}

function takenBy(schema: SpecSchema): Field["takes"] {
  if (isFile(schema)) return "file";
  if (isFlag(schema) || schema.type === "boolean") return "flag";
  return schema.type === "integer" || schema.type === "number" ? "number" : "text";
}

function reject(what: string, where: string): never {
  throw new Error(`${where}: the SDK does not check ${what} (packages/sdk/src/form/field.ts)`);
}

function rejectKeywords(schema: SpecSchema, where: string): void {
  for (const keyword of Object.keys(schema))
    if (!keywords.includes(keyword)) reject(`"${keyword}"`, where);
}

/**
 * Rejects combinations of known keywords that the SDK does not check. `schema` is that of a value,
 * an item or an alternative.
 */
function rejectWhatIsNotChecked(schema: SpecSchema, whole: SpecSchema, where: string): void {
  const {
    type,
    format,
    anyOf,
    items,
    properties,
    pattern,
    minimum,
    maximum,
    minLength,
    maxLength,
  } = schema;
  rejectKeywords(schema, where);
  const isBoundedText = [pattern, minLength, maxLength].some((one) => one !== undefined);
  const hasRange = [minimum, maximum, minLength, maxLength].some((one) => one !== undefined);
  const alternatives = (whole.items ?? whole).anyOf ?? [];
  if (Array.isArray(type)) reject("several types", where);
  if (format !== undefined && !["binary", "int32"].includes(format))
    reject(`the format "${format}"`, where);
  if (schema["x-total-pixels"] && sizeSeparator(schema) === undefined)
    reject("x-total-pixels without the pattern of a size", where);
  if (properties || type === "object") reject("objects inside of fields", where);
  if (items) reject("lists inside of anyOf or lists", where);
  if (schema.enum && (isBoundedText || hasRange))
    reject("values together with other bounds", where);
  if (whole.items && hasRange) reject("bounds of the items of a list", where);
  if (anyOf && (isBoundedText || hasRange || schema.enum)) reject("bounds next to anyOf", where);
  if (!alternatives.includes(schema)) return;
  if (anyOf || isFlag(schema) || type !== alternatives[0]?.type)
    reject("alternatives of several types", where);
  if (!schema.enum && (pattern === undefined || hasRange))
    reject("an alternative without values or a pattern", where);
  if (alternatives.filter((one) => one.pattern !== undefined).length > 1)
    reject("alternatives of patterns", where);
}

function statusField(query: PlacedOperation): string {
  const fields = Object.entries(dataOf(query).properties ?? {});
  const [status, ...more] = fields.filter(
    ([name, { type }]) => type === "integer" && name.endsWith("_status"),
  );
  if (!status || more.length > 0)
    throw new Error(`${query.operationId} needs exactly one integer field ..._status`);
  return status[0];
}

/** Returns the code of each outcome, from its named examples. It is the same in every operation. */
export function codesOf(spec: Spec): Readonly<Record<string, number>> {
  const found = new Map<string, number>();
  for (const { post } of Object.values(spec.paths)) {
    for (const [outcome, { value }] of Object.entries(
      post.responses["200"]?.content["application/json"]?.examples ?? {},
    )) {
      const { code } = value as { code: number };
      if ((found.get(outcome) ?? code) !== code)
        throw new Error(`${post.operationId}: ${outcome} has another code`);
      found.set(outcome, code);
    }
  }
  return Object.fromEntries(found);
}
