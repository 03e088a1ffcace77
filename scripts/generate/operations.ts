import type { Bounds, KindOperations, Operation } from "../../packages/sdk/src/spec/operation.ts";
import { bodyOf, byKind, dataOf, type PlacedOperation, type Spec, type SpecSchema } from "../spec.ts";
import { print } from "./print.ts";
import { sizeSeparator } from "../../packages/sdk/src/spec/schema.ts";

// The keywords that the SDK uses, and those that are only documentation. Any other keyword in a body's schema would be a bound
// that the SDK does not check, so it stops the generation.
const kept = new Set<string>([
  "type",
  "format",
  "contentMediaType",
  "enum",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "items",
  "anyOf",
  "required",
  "properties",
  "default",
  "x-total-pixels",
  "x-result-count",
] satisfies (keyof Bounds)[]);
const dropped = new Set(["title", "description", "example", "examples", "deprecated", "x-assumption"]);

/** Returns the table of operations, which the SDK serialises and checks by at run time. */
export function operationsFile(spec: Spec): string {
  const table = Object.fromEntries(
    byKind(spec).map(({ kind, generate, query, delete: deletion }) => {
      rejectUnknownCounts(generate);
      return [
        kind,
        {
          generate: Object.fromEntries([...generate].map(([model, one]) => [model, operation(one)])),
          query: operation(query),
          delete: operation(deletion),
          statusField: statusField(query),
        } satisfies KindOperations,
      ];
    }),
  );
  return [
    'import type { Codes, Operations } from "./operation.ts";\nimport type { Kind } from "./types.gen.ts";',
    `/** Every kind. */\nexport const kinds: readonly Kind[] = ${print(Object.keys(table))};`,
    `/** The codes of the envelope. */\nexport const codes: Codes = ${print(codes(spec))};`,
    `/** Every operation of the service, by kind. */\nexport const operations: Operations = ${print(table)};\n`,
  ].join("\n\n");
}

function operation(placed: PlacedOperation): Operation {
  return { id: placed.operationId, path: placed.path, body: bounds(bodyOf(placed), placed.operationId) };
}

/**
 * If a form of a kind has a result count, each integer in that kind's forms must say whether it is one. If a wait did not know a
 * count, it would end at the first result.
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
  const silent = fields.find((field) => field.type === "integer" && field["x-result-count"] === undefined);
  if (silent)
    throw new Error(
      `${silent.where}: does it say how many results are requested? Write "x-result-count: true" or "x-result-count: false"`,
    );
}

function bounds(schema: SpecSchema, where: string): Bounds {
  rejectWhatIsNotChecked(schema, where);
  const entries = Object.entries(schema).filter(([keyword, value]) => !dropped.has(keyword) && value !== false);
  return Object.fromEntries(
    entries.map(([keyword, value]) => {
      if (!kept.has(keyword))
        throw new Error(`${where}: the SDK does not check "${keyword}" (packages/sdk/src/spec/operation.ts)`);
      if (keyword === "items") return [keyword, bounds(value as SpecSchema, `${where}[]`)];
      if (keyword === "anyOf") return [keyword, (value as SpecSchema[]).map((one) => bounds(one, where))];
      if (keyword !== "properties") return [keyword, value];
      const fields = Object.entries(value as Record<string, SpecSchema>);
      return [keyword, Object.fromEntries(fields.map(([name, field]) => [name, bounds(field, `${where}.${name}`)]))];
    }),
  );
}

/** Rejects combinations of known keywords that the SDK's checks do not support. */
function rejectWhatIsNotChecked(
  { type, format, anyOf, items, properties = {}, ...schema }: SpecSchema,
  where: string,
): void {
  const reject = (what: string) => {
    throw new Error(`${where}: the SDK does not check ${what} (packages/sdk/src/form/bounds.ts)`);
  };
  if (Array.isArray(type)) reject("several types");
  if (format !== undefined && !["binary", "int32"].includes(format)) reject(`the format "${format}"`);
  if (schema["x-total-pixels"] && sizeSeparator(schema) === undefined)
    reject("x-total-pixels without the pattern of a size");
  const isForm = Object.keys(properties).length > 0;
  const requiresOne = ({ required = [], ...others }: SpecSchema) =>
    required.length === 1 && Object.hasOwn(properties, required.join()) && Object.keys(others).length === 0;
  if (isForm && !(anyOf ?? []).every(requiresOne))
    reject("anyOf of a form, unless each branch requires one of its fields");
  for (const inner of [...((!isForm && anyOf) || []), ...(items ? [items] : []), ...Object.values(properties)]) {
    if (inner.properties) reject("objects inside of fields");
    if (inner.type === "array" && !isForm) reject("lists inside of anyOf or lists");
  }
}

function statusField(query: PlacedOperation): string {
  const fields = Object.entries(dataOf(query).properties ?? {});
  const [status, ...more] = fields.filter(([name, { type }]) => type === "integer" && name.endsWith("_status"));
  if (!status || more.length > 0) throw new Error(`${query.operationId} needs exactly one integer field ..._status`);
  return status[0];
}

/** Returns the code of each outcome, from its named examples. It is the same in every operation. */
function codes(spec: Spec): Readonly<Record<string, number>> {
  const found = new Map<string, number>();
  for (const { post } of Object.values(spec.paths)) {
    for (const [outcome, { value }] of Object.entries(
      post.responses["200"]?.content["application/json"]?.examples ?? {},
    )) {
      const { code } = value as { code: number };
      if ((found.get(outcome) ?? code) !== code) throw new Error(`${post.operationId}: ${outcome} has another code`);
      found.set(outcome, code);
    }
  }
  return Object.fromEntries(found);
}
