import { InvalidRequestError } from "../errors/errors.ts";
import { closestName, describeValue, type Issue, issueOf, joined, mustBe, nothingWasSent } from "../errors/issue.ts";
import type { Field, FormFields, Kind, Operation } from "../spec/operation.ts";
import { kinds, operations } from "../spec/operations.gen.ts";
import type { Model } from "../spec/types.gen.ts";

export type { Form, Model } from "../spec/types.gen.ts";

/** A generation model and its form. */
export interface ModelInfo {
  /** The kind of its results: video or image. */
  readonly kind: Kind;
  /** The name, as you pass it to `generate`. */
  readonly model: string;
  /** The generation's id in the service's description, such as `generateVidmodelv2`. */
  readonly operation: string;
  /** The fields of its form. */
  readonly form: FormFields;
}

/**
 * Lists every generation model of the service's description.
 *
 * @returns The models: those of videos first, then those of images. Changing the list changes no check.
 * @example
 * for (const { kind, model } of listModels()) console.log(`${kind}: ${model}`);
 */
export function listModels(): readonly ModelInfo[] {
  const models = kinds.flatMap((kind) =>
    Object.entries(operations[kind].generate).map(([model, { id, body }]) => ({
      kind,
      model,
      operation: id,
      form: body,
    })),
  );
  // A copy, so that changing the list does not change the checks.
  return structuredClone(models);
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
export function fieldsOf(model: string | ModelInfo): readonly Field[] {
  const info = typeof model === "string" ? listModels().find((one) => one.model === model) : model;
  if (!info?.form) throw new InvalidRequestError("fieldsOf", [unknownModel(model)]);
  return info.form.fields;
}

/**
 * Checks whether a text is the name of a generation model, and narrows its type.
 *
 * @returns Whether it is one. Inside the `if`, the compiler knows that `text` is a `Model`.
 * @example
 * if (isModel(text)) await media.generate(text, form);
 */
export function isModel(text: string): text is Model {
  return findOperation(text) !== undefined;
}

/**
 * Returns the kind of a model's results.
 *
 * @throws An {@link InvalidRequestError} if there is no such model
 */
export function kindOf(model: string): Kind {
  const operation = operationOf(model, kinds);
  return kinds.find((kind) => Object.values(operations[kind].generate).includes(operation)) as Kind; // It was found among them.
}

/**
 * Returns the generation operation of a model.
 *
 * @throws An {@link InvalidRequestError} if there is no such model of these kinds
 */
export function operationOf(model: string, among: readonly Kind[] = kinds): Operation {
  const found = findOperation(model, among);
  if (found) return found;
  const { field, code, message } = unknownModel(model, among);
  const newer = code === "unknown" ? "A newer model needs media.video or media.image with { unchecked: true }." : "";
  throw new InvalidRequestError("generate", [{ field, code, message: joined(message, newer) }], nothingWasSent);
}

/** Returns the generation operation of a model, or undefined if there is no such model of these kinds. */
export function findOperation(model: string, among: readonly Kind[] = kinds): Operation | undefined {
  // A list of one name, or an object, would be looked up as its text, and recorded as it is.
  if (typeof model !== "string") return undefined;
  for (const kind of among) {
    const { generate } = operations[kind];
    if (Object.hasOwn(generate, model)) return generate[model];
  }
  return undefined;
}

/** Returns the issue for a model that does not exist in these kinds. */
export function unknownModel(model: unknown, among: readonly Kind[] = kinds): Issue {
  const names = among.flatMap((kind) => Object.keys(operations[kind].generate));
  const list = `one of ${names.join(", ")}`;
  if (typeof model !== "string") return issueOf("model", "invalid", mustBe(list, model));
  const other = kinds.find((kind) => findOperation(model, [kind]));
  const name = describeValue(model);
  if (other) return issueOf("model", "invalid", `${name} makes ${other}s`, `Use media.${other}, or ${list}.`);
  const meant = closestName(model, names);
  const advice = meant === undefined ? `Use ${list}.` : `Did you mean ${JSON.stringify(meant)}?`;
  return issueOf("model", "unknown", `${name} is not known`, advice);
}
