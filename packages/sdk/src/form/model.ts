import { InvalidRequestError } from "../errors/errors.ts";
import { describeValue } from "../errors/issue.ts";
import { type Bounds, type Kind, kinds, type Operation } from "../spec/operation.ts";
import { operations } from "../spec/operations.gen.ts";
import type { ImageForms, VideoForms } from "../spec/types.gen.ts";
import { nearest } from "./nearest.ts";

/** The forms of both kinds, by model. */
export interface Forms {
  /** The forms of the video models. */
  readonly video: VideoForms;
  /** The forms of the image models. */
  readonly image: ImageForms;
}

// Looked up, not computed: conditional types would cost every program's compiler three times as much.
interface ModelsOf {
  readonly video: keyof VideoForms;
  readonly image: keyof ImageForms;
}
interface FormsOf extends VideoForms, ImageForms {}

/** A generation model of the kind. */
export type Model<K extends Kind = Kind> = ModelsOf[K];

/** The form of a model. */
export type Form<M extends Model> = FormsOf[M];

/** A generation model and what its form takes. */
export interface ModelInfo {
  /** What it makes. */
  readonly kind: Kind;
  /** Its name, as `generate` takes it. */
  readonly model: string;
  /** The generation's id in the service's description, such as `generateVidmodelv2`. */
  readonly operation: string;
  /** The bounds of the form, in the words of JSON Schema. */
  readonly form: Bounds;
}

/** Every generation model of the service's description. */
export function listModels(): readonly ModelInfo[] {
  const models = kinds.flatMap((kind) =>
    Object.entries(operations[kind].generate).map(([model, { id, body }]) => ({
      kind,
      model,
      operation: id,
      form: body,
    })),
  );
  // A copy: whoever changes the list must not change the checks.
  return structuredClone(models);
}

/** What a model makes; another word is an `InvalidRequestError`. */
export function kindOf(model: string): Kind {
  const operation = operationOf(model, kinds);
  return kinds.find((kind) => Object.values(operations[kind].generate).includes(operation)) as Kind; // It was found among them.
}

/** The generation operation of a model; another word is an `InvalidRequestError`. */
export function operationOf(model: string, among: readonly Kind[]): Operation {
  for (const kind of among) {
    const { generate } = operations[kind];
    const found = Object.hasOwn(generate, model) ? generate[model] : undefined;
    if (found) return found;
  }
  const models = among.flatMap((kind) => Object.keys(operations[kind].generate));
  const other = kinds.find((kind) => Object.hasOwn(operations[kind].generate, model));
  const hint = typeof model === "string" ? nearest(model, models) : undefined;
  const issue = {
    field: "model",
    got: describeValue(model) + (other ? ` (a model of ${other}s)` : ""),
    allowed: `one of ${models.join(", ")}`,
  };
  throw new InvalidRequestError("generate: nothing was sent", [hint === undefined ? issue : { ...issue, hint }]);
}
