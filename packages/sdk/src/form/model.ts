import { InvalidRequestError } from "../errors/errors.ts";
import { closestName, type Issue, issueOf, mustBe, nothingWasSent } from "../errors/issue.ts";
import type { Field, FormFields, Kind, Operation } from "../spec/operation.ts";
import { kinds, operations } from "../spec/operations.gen.ts";
import type { Form, Model } from "../spec/types.gen.ts";
import { knownFields, readForm } from "./form.ts";
import { invalidField } from "./multipart.ts";

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

type KnownModel = Pick<ModelInfo, "kind" | "model"> & { readonly operation: Operation };

const list = kinds.flatMap((kind) =>
  Object.entries(operations[kind].generate).map(([model, operation]) => ({
    kind,
    model,
    operation,
  })),
);
export const models: ReadonlyMap<unknown, KnownModel> = new Map(
  list.map((one) => [one.model, one]),
);

/**
 * Lists every generation model of the service's description.
 *
 * @returns The models: those of videos first, then those of images. Changing the list changes no
 * check.
 * @example for (const { kind, model } of listModels()) console.log(`${kind}: ${model}`);
 */
export function listModels(): readonly ModelInfo[] {
  return structuredClone(
    list.map(({ operation: { id, body }, ...one }) => ({ ...one, operation: id, form: body })),
  );
}

/**
 * Lists the fields of a model's form, in the order of the service's description.
 *
 * @returns The fields, each with its valid values.
 * @throws An {@link InvalidRequestError} if there is no such model
 * @example
 * const fields = fieldsOf("vidmodelv2");
 * for (const { field, expected } of fields) console.log(`${field}: ${expected}`);
 */
export function fieldsOf(model: string): readonly Field[] {
  return structuredClone(findModel(model, undefined, "fieldsOf").operation.body.fields);
}

/**
 * Checks whether a text is the name of a generation model, and narrows its type.
 *
 * @param text Any text.
 * @example if (isModel(text)) await media.generate(text, form);
 */
export function isModel(text: string): text is Model {
  return models.has(text);
}

export function findModel(name: unknown, kind?: Kind, subject = "generate"): KnownModel {
  const found = models.get(name);
  if (found && (kind ?? found.kind) === found.kind) return found;
  const newer = found
    ? `Use media.${found.kind} for it.`
    : "A newer model needs media.video or media.image with { unchecked: true }.";
  throw new InvalidRequestError(subject, [unknownModel(name, kind, newer)], nothingWasSent);
}

function unknownModel(given: unknown, kind?: Kind, newer = ""): Issue {
  const names = list.flatMap((one) => ((kind ?? one.kind) === one.kind ? one.model : []));
  const meant = typeof given === "string" ? closestName(given, names) : undefined;
  const advice = meant === undefined ? newer : `Did you mean "${meant}"?`;
  return issueOf("model", "unknown", mustBe(`one of ${names.join(", ")}`, given), advice);
}

/**
 * Returns the operation of a model that the description does not have. Fields that count the
 * results of other models do so here.
 */
export function uncheckedOperation(kind: Kind, model: unknown): Operation {
  const { generate, query, delete: deletion } = operations[kind];
  const name = typeof model === "string" ? model : "";
  const [path = ""] = Object.values(generate).map((known) =>
    known.path.replace(/[^/]*$/, () => name),
  );
  if (!/^[\w-][\w.-]*$/.test(name) || path === query.path || path === deletion.path)
    throw invalidField("generate", "model", mustBe("the last segment of the model's path", model));
  // Without their defaults, which are those of other models.
  const fields = knownFields
    .filter(({ countsResults }) => countsResults)
    .map(({ default: _, ...field }) => field);
  return { id: "generate", path, body: { fields } };
}

/**
 * Checks a form, without a client and without sending it.
 *
 * @param form The fields of the model's form. For a model that is known only at run time, any
 * object.
 * @param extraFields Fields that the service accepts and its description does not contain.
 * @returns Every mistake in the form; an empty list if it is valid. An unknown model is one of the
 * mistakes.
 * @example
 * const issues = validate("vidmodelv2", { prompt, duration: 5 });
 * for (const issue of issues) console.log(issue.message);
 */
export function validate<M extends string>(
  model: M,
  form: M extends Model ? Form<M> : Readonly<Record<string, unknown>>,
  extraFields?: Readonly<Record<string, unknown>>,
): readonly Issue[] {
  const known = models.get(model);
  return known ? readForm(known.operation.body, form, extraFields).issues : [unknownModel(model)];
}
