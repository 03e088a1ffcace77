import type { Validate, ValidationError } from "./operation.ts";

const pixels = "x-total-pixels";
/** Keywords that only report a nested error. */
const outer = new Set(["anyOf", "oneOf", "if"]);

/** Returns how a value violates its schema. Each entry names the field, the value and the bound. */
export function violationsOf(validate: Validate, value: unknown): readonly string[] {
  if (validate(value)) return [];
  const errors = (validate.errors ?? []).filter(({ keyword }) => !outer.has(keyword));
  // A text with two sides means a size, not one of the words of another branch.
  const sizes = new Set(
    errors.filter(({ keyword }) => keyword === pixels).map(({ instancePath }) => instancePath),
  );
  return errors
    .filter(({ keyword, instancePath }) => !(keyword === "enum" && sizes.has(instancePath)))
    .map((error) => describe(error, value));
}

function describe({ instancePath, keyword, params }: ValidationError, whole: unknown): string {
  const [, ...parts] = instancePath.split("/");
  const path = parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const value = path.reduce<unknown>(
    (at, name) => (at as Readonly<Record<string, unknown>>)[name],
    whole,
  );
  const field = keyword === "required" ? [...path, params["missingProperty"]] : path;
  const what =
    bounds[keyword]?.(params, value) ??
    `${shown(value)} does not fit ${keyword} ${JSON.stringify(params)}`;
  return field.length > 0 ? `${field.join("/")}: ${what}` : what;
}

type Params = ValidationError["params"];

const bounds: Readonly<Record<string, (params: Params, value: unknown) => string>> = {
  required: () => "is required",
  type: ({ type }, value) => `${shown(value)} must be of type ${String(type)}`,
  enum: ({ allowedValues }, value) =>
    `${shown(value)} must be one of ${JSON.stringify(allowedValues)}`,
  const: ({ allowedValue }, value) => `${shown(value)} must be ${JSON.stringify(allowedValue)}`,
  minimum: ({ limit }, value) => `${shown(value)} must be at least ${String(limit)}`,
  maximum: ({ limit }, value) => `${shown(value)} must be at most ${String(limit)}`,
  maxLength: ({ limit }, value) =>
    `is too long: ${[...String(value)].length} > ${String(limit)} characters`,
  pattern: ({ pattern }, value) => `${shown(value)} does not match the pattern ${String(pattern)}`,
  minProperties: ({ limit }) => `the body must have at least ${String(limit)} field`,
  minItems: ({ limit }, value) =>
    `has ${(value as unknown[]).length} items, must have at least ${String(limit)}`,
  maxItems: ({ limit }, value) =>
    `has ${(value as unknown[]).length} items, must have at most ${String(limit)}`,
  [pixels]: ({ minimum, maximum }, value) =>
    `${String(value)} must have ${String(minimum)} to ${String(maximum)} pixels in all`,
};

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
