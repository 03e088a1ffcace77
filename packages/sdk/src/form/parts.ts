import { fieldOf } from "../spec/schema.ts";
import { isBlob } from "../spec/is-blob.ts";
import { fileNameOf } from "./file-name.ts";
import type { WireFields } from "./form.ts";

/** One part of a form: a text, or a file with the name to send it under. */
export type FormPart = readonly [name: string, value: string] | readonly [name: string, file: Blob, fileName: string];

/** Yields a form's fields as parts of multipart/form-data, in order. */
export function* formParts(wire: WireFields): Generator<FormPart, void, undefined> {
  for (const [name, value] of Object.entries(wire)) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const [index, one] of values.entries()) {
      if (isBlob(one)) yield [name, one, fileNameOf(one, `${fieldOf(name)}-${index + 1}`)];
      else if (one !== undefined) yield [name, String(one)];
    }
  }
}

/** Converts a form's fields to FormData. */
export function toFormData(wire: WireFields): FormData {
  const form = new FormData();
  for (const [name, value, fileName] of formParts(wire)) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, fileName);
  }
  return form;
}
