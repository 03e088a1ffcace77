import { InvalidRequestError, rejectIssues } from "../errors/errors.ts";
import { type Issue, issueOf, mustBe } from "../errors/issue.ts";
import { type OptionTypes, readOptions } from "../errors/options.ts";
import type { FormFields } from "../spec/operation.ts";
import { schemas } from "../spec/schemas.gen.ts";
import { readText } from "./field.ts";
import { isObjectOfFields, readForm } from "./form.ts";
import { type Form, infoOf, type Model, type ModelInfo } from "./model.ts";

/** Options of `formSchema`. */
export interface FormSchemaOptions<Field extends string = string> {
  /**
   * The form of the input: `"values"` as a program has them, or `"text"` such as FormData. In text, `"5"` is read as 5
   * and `"on"` as true if the field takes that. Empty texts and file inputs without a file are left out.
   * @default "values"
   */
  readonly from?: "values" | "text" | undefined;
  /** Fields that your server sets itself. The schema rejects them and does not require them. @default [] */
  readonly without?: readonly Field[] | undefined;
}

/** The form of a model without the fields that your server sets. */
export type FormWithout<M extends Model, Field extends string> = M extends Model ? Omit<Form<M>, Field> : never;

/** A mistake in a form, as Standard Schema reports it. */
export interface FormIssue {
  /** The fault and the valid values, in sentences. */
  readonly message: string;
  /** The field, and the position if it is a list. Empty if the issue is about the complete form. */
  readonly path: readonly (string | number)[];
}

/** The result of a validation, as Standard Schema reports it. */
export type FormResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly FormIssue[] };

/** Converts a form to JSON Schema. Throws an {@link InvalidRequestError} for any other target than these two. */
export type FormToJSONSchema = (options: {
  readonly target: "draft-2020-12" | "draft-07" | (string & {});
}) => Record<string, unknown>;

/** The schema of a model's form: a Standard Schema and a Standard JSON Schema. */
export interface FormSchema<Input, Output = Input> {
  /** The properties that libraries read. */
  readonly "~standard": {
    /** The version of both specifications. */
    readonly version: 1;
    /** The library that made the schema. */
    readonly vendor: "mediagen";
    /** The types of input and output, for the compiler. There is no value. */
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Checks a form. */
    readonly validate: (value: unknown) => FormResult<Output>;
    /** The conversions to JSON Schema, which are the same. */
    readonly jsonSchema: { readonly input: FormToJSONSchema; readonly output: FormToJSONSchema };
  };
}

/**
 * Creates the schema of a model's form for text: FormData, URLSearchParams, or the fields of an HTML form as an object.
 *
 * @returns The schema, for libraries that take a Standard Schema.
 * @throws An {@link InvalidRequestError} if there is no such model, or an option is not valid
 * @example
 * const schema = formSchema("vidmodelv2", { from: "text", without: ["duration"] });
 */
export function formSchema<M extends Model, Field extends keyof Form<M> & string = never>(
  model: M,
  options: FormSchemaOptions<Field> & { readonly from: "text" },
): FormSchema<FormData | Readonly<Record<string, unknown>>, FormWithout<M, Field>>;
/**
 * Creates the schema of a model's form. It finds the mistakes that `validate` finds.
 *
 * Its JSON Schema cannot bound the total pixels of an explicit size. It does not say that a form needs one of several fields either,
 * because model APIs reject `anyOf` at the top. JSON has no files: a file is a string there. If a language model fills in the form, leave
 * file fields to your server with `without`.
 *
 * @returns The schema, for libraries that take a Standard Schema or a Standard JSON Schema.
 * @throws An {@link InvalidRequestError} if there is no such model, or an option is not valid
 * @example
 * const schema = formSchema("imgmodelv45", { without: ["sourceImage"] });
 */
export function formSchema<M extends Model, Field extends keyof Form<M> & string = never>(
  model: M,
  options?: FormSchemaOptions<Field>,
): FormSchema<FormWithout<M, Field>>;
/**
 * Creates the schema of the form of a model that is known only at run time.
 *
 * @param model An entry of `listModels()`.
 * @returns The schema, for libraries that take a Standard Schema or a Standard JSON Schema.
 * @throws An {@link InvalidRequestError} if an option is not valid
 * @example
 * const schemas = listModels().map((model) => formSchema(model));
 */
