import { type Issue, mustBe } from "../errors/issue.ts";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import type { FormFields } from "../spec/operation.ts";
import { schemas } from "../spec/schemas.gen.ts";
import { isObject } from "../spec/values.ts";
import { readTexts } from "./field.ts";
import { readForm } from "./form.ts";
import { findModel, type Form, type Model } from "./model.ts";
import { invalidField } from "./multipart.ts";

/** Options of `formSchema`. */
export interface FormSchemaOptions<Field extends string = string> {
  /**
   * The form of the input: `"values"` as a program has them, or `"text"` such as FormData. In text,
   * `"5"` is read as 5 and `"on"` as true if the field takes that. Empty texts and file inputs
   * without a file are left out.
   * @default "values"
   */
  readonly from?: "values" | "text" | undefined;
  /**
   * Fields that your server sets itself. The schema rejects them and does not require them.
   * @default []
   */
  readonly without?: readonly Field[] | undefined;
}

/** The form of a model without the fields that your server sets. */
export type FormWithout<M extends Model, Field extends string> = M extends Model
  ? Omit<Form<M>, Field>
  : never;

/** A mistake in a form, as Standard Schema reports it. */
export interface FormIssue {
  /** The fault and the valid values, in sentences. */
  readonly message: string;
  /** The field, and the position if it is a list. Empty if the issue is about the complete form. */
  readonly path: readonly (string | number)[];
}

/** The result of a validation, as Standard Schema reports it. */
export type FormResult<Form> =
  | { readonly value: Form; readonly issues?: undefined }
  | { readonly issues: readonly FormIssue[] };

/**
 * Converts a form to JSON Schema.
 *
 * @param options The version of JSON Schema.
 * @param options.target `draft-2020-12` or `draft-07`. Others are rejected.
 */
export type FormToJSONSchema = (options: { readonly target: string }) => Record<string, unknown>;

/** The schema of a model's form: a Standard Schema and a Standard JSON Schema. */
export interface FormSchema<Form> {
  /** The properties that libraries read. */
  readonly "~standard": {
    /** The version of both specifications. */
    readonly version: 1;
    /** The library that made the schema. */
    readonly vendor: "mediagen";
    /** The types of input and output, for the compiler. There is no value. */
    readonly types?: { readonly input: Form; readonly output: Form } | undefined;
    /** Checks a form. */
    readonly validate: (value: unknown) => FormResult<Form>;
    /** The conversions to JSON Schema, which are the same. */
    readonly jsonSchema: { readonly input: FormToJSONSchema; readonly output: FormToJSONSchema };
  };
}

const subject = "formSchema";
const ofSchema: OptionTypes<FormSchemaOptions> = { from: "any", without: "texts" };

/**
 * Creates the schema of a model's form. It finds the mistakes that `validate` finds.
 *
 * Its JSON Schema cannot bound the total pixels of an explicit size. It does not say that a form
 * needs one of several fields either, because model APIs reject `anyOf` at the top. JSON has no
 * files: a file is a string there. If a language model fills in the form, leave file fields to your
 * server with `without`.
 *
 * @returns The schema, for libraries that take a Standard Schema or a Standard JSON Schema.
 * @throws An `InvalidRequestError` if there is no such model, or an option is not valid
 * @example const schema = formSchema("vidmodelv2", { from: "text", without: ["duration"] });
 */
export function formSchema<M extends Model, Field extends keyof Form<M> & string = never>(
  model: M,
  options: FormSchemaOptions<Field> = {},
): FormSchema<FormWithout<M, Field>> {
  const { id, body } = findModel(model, undefined, subject).operation;
  const { from, without = [] } = readOptions<FormSchemaOptions>(subject, options, ofSchema);
  const names = body.fields.map(({ field }) => field);
  // A misspelled field in `without` would stay open to every user.
  const [misspelled] = without.filter((name) => !names.includes(name));
  if (misspelled !== undefined)
    throw invalidField(subject, "without", mustBe(`one of ${names.join(", ")}`, misspelled));
  const open = formWithout(body, without);
  const validate = (given: unknown) => {
    const value = from === "text" ? readParts(given, open) : given;
    const { issues } = readForm(open, value);
    // The cast: a value without issues is a form of the model.
    return issues.length > 0
      ? { issues: issues.map(toFormIssue) }
      : { value: value as FormWithout<M, Field> };
  };
  const convert: FormToJSONSchema = ({ target }) => {
    if (target !== "draft-2020-12" && target !== "draft-07")
      throw invalidField(subject, "target", mustBe("draft-2020-12 or draft-07", target));
    const properties = Object.fromEntries(
      open.fields.map(({ field }) => [field, schemas[id]?.properties[field]]),
    );
    const required = open.fields.filter(({ required }) => required).map(({ field }) => field);
    // A copy, so that changing the schema changes no other.
    return structuredClone({ type: "object", properties, required, additionalProperties: false });
  };
  return {
    "~standard": {
      version: 1,
      vendor: "mediagen",
      validate,
      jsonSchema: { input: convert, output: convert },
    },
  };
}

/**
 * Returns the fields of a form without those that the server sets. One of these may be the one that
 * the form needs.
 */
function formWithout({ fields, needs = [] }: FormFields, without: readonly string[]): FormFields {
  const isLeft = (name: string) => !without.includes(name);
  return {
    fields: fields.filter(({ field }) => isLeft(field)),
    needs: needs.filter((group) => group.every(isLeft)),
  };
}

function toFormIssue({ field, message }: Issue): FormIssue {
  const [, name = field, index] = /^(.*)\[(\d+)\]$/.exec(field) ?? [];
  if (index !== undefined) return { message, path: [name, Number(index)] };
  return { message, path: field === "form" ? [] : [field] };
}

/**
 * Converts texts and files to a form: FormData, URLSearchParams, or an object of texts, files and
 * lists of them.
 */
function readParts(given: unknown, body: FormFields): unknown {
  if (!isObject(given)) return given;
  // The cast: forms that are iterable yield pairs.
  const pairs =
    Symbol.iterator in given ? (given as Iterable<[string, unknown]>) : Object.entries(given);
  const form = new Map<string, unknown>();
  for (const [name, value] of pairs)
    for (const one of [value].flat().filter(isGiven))
      form.set(name, form.has(name) ? [form.get(name), one].flat() : one);
  return readTexts(body, Object.fromEntries(form));
}

/** Whether a value was given. A file input without a file yields an empty file without a name. */
function isGiven(value: unknown): boolean {
  const isNoFile =
    value instanceof Blob && value.size === 0 && "name" in value && value.name === "";
  return value !== "" && value !== undefined && value !== null && !isNoFile;
}
