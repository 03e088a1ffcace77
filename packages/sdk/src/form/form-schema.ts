import { readOptions } from "../errors/read-options.ts";
import { InvalidRequestError } from "../errors/errors.ts";
import { describeIssue, describeValue, invalid, type Issue } from "../errors/issue.ts";
import type { Bounds } from "../spec/operation.ts";
import { fieldOf } from "../spec/schema.ts";
import { fieldsOf } from "./field-info.ts";
import { readText } from "./form-text.ts";
import { readForm } from "./form.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { type Form, listModels, type Model, type ModelInfo, unknownModel } from "./model.ts";
import { issuesOf } from "./words.ts";

/** Options of `formSchema`. */
export interface FormSchemaOptions<Field extends string = string> {
  /**
   * The form of the input: `"values"` as a program has them, or `"text"` such as FormData. In text, `"5"` is read as 5
   * and `"on"` as true if the field takes that. Empty texts and file inputs without a file are left out.
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
  | {
      /** The form. */
      readonly value: Output;
      /** Always undefined, because the form is valid. */
      readonly issues?: undefined;
    }
  | {
      /** Every mistake in the form. */
      readonly issues: readonly FormIssue[];
    };

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
    readonly types?:
      | {
          /** The type of what is checked. */
          readonly input: Input;
          /** The type of a valid form. */
          readonly output: Output;
        }
      | undefined;
    /** Checks a form. */
    readonly validate: (value: unknown) => FormResult<Output>;
    /** The conversions to JSON Schema, which are the same. */
    readonly jsonSchema: {
      /** Converts what is checked. */
      readonly input: FormToJSONSchema;
      /** Converts a valid form. */
      readonly output: FormToJSONSchema;
    };
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
  const info = typeof model === "string" ? listModels().find((one) => one.model === model) : model;
  if (!info) throw new InvalidRequestError("formSchema", [unknownModel(model)]);
  const names = fieldsOf(info).map(({ field }) => field);
  const { from = "values", without = [] } = checked(options, names);
  const form = formWithout(info.form, without);
  const fields = fieldsOf({ ...info, form });
  const convert: FormToJSONSchema = ({ target }) => jsonSchemaOf(form, fields, target);
  return {
    "~standard": {
      version: 1,
      vendor: "mediagen",
      validate(given) {
        const value = from === "text" ? readText(given, fields) : given;
        const issues = issuesOf(readForm(form, value).faults);
        return issues.length === 0 ? { value } : { issues: issues.map((issue) => toFormIssue(issue, names)) };
      },
      jsonSchema: { input: convert, output: convert },
    },
  };
}

/** Checks the options. A misspelled field in `without` would stay open to every user. */
function checked(given: FormSchemaOptions, names: readonly string[]): FormSchemaOptions {
  const options = readOptions("formSchema", given, ["from", "without"]);
  const { from = "values", without = [] } = options;
  const issues = without
    .filter((name) => !names.includes(name))
    .map((name) => invalid("without", "notOneOf", describeValue(name), names.join(", ")));
  if (from !== "values" && from !== "text")
    issues.push(invalid("from", "notOneOf", describeValue(from), '"values" or "text"'));
  if (issues.length > 0) throw new InvalidRequestError("formSchema", issues);
  return options;
}

function formWithout(form: Bounds, without: readonly string[]): Bounds {
  if (without.length === 0) return form;
  const isLeft = (part: string) => !without.includes(fieldOf(part));
  const properties = Object.entries(form.properties ?? {}).filter(([part]) => isLeft(part));
  const required = (form.required ?? []).filter(isLeft);
  // A field of the server may be the one that the form needs.
  const anyOf = form.anyOf?.every(({ required: one = [] }) => one.every(isLeft)) && { anyOf: form.anyOf };
  return { type: "object", properties: Object.fromEntries(properties), required, ...anyOf };
}

function toFormIssue(issue: Issue, names: readonly string[]): FormIssue {
  const { field, code } = issue;
  const message = describeIssue(issue);
  if (code === "unknownField") return { message, path: [field] };
  const [, list = field, index] = /^(.*)\[(\d+)\]$/.exec(field) ?? [];
  if (!names.includes(list)) return { message, path: [] };
  return { message, path: index === undefined ? [list] : [list, Number(index)] };
}
