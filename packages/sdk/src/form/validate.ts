import type { Issue } from "../errors/issue.ts";
import type { Form, Model } from "../spec/types.gen.ts";
import { readForm } from "./form.ts";
import { findOperation, unknownModel } from "./model.ts";
import { issuesOf } from "./words.ts";

/** Options of `validate`. */
export interface ValidateOptions {
  /** Fields that the service accepts and its description does not contain. Their values are not checked. */
  readonly extraFields?: Readonly<Record<string, string | number | boolean | Blob>> | undefined;
}

/**
 * Checks a form, without a client and without sending it.
 *
 * @param form The fields of the model's form. For a model that is known only at run time, any object.
 * @returns Every mistake in the form; an empty list if it is valid. An unknown model is one of the mistakes.
 * @example
 * for (const issue of validate("vidmodelv2", { prompt, duration: 5 })) console.log(describeIssue(issue));
 */
export function validate<M extends string>(
  model: M,
  form: M extends Model ? Form<M> : Readonly<Record<string, unknown>>,
  options: ValidateOptions = {},
): readonly Issue[] {
  const operation = findOperation(model);
  return operation ? issuesOf(readForm(operation.body, form, options.extraFields).faults) : [unknownModel(model)];
}
