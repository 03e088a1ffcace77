import type { ModelInfo } from "@mediagen/sdk/node";
import type { PlannedModel } from "./options.ts";

/** Field of a form with the length of a video in seconds. */
const lengthField = "duration";

/** Adds up the images and seconds of paid generations by model. */
export class Amounts {
  readonly #models = new Map<string, PlannedModel>();

  get byModel(): Readonly<Record<string, PlannedModel>> {
    return Object.fromEntries(this.#models);
  }

  add({ kind, model, form: { fields } }: ModelInfo, form: Readonly<Record<string, unknown>>): void {
    const least = kind === "video" ? 0 : 1;
    const made =
      kind === "video"
        ? numberIn(form[lengthField] ?? fields.find(({ field }) => field === lengthField)?.default)
        : imagesIn(fields, form);
    const unit = kind === "video" ? "second" : "image";
    const { generations, amount, open } = this.#models.get(model) ?? { generations: 0, amount: 0, open: 0 };
    this.#models.set(model, {
      generations: generations + 1,
      amount: amount + Math.max(made ?? least, least),
      unit,
      open: open + (made === undefined ? 1 : 0),
    });
  }
}

/** A form without a field for the number of images creates one image. */
function imagesIn(fields: ModelInfo["form"]["fields"], form: Readonly<Record<string, unknown>>): number | undefined {
  const count = fields.find(({ countsResults }) => countsResults);
  return count ? numberIn(form[count.field] ?? count.default) : 1;
}

function numberIn(value: unknown): number | undefined {
  return Number.isFinite(value) ? Number(value) : undefined;
}
