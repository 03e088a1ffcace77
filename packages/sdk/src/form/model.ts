import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue, invalid, type Issue, nothingWasSent } from "../errors/issue.ts";
import type { Bounds, Kind, Operation } from "../spec/operation.ts";
import { kinds, operations } from "../spec/operations.gen.ts";
import type { Model } from "../spec/types.gen.ts";
import { closestName } from "../errors/closest-name.ts";

export type { Form, Model } from "../spec/types.gen.ts";

/** A generation model and its form. */
export interface ModelInfo {
  /** The kind of its results: video or image. */
  readonly kind: Kind;
  /** The name, as you pass it to `generate`. */
  readonly model: string;
  /** The generation's id in the service's description, such as `generateVidmodelv2`. */
  readonly operation: string;
  /** The bounds of the form, in the keywords of JSON Schema. */
  readonly form: Bounds;
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
  const issue = unknownModel(model, among);
  const newer = `${issue.received} is not known; a newer model needs media.video or media.image with { unchecked: true }`;
  const problem = issue.problem ?? (typeof model === "string" ? newer : undefined);
  throw new InvalidRequestError("generate", [{ ...issue, ...(problem && { problem }) }], nothingWasSent);
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
  const expected = `one of ${names.join(", ")}`;
  if (typeof model !== "string") return invalid("model", "wrongType", describeValue(model), expected, { names });
  const other = kinds.find((kind) => findOperation(model, [kind]));
  const name = describeValue(model);
  if (other) {
    const problem = `${name} makes ${other}s`;
    return invalid("model", "notOneOf", name, `media.${other}, or ${expected}`, { names, problem });
  }
  return invalid("model", "notOneOf", name, expected, { names, suggestion: closestName(model, names) });
}
