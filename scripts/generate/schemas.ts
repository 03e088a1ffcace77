import { fieldOf, filePartSuffix } from "../../packages/sdk/src/spec/operation.ts";
import { bodyOf, byKind, type Spec, type SpecSchema } from "../spec.ts";
import { describe } from "./describe.ts";
import { print } from "./print.ts";
import { bounds, isFlag, isNumericString } from "./schema.ts";

/** Returns the JSON Schemas of forms, with the values that the SDK accepts, and of deletions. */
export function schemasFile(spec: Spec): string {
  const operations = byKind(spec).flatMap((kind) => [...kind.generate.values(), kind.delete]);
  const schemas = operations.map((operation) => {
    const { properties = {} } = bodyOf(operation);
    // A text in place of a file has no schema, because most callers pass files.
    const parts = Object.entries(properties).filter(
      ([name]) => !Object.hasOwn(properties, name + filePartSuffix),
    );
    const fields = Object.fromEntries(
      parts.map(([part, schema]) => [fieldOf(part), field(schema)]),
    ) as object;
    const { operationId, summary, description } = operation;
    return [
      operationId,
      { title: onOneLine(summary), description: onOneLine(description), properties: fields },
    ];
  });
  return `import type { Schemas } from "./operation.ts";

/** The JSON Schema of each generation's and each deletion's fields, by operation. */
export const schemas: Schemas = ${print(Object.fromEntries(schemas))};
`;
}

function field(schema: SpecSchema): object {
  // No keyword bounds the pixels of a size.
  const size = [schema, ...(schema.anyOf ?? [])].some((one) => one["x-total-pixels"]);
  const description = onOneLine(schema.description) || describe(schema);
  return {
    ...accepted(schema),
    description: size ? `${description} Use ${describe(schema)}.` : description,
  };
}

const keywords = ["type", "contentMediaType", ...bounds];
const int32 = { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

function accepted(schema: SpecSchema): object {
  const { type, items, anyOf, enum: values } = schema;
  if (anyOf) return { anyOf: anyOf.map(accepted) };
  const own = Object.fromEntries(Object.entries(schema).filter(([key]) => keywords.includes(key)));
  if (isFlag(schema)) return { anyOf: [{ type: "boolean" }, own] };
  if (isNumericString(schema)) return { anyOf: [int32, own] };
  if (items) return { ...own, items: accepted(items) };
  return type === "integer" && !values ? { type, ...safe, ...own } : own;
}

function onOneLine(text = ""): string {
  return text.trim().replace(/\s+/g, " ");
}
