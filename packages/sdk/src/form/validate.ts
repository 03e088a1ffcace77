import type { Issue } from "../errors/issue.ts";
import type { Form, Model } from "../spec/types.gen.ts";
import { readForm } from "./form.ts";
import { findOperation, unknownModel } from "./model.ts";

/** Options of `validate`. */
export interface ValidateOptions {
  /** Fields that the service takes and its description does not show. Their values are not checked against bounds. */
  readonly extraFields?: Readonly<Record<string, string | number | boolean | Blob>> | undefined;
}

/**
 * Returns what is wrong with a form, without a client and without sending it. The list is empty if the form is valid.
 *
 * @param form the fields of the model's form; for a model that is known only at run time, any object
 *
 * @example
 * for (const issue of validate("vidmodelv2", { prompt, duration: 5 })) console.log(describeIssue(issue));
 */
export function validate<M extends string>(
  model: M,
  form: M extends Model ? Form<M> : Readonly<Record<string, unknown>>,
  { extraFields }: ValidateOptions = {},
): readonly Issue[] {
  // A call without types may pass anything.
  const operation = typeof model === "string" ? findOperation(model) : undefined;
  return operation ? readForm(operation.body, form, extraFields).issues : [unknownModel(model)];
}