export function formSchema(
  model: ModelInfo,
  options?: FormSchemaOptions,
): FormSchema<Readonly<Record<string, unknown>>>;
export function formSchema(model: Model | ModelInfo, options: FormSchemaOptions = {}): FormSchema<unknown> {
  const { operation, form } = infoOf(subject, model);
  const all = form.fields.map(({ field }) => field);
  const { from, without = [] } = readOptions(subject, options, ofSchema);
  // A misspelled field in `without` would stay open to every user.
  const unknown = without.filter((name) => !all.includes(name));
  const issues = unknown.map((name) => issueOf("without", "invalid", mustBe(`one of ${all.join(", ")}`, name)));
  if (![undefined, "values", "text"].includes(from))
    issues.push(issueOf("from", "invalid", mustBe('"values" or "text"', from)));
  rejectIssues(subject, issues);
  const open = formWithout(form, without);
  const convert: FormToJSONSchema = ({ target }) => jsonSchemaOf(open, operation, target);
  const validate = (given: unknown): FormResult<unknown> => {
    const value = from === "text" ? readTexts(given, open) : given;
    const found = readForm(open, value).issues;
    return found.length === 0 ? { value } : { issues: found.map((issue) => toFormIssue(issue, all)) };
  };
  const jsonSchema = { input: convert, output: convert };
  return { "~standard": { version: 1, vendor: "mediagen", validate, jsonSchema } };
}

const subject = "formSchema";

const ofSchema: OptionTypes<FormSchemaOptions> = { from: "any", without: "texts" };

/** Returns the fields of a form without those that the server sets. One of these may be the one that the form needs. */
function formWithout({ fields, needs = [] }: FormFields, without: readonly string[]): FormFields {
  const isLeft = (name: string) => !without.includes(name);
  return { fields: fields.filter(({ field }) => isLeft(field)), needs: needs.filter((group) => group.every(isLeft)) };
}

function toFormIssue(issue: Issue, names: readonly string[]): FormIssue {
  const { field, code, message } = issue;
  if (code === "unknown") return { message, path: [field] };
  const [, list = field, index] = /^(.*)\[(\d+)\]$/.exec(field) ?? [];
  if (!names.includes(list)) return { message, path: [] };
  return { message, path: index === undefined ? [list] : [list, Number(index)] };
}

/**
 * Converts texts and files to a form: FormData, URLSearchParams, or an object of texts, files and lists of them. A text that
 * cannot be converted to the type of its field stays, and is rejected later.
 */
function readTexts(given: unknown, { fields }: FormFields): unknown {
  if (!isObjectOfFields(given)) return given;
  // The cast: iterable objects of fields yield pairs.
  const pairs = Symbol.iterator in given ? (given as Iterable<[string, unknown]>) : Object.entries(given);
  const values = new Map<string, unknown[]>();
  for (const [name, value] of pairs) {
    const takes = fields.find(({ field }) => field === name)?.takes;
    const read = (isList(value) ? [...value] : [value]).filter(isGiven).map((one) => readText(one, takes));
    values.set(name, [...(values.get(name) ?? []), ...read]);
  }
  const entries = [...values].filter(([, { length }]) => length > 0);
  return Object.fromEntries(entries.map(([name, list]) => [name, list.length === 1 ? list[0] : list]));
}

/** Whether a value is a list, such as a FileList. */
function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.iterator in value && !ArrayBuffer.isView(value);
}

/** Whether a value was given. A file input without a file yields an empty file without a name. */
function isGiven(value: unknown): boolean {
  const isNoFile = value instanceof Blob && value.size === 0 && "name" in value && value.name === "";
  return value !== "" && value !== undefined && value !== null && !isNoFile;
}

const dialects: Readonly<Record<string, string>> = {
  "draft-2020-12": "https://json-schema.org/draft/2020-12/schema",
  "draft-07": "http://json-schema.org/draft-07/schema#",
};

/** Returns a form as JSON Schema, or throws an {@link InvalidRequestError} for an unsupported dialect. */
function jsonSchemaOf({ fields }: FormFields, operation: string, dialect: string): Record<string, unknown> {
  if (!Object.hasOwn(dialects, dialect)) {
    const expected = Object.keys(dialects).join(" or ");
    throw new InvalidRequestError(subject, [issueOf("target", "invalid", mustBe(expected, dialect))]);
  }
  return {
    $schema: dialects[dialect],
    type: "object",
    // A copy, so that changing the schema changes no other.
    properties: structuredClone(
      Object.fromEntries(fields.map(({ field }) => [field, schemas[operation]?.properties[field]])),
    ),
    required: fields.filter(({ required }) => required).map(({ field }) => field),
    additionalProperties: false,
  };
}
