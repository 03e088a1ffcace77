import { fieldOf, filePartSuffix } from "../../packages/sdk/src/spec/operation.ts";
import { bodyOf, byKind, type Spec, type SpecSchema } from "../spec.ts";
import { describe } from "./describe.ts";
import { onOneLine } from "./descriptions.ts";
import { print } from "./print.ts";
import { bounds, isFlag, isNumericString } from "./schema.ts";

/** Returns the JSON Schemas of forms, with the values that the SDK accepts. */
export function schemasFile(spec: Spec): string {
  const forms = byKind(spec).flatMap(({ generate }) => [...generate.values()]);
  const schemas = forms.map((form) => {
    const { properties = {} } = bodyOf(form);
    // A text in place of a file has no schema, because most callers pass files.
    const parts = Object.entries(properties).filter(([name]) => !Object.hasOwn(properties, name + filePartSuffix));
    return [form.operationId, Object.fromEntries(parts.map(([part, schema]) => [fieldOf(part), field(schema)]))];
  });
  return `/** The JSON Schema of each form's fields, by operation. */
export const schemas: Readonly<Record<string, Readonly<Record<string, object>>>> = ${print(Object.fromEntries(schemas))};
`;
}

function field(schema: SpecSchema): object {
  // No keyword bounds the pixels of a size.
  const size = [schema, ...(schema.anyOf ?? [])].some((one) => one["x-total-pixels"]);
  const description = onOneLine(schema.description) || describe(schema);
  return { ...accepted(schema), description: size ? `${description} Use ${describe(schema)}.` : description };
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
