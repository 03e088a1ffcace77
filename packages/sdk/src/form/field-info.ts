import type { Bounds } from "../spec/operation.ts";
import { describe, fieldOf, isFile, isFlag } from "./bounds.ts";
import type { ModelInfo } from "./model.ts";
import { fieldsIn } from "./form.ts";

/** One field of a model's form, for whoever shows the form to people. */
export interface FieldInfo {
  /** The name, such as `sourceImage`. */
  readonly field: string;
  /** The property of the form's schema that bounds it: `sourceImage.items` for the files of `sourceImage`. */
  readonly property: string;
  /** What it takes; a flag is true or false. */
  readonly takes: "text" | "number" | "flag" | "file";
  /** Whether it also takes a list. */
  readonly many: boolean;
  /** Whether the service's description requires it. */
  readonly required: boolean;
  /** What is allowed, in words, such as `5, 10 or 15`. */
  readonly allowed: string;
  /** The values that are named; where `allowed` says more, there are others. */
  readonly values: readonly (string | number)[];
}

/** The fields of a model's form, in the order of the service's description. */
export function fieldsOf({ form }: ModelInfo): readonly FieldInfo[] {
  return [...fieldsIn(form).values()].map(({ name: field, text, files }) => {
    const { name: property, bounds } = files ?? text ?? { name: field, bounds: {} };
    const one = bounds.items ?? bounds;
    return {
      field,
      property,
      takes: takenBy(one),
      many: bounds.type === "array",
      required: (form.required ?? []).some((name) => fieldOf(name) === field),
      allowed: describe(bounds),
      values: isFlag(one) ? [] : valuesOf(one),
    };
  });
}

function takenBy(bounds: Bounds): FieldInfo["takes"] {
  if (isFile(bounds)) return "file";
  if (isFlag(bounds) || bounds.type === "boolean") return "flag";
  return bounds.type === "integer" || bounds.type === "number" ? "number" : "text";
}

function valuesOf({ enum: values = [], anyOf = [] }: Bounds): (string | number)[] {
  return [...values, ...anyOf.flatMap(valuesOf)];
}
