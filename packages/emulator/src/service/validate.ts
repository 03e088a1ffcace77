import { Validator, type OutputUnit, type Schema as ValidatorSchema } from "@cfworker/json-schema";
import type { Schema } from "./document.ts";
import { exactTestOf } from "./exact-test.ts";

const validators = new WeakMap<Schema, Validator>();

/**
 * Returns how a value violates its schema. Each entry names the field and the bound; the list is empty if the value is
 * valid.
 */
export function violationsOf(schema: Schema, value: unknown): readonly string[] {
  if (isValid(schema, value)) return none;
  const { errors } = validatorOf(schema).validate(value);
  return [...leavesOf(errors).map(describe), ...pixelViolationsOf(schema, value)];
}

const none: readonly string[] = [];
const tests = new WeakMap<Schema, ReturnType<typeof exactTestOf> | "slow">();

/** Returns whether a value is certainly valid. Most are, and need no search for violations. */
function isValid(schema: Schema, value: unknown): boolean {
  let test = tests.get(schema);
  if (test === undefined) {
    test = exactTestOf(schema) ?? "slow";
    tests.set(schema, test);
  }
  return test !== "slow" && test(value);
}

function validatorOf(schema: Schema): Validator {
  let validator = validators.get(schema);
  if (!validator) {
    // The cast: the validator's type of a schema has fewer keywords than the validator reads.
    validator = new Validator(schema as ValidatorSchema, "2020-12", false);
    validators.set(schema, validator);
  }
  return validator;
}

/** Returns the errors that name a bound, without those that only report a nested error. */
function leavesOf(errors: readonly OutputUnit[]): OutputUnit[] {
  const keyword = (error: OutputUnit) =>
    !["properties", "items", "anyOf", "oneOf", "allOf", "$ref"].includes(error.keyword);
  return errors.filter(keyword);
}

function describe({ instanceLocation, error }: OutputUnit): string {
  const field = instanceLocation.replace(/^#\/?/, "").replaceAll("~1", "/").replaceAll("~0", "~");
  return field ? `${field}: ${error}` : error;
}

/**
 * Checks the bound on the product of two sides, which JSON Schema cannot express, in the branches that otherwise accept
 * the value.
 */
function pixelViolationsOf(schema: Schema, value: unknown): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([field, property]) => {
    const text = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[field] : undefined;
    if (typeof text !== "string") return [];
    const taking = (property.anyOf ?? [property]).filter((branch) => validatorOf(branch).validate(text).valid);
    const bounds = taking.map((branch) => branch["x-total-pixels"]);
    if (bounds.length === 0 || bounds.some((bound) => !bound || holds(bound, text))) return [];
    return bounds.map((bound) => `${field}: ${text} must have ${bound?.minimum} to ${bound?.maximum} pixels in all`);
  });
}

function holds({ minimum, maximum }: { readonly minimum: number; readonly maximum: number }, size: string): boolean {
  const [width = 0n, height = 0n] = (size.match(/\d+/g) ?? []).map(BigInt);
  return width * height >= minimum && width * height <= maximum;
}
