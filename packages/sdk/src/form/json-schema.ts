import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue, invalid } from "../errors/issue.ts";
import type { Bounds } from "../spec/operation.ts";
import { isFlag, isNumericString } from "../spec/schema.ts";
import type { FieldInfo } from "./field-info.ts";

type JSONSchema = Readonly<Record<string, unknown>>;

const dialects: Readonly<Record<string, string>> = {
  "draft-2020-12": "https://json-schema.org/draft/2020-12/schema",
  "draft-07": "http://json-schema.org/draft-07/schema#",
};

/**
 * Returns a form as JSON Schema.
 *
 * @throws An {@link InvalidRequestError} for an unsupported dialect
 */
export function jsonSchemaOf(form: Bounds, fields: readonly FieldInfo[], dialect: string): Record<string, unknown> {
  if (!Object.hasOwn(dialects, dialect)) {
    const expected = Object.keys(dialects).join(" or ");
    throw new InvalidRequestError("formSchema", [invalid("target", "notOneOf", describeValue(dialect), expected)]);
  }
  const { properties = {} } = form;
  const schemas = fields.map(
    ({ field, property, expected }) =>
      [field, { ...schemaOf(properties[property] ?? {}), description: expected }] as const,
  );
  return {
    $schema: dialects[dialect],
    type: "object",
    properties: Object.fromEntries(schemas),
    required: fields.filter(({ required }) => required).map(({ field }) => field),
    additionalProperties: false,
  };
}

const int32: JSONSchema = { type: "integer", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
const safeIntegers: JSONSchema = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/** Keywords that are handled separately here, or that only the service uses. */
const others = ["anyOf", "items", "format", "default"];

/** Converts bounds to standard keywords of JSON Schema, with the types that a form accepts. */
function schemaOf(bounds: Bounds): JSONSchema {
  const { type, enum: values, anyOf, items, pattern } = bounds;
  if (isFlag(bounds)) return { anyOf: [{ type: "boolean" }, { type, enum: values }] };
  if (isNumericString(bounds)) return { anyOf: [int32, { type, ...(pattern !== undefined && { pattern }) }] };
  const keywords = Object.entries(bounds).filter(([key]) => !others.includes(key) && !key.startsWith("x-"));
  return {
    ...(type === "integer" && !values && safeIntegers),
    ...Object.fromEntries(keywords),
    ...(anyOf && { anyOf: anyOf.map(schemaOf) }),
    ...(items && { items: schemaOf(items) }),
  };
}
