import type { Bounds } from "../spec/operation.ts";
import { describe, valuesOf } from "../spec/describe.ts";
import { fieldOf, isFile, isFlag } from "../spec/schema.ts";
import { findOperation, type ModelInfo, unknownModel } from "./model.ts";
import { InvalidRequestError } from "../errors/errors.ts";
import { type Field, fieldsIn } from "./form.ts";

/** One field of a model's form, for programs that show forms. */
export interface FieldInfo {
  /** The name, such as `sourceImage`. */
  readonly field: string;
  /** The property of the form's schema that bounds it: `sourceImage.items` for the files of `sourceImage`. */
  readonly property: string;
  /** The type of its value. The value of a flag is true or false. */
  readonly takes: "text" | "number" | "flag" | "file";
  /** Whether the field also accepts a list. */
  readonly many: boolean;
  /** Whether the service's description requires it. */
  readonly required: boolean;
  /** The valid values, in words such as `one of 5, 10 or 15`. */
  readonly expected: string;
  /** The valid values that are listed. If `expected` says more, other values are valid too. */
  readonly values: readonly (string | number)[];
}

/**
 * Lists the fields of a model's form, in the order of the service's description.
 *
 * @param model The name of a model, or an entry of `listModels()`.
 * @returns The fields, each with its valid values.
 * @throws An {@link InvalidRequestError} if there is no such model
 * @example
 * for (const { field, expected } of fieldsOf("vidmodelv2")) console.log(`${field}: ${expected}`);
 */
export function fieldsOf(model: string | ModelInfo): readonly FieldInfo[] {
  const form = typeof model === "string" ? findOperation(model)?.body : model?.form;
  if (!form) throw new InvalidRequestError("fieldsOf", [unknownModel(model)]);
  return [...fieldsIn(form).values()].map((field) => describeField(field, form));
}

function describeField({ name: field, text, files }: Field, form: Bounds): FieldInfo {
  const { name: property, bounds } = files ?? text ?? { name: field, bounds: {} };
  const one = bounds.items ?? bounds;
  return {
    field,
    property,
    takes: takenBy(one),
    many: bounds.type === "array",
    required: (form.required ?? []).some((name) => fieldOf(name) === field),
    expected: describe(bounds),
    values: isFlag(one) ? [] : valuesOf(one).values,
  };
}

function takenBy(bounds: Bounds): FieldInfo["takes"] {
  if (isFile(bounds)) return "file";
  if (isFlag(bounds) || bounds.type === "boolean") return "flag";
  return bounds.type === "integer" || bounds.type === "number" ? "number" : "text";
}
