import { InvalidRequestError } from "../errors/errors.ts";
import { closestName, describeValue, type Issue, issueOf, mustBe, nothingWasSent } from "../errors/issue.ts";
import type { Field, FormFields, Kind, Operation } from "../spec/operation.ts";
import { kinds, operations } from "../spec/operations.gen.ts";
import type { Form, Model } from "../spec/types.gen.ts";
import { checkFiles } from "./files.ts";
import { readBody, readForm } from "./form.ts";

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

/** A model of the service's description, with the operation that generates it. */
export interface KnownModel {
  readonly kind: Kind;
  readonly model: string;
  readonly operation: Operation;
}

const models: readonly KnownModel[] = kinds.flatMap((kind) =>
  Object.entries(operations[kind].generate).map(([model, operation]) => ({ kind, model, operation })),
);

/**
 * Lists every generation model of the service's description.
 *
 * @returns The models: those of videos first, then those of images. Changing the list changes no check.
 * @example
 * for (const { kind, model } of listModels()) console.log(`${kind}: ${model}`);
 */
export function listModels(): readonly ModelInfo[] {
  // A copy, so that changing the list does not change the checks.
  return structuredClone(models.map(({ operation: { id, body }, ...one }) => ({ ...one, operation: id, form: body })));
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
  return infoOf("fieldsOf", model).form.fields;
}

/** Returns the entry of a model in `listModels()`, or throws an {@link InvalidRequestError} if there is no such model. */
export function infoOf(subject: string, model: string | ModelInfo): ModelInfo {
  const info = typeof model === "string" ? listModels().find((one) => one.model === model) : model;
  if (!info?.form) throw new InvalidRequestError(subject, [unknownModel(model)]);
  return info;
}

/**
 * Checks whether a text is the name of a generation model, and narrows its type.
 *
 * @returns Whether it is one. Inside the `if`, the compiler knows that `text` is a `Model`.
 * @example
 * if (isModel(text)) await media.generate(text, form);
 */
export function isModel(text: string): text is Model {
  return knownModel(text) !== undefined;
}

/** Returns a model of these kinds; undefined if there is none. */
export function knownModel(name: unknown, among: readonly Kind[] = kinds): KnownModel | undefined {
  return models.find(({ model, kind }) => model === name && among.includes(kind));
}

/**
 * Returns a model of these kinds.
 *
 * @throws An {@link InvalidRequestError} if there is none
 */
export function findModel(name: unknown, among: readonly Kind[] = kinds): KnownModel {
  const found = knownModel(name, among);
  if (found) return found;
  const newer = "A newer model needs media.video or media.image with { unchecked: true }.";
  throw new InvalidRequestError("generate", [unknownModel(name, among, newer)], nothingWasSent);
}

function unknownModel(given: unknown, among: readonly Kind[] = kinds, newer = ""): Issue {
  const names = models.flatMap(({ model, kind }) => (among.includes(kind) ? model : []));
  const list = `one of ${names.join(", ")}`;
  if (typeof given !== "string") return issueOf("model", "invalid", mustBe(list, given));
  const name = describeValue(given);
  const other = knownModel(given)?.kind;
  if (other) return issueOf("model", "invalid", `${name} makes ${other}s`, `Use media.${other}, or ${list}.`);
  const meant = closestName(given, names);
  const advice = meant === undefined ? `Use ${list}.` : `Did you mean ${JSON.stringify(meant)}?`;
  return issueOf("model", "unknown", `${name} is not known`, advice, newer);
}

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
  const known = knownModel(model);
  return known ? readForm(known.operation.body, form, options.extraFields).issues : [unknownModel(model)];
}

/** Returns the issues of the fields of a form, those of its files included, or of a JSON body. */
export async function issuesIn(body: FormFields, fields: unknown, isForm: boolean): Promise<readonly Issue[]> {
  const { wire, issues } = isForm ? readForm(body, fields) : readBody(body, fields);
  return issues.length > 0 || !isForm ? issues : checkFiles(body, wire);
}
