import { type Schemas, service } from "@mediagen/sdk/kit";
import type { Field, ModelInfo } from "@mediagen/sdk/node";

type JSONSchema = Readonly<Record<string, unknown>>;

/** The schema of the argument `idempotencyKey`. */
export const idempotencyKey: JSONSchema = {
  type: "string",
  minLength: 1,
  description:
    "Your own name for this result, such as fox-in-snow-2. Use a new key for each result that the user wants. " +
    "If a call fails or times out, repeat it with the same key and arguments: it returns the same task, billed once.",
};

/** A field, and the models that take it with the same schema. */
interface Variant {
  readonly schema: JSONSchema;
  readonly expected: string;
  readonly models: string[];
}

/**
 * Returns the input of a generate tool: one schema for all models of a kind, because model APIs
 * reject `anyOf` at the top. The descriptions say what only some models take, and the SDK checks
 * it.
 */
export function generateSchema(
  models: readonly ModelInfo[],
  tables: Schemas = service.schemas,
): Record<string, unknown> {
  const forms = models.map((info) => ({
    info,
    fields: new Map(info.form.fields.map((field) => [field.field, field])),
    schemas: tables[info.operation]?.properties ?? {},
  }));
  const properties: Record<string, JSONSchema> = {
    model: { type: "string", enum: models.map(({ model }) => model) },
    idempotencyKey,
  };
  const names = new Set(forms.flatMap(({ fields }) => [...fields.keys()]));
  const required = [...names].filter((name) =>
    forms.every(({ fields }) => fields.get(name)?.required),
  );
  for (const name of names) {
    const variants = new Map<string, Variant>();
    let description = "";
    for (const { info, fields, schemas } of forms) {
      const field = fields.get(name);
      if (!field) continue;
      const { description: text, ...bounds } = schemas[name] ?? {};
      // The valid values follow by model.
      description ||= String(text).replace(` Use ${field.expected}.`, "");
      const schema = schemaOf(field, bounds);
      const key = JSON.stringify([schema, field.expected]);
      const variant = variants.get(key) ?? { schema, expected: field.expected, models: [] };
      variant.models.push(info.model);
      variants.set(key, variant);
    }
    properties[name] = merge([...variants.values()], description, models.length);
  }
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties,
    required: ["model", "idempotencyKey", ...required],
    additionalProperties: false,
  };
}

/** Replaces files with paths, and the two ways to write a flag with one. */
function schemaOf({ takes, many }: Field, schema: JSONSchema): JSONSchema {
  const path = { type: "string", description: "The path of a file." };
  if (takes === "file") return many ? { type: "array", items: path } : path;
  return takes === "flag" ? { type: "boolean" } : schema;
}

function merge(variants: readonly Variant[], description: string, count: number): JSONSchema {
  const [first] = variants;
  if (first && variants.length === 1) {
    const only = first.models.length === count ? "" : ` (only ${first.models.join(", ")})`;
    return { ...first.schema, description: description + only };
  }
  const limits = variants.map(({ expected, models }) => `${models.join(", ")}: ${expected}`);
  return {
    ...loosest(variants.map(({ schema }) => schema)),
    description: `${description} (${limits.join("; ")})`,
  };
}

/** Returns a schema that accepts every value that one of the schemas accepts, and few others. */
function loosest(schemas: readonly JSONSchema[]): JSONSchema {
  // The cast: alternatives are a list of schemas.
  const all = schemas.flatMap(
    (schema) => (schema["anyOf"] as readonly JSONSchema[] | undefined) ?? [schema],
  );
  const types = [...new Set(all.map(({ type }) => type))];
  if (types.length > 1) return { anyOf: types.map((type) => ({ type })) };
  const values = all.map((schema) => schema["enum"]);
  return {
    type: types[0],
    ...(values.every(Array.isArray) ? { enum: [...new Set(values.flat())] } : {}),
  };
}
