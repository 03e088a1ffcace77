import type { Issue } from "../errors/issue.ts";
import type { FormFields } from "../spec/operation.ts";
import type { Form, Model } from "../spec/types.gen.ts";
import { readBody, readForm } from "./form.ts";
import { findOperation, unknownModel } from "./model.ts";
import { readWithExtra } from "./unchecked.ts";

/** Options of `validate`. */
export interface ValidateOptions {
  /** Fields that the service accepts and its description does not contain. Their values are not checked. */
  readonly extraFields?: Readonly<Record<string, string | number | boolean | Blob | readonly Blob[]>> | undefined;
}

/**
 * Checks a form, without a client and without sending it.
 *
 * @param form The fields of the model's form. For a model that is known only at run time, any object.
 * @returns Every mistake in the form; an empty list if it is valid. An unknown model is one of the mistakes.
 * @example
 * for (const issue of validate("vidmodelv2", { prompt, duration: 5 })) console.log(issue.message);
 */
export function validate<M extends string>(
  model: M,
  form: M extends Model ? Form<M> : Readonly<Record<string, unknown>>,
  options: ValidateOptions = {},
): readonly Issue[] {
  const operation = findOperation(model);
  if (!operation) return [unknownModel(model)];
  const { extraFields } = options;
  const { body } = operation;
  return (extraFields === undefined ? readForm(body, form) : readWithExtra(body, form, extraFields)).issues;
}

/** Returns the issues of the fields of a form, those of its files included, or of a JSON body. */
export async function issuesIn(body: FormFields, fields: unknown, isForm: boolean): Promise<readonly Issue[]> {
  const { wire, issues } = isForm ? readForm(body, fields) : readBody(body, fields);
  if (issues.length > 0 || !isForm) return issues;
  const { checkFiles } = await import("./files.ts");
  return checkFiles(body, wire);
}
